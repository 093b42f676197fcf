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

#include "command.h"
#include "descriptor.h"

// POSIX leaves the declaration to us.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace primus_plan::app {

namespace {

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

/// Adds names set apart by NUL.
void add_names(std::string_view text, const std::string& top, std::vector<std::string>& names) {
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('\0'));
    if (!name.empty()) names.push_back(fmt::format("{}/{}", top, name));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
}

/// The end to read of a pipe that holds a text, which has to fit into it.
int pipe_with(std::string_view text) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Trouble(fmt::format("cannot run git: {}", std::strerror(errno)));
  const Descriptor to_write(ends[1]);
  if (::write(to_write.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return ends[0];
  const Descriptor unused(ends[0]);
  throw Trouble(fmt::format("cannot run git: {}", std::strerror(errno)));
}

}  // namespace

/// Its complaints are not shown: ours say what was wanted.
std::optional<std::string> run_git(std::vector<std::string> arguments, std::string_view input) {
  arguments.insert(arguments.begin(), "git");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Trouble(fmt::format("cannot run git: {}", std::strerror(errno)));
  const Descriptor from_git(ends[0]);
  Descriptor to_us(ends[1]);
  const Descriptor input_of_git(input.empty() ? -1 : pipe_with(input));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to_us.get(), STDOUT_FILENO);
  if (input_of_git.is_open()) ::posix_spawn_file_actions_adddup2(&actions, input_of_git.get(), STDIN_FILENO);
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

std::string repository_folder() {
  const auto top = run_git({"rev-parse", "--show-toplevel"});
  if (!top) throw Trouble("--changed-since: this folder is in no git repository");
  return first_line(*top);
}

std::vector<std::string> changed_files(const std::string& revision) {
  const std::string top = repository_folder();
  const bool is_name = !revision.empty() && !revision.starts_with('-');
  const auto commit = is_name ? run_git({"rev-parse", "--verify", "--quiet", revision + "^{commit}"}) : std::nullopt;
  if (!commit) throw Trouble(fmt::format("--changed-since {}: git knows no such revision", revision));
  // A shallow clone may not have the commit where the branches part.
  const std::string base = first_line(run_git({"merge-base", first_line(*commit), "HEAD"}).value_or(*commit));
  const auto changed = run_git({"-C", top, "diff", "--name-only", "-z", "--no-renames", base, "--"});
  const auto added = run_git({"-C", top, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!changed || !added) throw Trouble(fmt::format("--changed-since {}: git cannot compare with it", revision));
  std::vector<std::string> names;
  add_names(*changed, top, names);
  add_names(*added, top, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace primus_plan::app
