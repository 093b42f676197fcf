#include "report_targets.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <utility>

#include "command.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

constexpr std::string_view automatic = "auto";

/// "FORMAT" or "FORMAT=FILE".
std::pair<std::string, std::string> split(const std::string& report) {
  const std::size_t equals = report.find('=');
  if (equals == std::string::npos) return {report, {}};
  return {report.substr(0, equals), report.substr(equals + 1)};
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names = {automatic};
  for (const Format& format : formats()) names.push_back(format.name);
  return names;
}

/// Empty when the value is good, as CLI11 wants it.
std::string fault_of(const std::string& report) {
  const auto [name, file] = split(report);
  if (report.find('=') != std::string::npos && file.empty()) return fmt::format("{} names no file", report);
  const std::vector<std::string_view> names = format_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  const auto nearest = nearest_names(name, names, 1);
  const std::string hint =
      nearest.empty() ? "one of " + join(names, ", ") : fmt::format("did you mean {}?", nearest[0]);
  return fmt::format("no format {}; {}", name, hint);
}

const Format& format_of(const std::string& name) {
  if (name != automatic) return *find_format(name);
  return *find_format(in_github_actions() ? "github" : "text");
}

}  // namespace

void ReportFlags::declare(CLI::App& app) {
  app.add_option("--format", reports,
                 fmt::format("form of the report: {}; may be given several times, each FORMAT=FILE goes to its file",
                             join(format_names(), ", ")))
      ->type_name("FORMAT[=FILE]")
      ->allow_extra_args(false)
      ->check(fault_of)
      ->group("Output");
  declare_style(app);
}

ReportTargets::ReportTargets(const ReportFlags& flags, const TextStyle& wishes, const std::vector<std::string>& read) {
  if (!flags.file.empty()) refuse_overwriting("--output", flags.file, read);
  std::set<std::string> files;
  for (const std::string& report : flags.reports) {
    auto [format, file] = split(report);
    if (file.empty())
      file = flags.file;
    else
      refuse_overwriting("--format", file, read);
    if (!files.insert(file).second) {
      throw Trouble(fmt::format("--format {}: a second report cannot go to {} (give it a file: --format {}=FILE)",
                                report, file.empty() ? "standard output" : file, format));
    }
    open(flags, wishes, format, file);
  }
  const bool unused_file = !flags.file.empty() && !files.contains(flags.file);
  if (flags.reports.empty() || unused_file) open(flags, wishes, std::string(automatic), flags.file);
}

void ReportTargets::open(const ReportFlags& flags, const TextStyle& wishes, const std::string& format,
                         const std::string& file) {
  ReportTarget target;
  const Format& how = format_of(format);
  target.output =
      file.empty() ? std::make_unique<Output>(std::nullopt, glyphs_for(how.name)) : std::make_unique<Output>(file);
  TextStyle style = flags.style(target.output->is_terminal());
  style.worlds = wishes.worlds;
  style.strict = wishes.strict;
  style.brief_if_clean = wishes.brief_if_clean;
  target.formatter = how.make(style, tool_info());
  target.assembly = std::make_unique<Assembly>(*target.formatter);
  targets_.push_back(std::move(target));
}

std::vector<Piece> ReportTargets::render(const FileReport& file) const {
  std::vector<Piece> pieces;
  pieces.reserve(targets_.size());
  for (const ReportTarget& target : targets_) pieces.push_back(make_piece(*target.formatter, file));
  return pieces;
}

bool ReportTargets::add(const std::vector<Piece>& pieces) {
  bool wrote = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string text = targets_[i].assembly->add(pieces[i]);
    targets_[i].output->write(text);
    wrote = wrote || !text.empty();
  }
  return wrote;
}

void ReportTargets::finish(const Summary& total) {
  for (const ReportTarget& target : targets_) target.output->write(target.assembly->end(total));
  for (const ReportTarget& target : targets_) target.output->finish();
}

}  // namespace primus_plan::app
