#include "selection.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "command.h"
#include "git.h"
#include "primus_plan/config/files.h"

namespace primus_plan::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* selection_group = "Which files";

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result.string();
}

/// As a person in the working folder would write it.
std::string shown(const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::path(canonical(path)).lexically_relative(fs::current_path(error));
  return error || relative.empty() ? path : relative.string();
}

/// Names set apart by line breaks, or by NUL when there is one.
std::vector<std::string> read_list(const std::string& file) {
  std::optional<std::string> streamed = read_stream(file, DiskFiles::default_max_bytes);
  ReadFailure failure;
  const auto read = streamed ? std::move(streamed) : DiskFiles().read(file, failure);
  if (!read) throw Trouble(fmt::format("cannot read --files-from {}: {}", file, failure.reason));
  const std::string& text = *read;
  const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
  std::vector<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view name = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (separator == '\n' && name.ends_with('\r')) name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

/// Whether the path is one of the given ones or below it.
bool is_below(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const fs::path relative = fs::path(path).lexically_relative(canonical(folder));
    return !relative.empty() && *relative.begin() != "..";
  });
}

/// Each file once, in the order of paths.
void sort_unique(std::vector<Input>& inputs) {
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
  std::set<std::string> seen;
  std::erase_if(inputs, [&](const Input& input) { return !seen.insert(canonical(input.path)).second; });
}

std::vector<Input> below(const std::vector<std::string>& folders) {
  std::vector<Input> inputs = find_inputs(folders);
  for (Input& input : inputs) input.path = fs::path(input.path).lexically_normal().string();
  return inputs;
}

/// With --affected: folders are where to look, `everywhere` without any; files are what experiments may reach.
Selection select_affected(const std::vector<std::string>& paths, std::vector<std::string> changed, bool some_vanished,
                          const std::string& everywhere) {
  Selection selection{.inputs = {},
                      .targets = std::move(changed),
                      .affected = true,
                      .some_vanished = some_vanished,
                      .may_be_empty = true};
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    if (path == "-") throw Trouble("--affected needs files: standard input is none that a preset chain could reach");
    (fs::is_directory(path) ? folders : selection.targets).push_back(path);
  }
  if (selection.targets.empty() && !some_vanished) return selection;
  const std::vector<Input> targets = selection.targets.empty() ? std::vector<Input>() : find_inputs(selection.targets);
  for (const Input& target : targets) selection.inputs.push_back({target.path, true});
  if (folders.empty()) folders = {everywhere};
  const std::vector<Input> found = below(folders);
  selection.inputs.insert(selection.inputs.end(), found.begin(), found.end());
  sort_unique(selection.inputs);
  return selection;
}

}  // namespace

Reach::Reach(const std::vector<std::string>& files, bool some_vanished) : some_vanished_(some_vanished) {
  for (const std::string& file : files) {
    const std::string path = canonical(file);
    names_.insert(fs::path(path).filename().string());
    names_.insert(fs::path(file).filename().string());
    paths_.insert(path);
  }
}

bool Reach::is_target(const std::string& path) const {
  return names_.contains(fs::path(path).filename().string()) && paths_.contains(canonical(path));
}

bool Reach::contains(const std::string& experiment, const LoadResult& loaded) const {
  if (is_target(experiment) || (some_vanished_ && !loaded.errors.empty())) return true;
  const auto among = [&](const std::vector<std::shared_ptr<const Source>>& sources) {
    return std::any_of(sources.begin(), sources.end(), [&](const auto& source) { return is_target(source->path()); });
  };
  return among(loaded.sources) || std::any_of(loaded.experiments.begin(), loaded.experiments.end(),
                                              [&](const Experiment& one) { return among(one.sources); });
}

void SelectionFlags::declare(CLI::App& app) {
  app.add_option("FILE", paths, "experiments, folders of them, or - for standard input");
  app.add_option("--files-from", files_from, "a list of files, one a line or set apart by NUL; - for standard input")
      ->type_name("FILE")
      ->group(selection_group);
  app.add_option("--changed-since", changed_since, "files that differ from where this branch left git's REV")
      ->type_name("REV")
      ->group(selection_group);
  app.add_flag("--affected", affected,
               "every experiment below the folders whose presets or extends reach one of the files")
      ->group(selection_group);
  app.add_flag("--only-experiments", only_experiments, "pass over files that are no experiments, as in folders")
      ->group(selection_group);
}

Selection SelectionFlags::select() const {
  const bool lists = !files_from.empty() || !changed_since.empty();
  if (paths.empty() && !lists)
    throw Trouble("no FILE given: name experiments, folders of them, or - for standard input");
  std::vector<std::string> listed;
  if (!files_from.empty()) listed = read_list(files_from);
  std::erase_if(listed, [](const std::string& name) { return !is_yaml(name); });
  std::vector<std::string> changed;
  bool some_vanished = false;
  if (!changed_since.empty()) {
    for (const std::string& path : changed_files(changed_since)) {
      std::error_code ignored;
      const bool is_there = fs::exists(path, ignored);
      some_vanished = some_vanished || (!is_there && is_yaml(path));
      if (!is_there) continue;
      const bool is_wanted = affected || paths.empty() || is_below(canonical(path), paths);
      if (is_yaml(path) && is_wanted) changed.push_back(shown(path));
    }
  }
  listed.insert(listed.end(), changed.begin(), changed.end());
  if (affected) {
    const std::string everywhere = changed_since.empty() ? "." : shown(repository_folder());
    return select_affected(paths, std::move(listed), some_vanished, everywhere);
  }

  Selection selection{.inputs = {},
                      .targets = {},
                      .affected = false,
                      .some_vanished = false,
                      .may_be_empty = lists || only_experiments};
  for (const Input& input : find_inputs(listed)) selection.inputs.push_back({input.path, true});
  if (changed_since.empty()) {
    for (Input& input : find_inputs(paths)) {
      input.from_folder = input.from_folder || only_experiments;
      selection.inputs.push_back(std::move(input));
    }
  }
  return selection;
}

}  // namespace primus_plan::app
