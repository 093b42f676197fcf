#include "git.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "command.h"
#include "descriptor.h"

// POSIX leaves the declaration to us.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace primus_plan::app {

namespace {

/// What git prints; nothing when it fails. Its complaints are not shown: ours say what was wanted.
std::optional<std::string> git(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Trouble(fmt::format("cannot run git: {}", std::strerror(errno)));
  const Descriptor from_git(ends[0]);
  Descriptor to_us(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to_us.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "git", &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  to_us.close();  // or the end of what git says would never come
  if (error != 0) throw Trouble(fmt::format("cannot run git: {}", std::strerror(error)));
  std::string text = read_all(from_git.get(), "what git says");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

/// Adds names set apart by NUL.
void add_names(std::string_view text, const std::string& top, std::vector<std::string>& names) {
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('\0'));
    if (!name.empty()) names.push_back(fmt::format("{}/{}", top, name));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
}

}  // namespace

std::vector<std::string> changed_files(const std::string& revision) {
  const auto top_line = git({"rev-parse", "--show-toplevel"});
  if (!top_line) throw Trouble("--changed-since: this folder is in no git repository");
  const std::string top = first_line(*top_line);
  const bool is_name = !revision.empty() && !revision.starts_with('-');
  const auto commit = is_name ? git({"rev-parse", "--verify", "--quiet", revision + "^{commit}"}) : std::nullopt;
  if (!commit) throw Trouble(fmt::format("--changed-since {}: git knows no such revision", revision));
  // A shallow clone may not have the commit where the branches part.
  const std::string base = first_line(git({"merge-base", first_line(*commit), "HEAD"}).value_or(*commit));
  const auto changed = git({"-C", top, "diff", "--name-only", "-z", "--no-renames", base, "--"});
  const auto added = git({"-C", top, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!changed || !added) throw Trouble(fmt::format("--changed-since {}: git cannot compare with it", revision));
  std::vector<std::string> names;
  add_names(*changed, top, names);
  add_names(*added, top, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string file_at_revision(const std::string& path, const std::string& revision) {
  const std::filesystem::path file = std::filesystem::absolute(path);
  const std::string folder = file.parent_path().string();
  const bool is_name = !revision.empty() && !revision.starts_with('-');
  const auto commit =
      is_name ? git({"-C", folder, "rev-parse", "--verify", "--quiet", revision + "^{commit}"}) : std::nullopt;
  if (!commit) throw Trouble(fmt::format("{}@{}: no such file, and git knows no such revision", path, revision));
  auto text =
      git({"-C", folder, "cat-file", "blob", fmt::format("{}:./{}", first_line(*commit), file.filename().string())});
  if (!text) throw Trouble(fmt::format("{}@{}: the file is not in that revision", path, revision));
  return *std::move(text);
}

}  // namespace primus_plan::app
