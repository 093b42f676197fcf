#include "inputs.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "command.h"
#include "descriptor.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

namespace fs = std::filesystem;

/// Experiments below a folder. Links to folders are not followed, so there is no going in circles. A folder that cannot
/// be read is an input of its own: whoever reads it says why, and the others have their turn.
void add_files_below(const fs::path& folder, std::vector<Input>& found) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      const bool hidden = path.filename().native().starts_with('.');
      if (!hidden && !entry->is_symlink(ignored)) add_files_below(path, found);
      continue;
    }
    const bool yaml = path.extension() == ".yaml" || path.extension() == ".yml";
    if (yaml && entry->is_regular_file(ignored)) found.push_back({path.string(), true});
  }
  if (error) found.push_back({folder.string(), true});
}

std::vector<Input> files_below(const std::string& folder) {
  std::error_code error;
  if (fs::directory_iterator(folder, error); error) {
    throw Trouble(fmt::format("cannot read folder {}: {}", folder, error.message()));
  }
  std::vector<Input> found;
  add_files_below(folder, found);
  std::sort(found.begin(), found.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
  return found;
}

}  // namespace

std::string hint_of_path(const std::string& path) {
  if (path.find_first_of("*?[") != std::string::npos) return "; nothing matches it, or quotes kept it from the shell";
  const fs::path given(path);
  const fs::path folder = given.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::vector<std::string_view> nearest = nearest_names(given.filename().string(), known, 1);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", (folder / nearest.front()).string());
}

std::vector<Input> find_inputs(const std::vector<std::string>& arguments) {
  std::vector<Input> inputs;
  for (const std::string& argument : arguments) {
    if (argument == "-") {
      inputs.push_back({argument, false});
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(argument, error);
    if (status.type() == fs::file_type::not_found)
      throw Trouble(fmt::format("{}: no such file or folder{}", argument, hint_of_path(argument)));
    if (status.type() != fs::file_type::directory) {
      inputs.push_back({argument, false});
      continue;
    }
    const std::vector<Input> below = files_below(argument);
    inputs.insert(inputs.end(), below.begin(), below.end());
  }
  return inputs;
}

namespace {

/// Paths that a shell makes of its own pipes: <(command), /dev/stdin. Other pipes may have nobody at their other end.
bool is_own_pipe(const std::string& path) {
  const bool own = path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
  std::error_code error;
  return own && fs::status(path, error).type() == fs::file_type::fifo;
}

}  // namespace

std::optional<std::string> read_stream(const std::string& path, std::size_t most_bytes) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input", most_bytes);
  if (!is_own_pipe(path)) return std::nullopt;
  const Descriptor pipe(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!pipe.is_open()) throw Trouble(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return read_all(pipe.get(), path, most_bytes);
}

std::string shown_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

}  // namespace primus_plan::app
