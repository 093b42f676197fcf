#include "primus_plan/config/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "primus_plan/config/document.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view calibration_key = "calibration";

NodePtr parse(const std::string& path, std::string_view text, Remarks& remarks) {
  const auto source = std::make_shared<Source>(path, std::string(text));
  try {
    return parse_yaml(*source, Layer::experiment, {}, remarks);
  } catch (const LoadError& error) {
    throw CalibrationError(fmt::format("{}: {}", path, error.what()));
  }
}

/// As a YAML double-quoted text on one line.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string block_of(const StoredCalibration& c, std::string_view line_end) {
  return fmt::format("calibration:{}  hardware: {}{}  compute-scale: {:.4f}{}  memory-extra-gib: {:.3f}{}  run: {}{}",
                     line_end, in_quotes(c.hardware), line_end, c.constants.compute_scale, line_end,
                     c.constants.memory_extra_bytes / gib, line_end, in_quotes(c.run), line_end);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

/// Whether a line may belong to a block mapping's value that began above.
bool is_inner(std::string_view line) { return line.starts_with(' ') && line.find_first_not_of(" \r\n") < line.size(); }

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first < line.size() && line[first] == '#';
}

/// Comments inside the block that is replaced, so that none is lost.
struct Kept {
  std::string before;
  std::string comments;
  std::string after;
};

Kept without_calibration(std::string_view text) {
  Kept out;
  enum class Where { before, inside, after } where = Where::before;
  for (const std::string_view line : lines_of(text)) {
    if (where == Where::before && line.starts_with("calibration:")) {
      where = Where::inside;
      const std::size_t comment = line.find(" #");
      if (comment < line.size()) out.comments += "  " + std::string(line.substr(comment + 1));
      continue;
    }
    if (where == Where::inside && !is_inner(line)) where = Where::after;
    if (where == Where::inside) {
      if (is_comment(line)) out.comments += line;
      continue;
    }
    (where == Where::before ? out.before : out.after) += line;
  }
  return out;
}

}  // namespace

std::string nearest_settings_file(const std::string& folder, const FileReader& files) {
  fs::path here = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  while (true) {
    std::string candidate = (here / settings_name).string();
    if (files.exists(candidate)) return candidate;
    if (!here.has_relative_path()) return {};
    here = here.parent_path();
  }
}

std::string with_calibration(std::string_view text, const StoredCalibration& calibration) {
  const std::string name(settings_name);
  Remarks old_remarks;
  const NodePtr before = parse(name, text, old_remarks);
  const std::string_view line_end = text.find("\r\n") < text.size() ? "\r\n" : "\n";
  Kept kept = without_calibration(text);
  if (!kept.before.empty() && !kept.before.ends_with('\n')) kept.before += line_end;
  std::string after = kept.before + block_of(calibration, line_end) + kept.comments + kept.after;
  const auto refuse = [&] {
    throw CalibrationError(
        fmt::format("the calibration cannot be put into the file as it is written; put it there "
                    "yourself:\n{}",
                    block_of(calibration, "\n")));
  };
  NodePtr result;
  Remarks remarks;
  try {
    result = parse(name, after, remarks);
  } catch (const CalibrationError&) {
    refuse();
  }
  // Settings are refused for remarks: a "calibration" in quotes was not replaced and is there twice.
  if (!remarks.empty()) refuse();
  // Nothing else may have changed its meaning.
  const auto others = [](const Node& root) {
    std::vector<const Entry*> out;
    for (const Entry& entry : root.entries()) {
      if (!entry.key->is_string() || entry.key->text != calibration_key) out.push_back(&entry);
    }
    return out;
  };
  const auto old_keys = others(*before);
  const auto new_keys = others(*result);
  bool same = result->is_mapping() && result->get(calibration_key) != nullptr &&
              result->get(calibration_key)->entries().size() == 4 && old_keys.size() == new_keys.size() &&
              (before->is_mapping() || before->is_null());
  for (std::size_t i = 0; same && i < old_keys.size(); ++i) {
    same = same_value(*old_keys[i]->key, *new_keys[i]->key) && same_value(*old_keys[i]->value, *new_keys[i]->value);
  }
  if (!same) refuse();
  return after;
}

}  // namespace primus_plan
