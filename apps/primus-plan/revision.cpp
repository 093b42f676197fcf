#include "revision.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "command.h"
#include "git.h"

namespace primus_plan::app {

namespace {

namespace fs = std::filesystem;

/// Of a path that git takes; longer ones are no files.
constexpr std::size_t longest_path = 4096;

fs::path absolute(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal();
}

/// The nearest folder at or above a path that is there now: its own may be gone since the revision.
fs::path folder_above(fs::path path) {
  std::error_code error;
  do path = path.parent_path();
  while (path.has_relative_path() && !fs::is_directory(path, error));
  return path;
}

/// A path by the repository that it lies in.
struct Place {
  std::string top;     ///< of the working tree
  std::string inside;  ///< from there
};

std::optional<Place> place_of(const std::string& path) {
  const fs::path file = absolute(path);
  const fs::path folder = folder_above(file);
  const auto said = run_git({"-C", folder.string(), "rev-parse", "--show-toplevel", "--show-prefix"});
  if (!said) return std::nullopt;
  const std::size_t end = said->find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string prefix = said->substr(end + 1);
  if (prefix.ends_with('\n')) prefix.pop_back();
  return Place{said->substr(0, end), prefix + file.lexically_relative(folder).string()};
}

std::optional<std::string> commit_of(const std::string& path, const std::string& revision) {
  if (revision.empty() || revision.starts_with('-')) return std::nullopt;
  auto commit = run_git(
      {"-C", folder_above(absolute(path)).string(), "rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (commit && commit->ends_with('\n')) commit->pop_back();
  return commit;
}

/// What a revision has at a path.
struct Object {
  std::string kind = "missing";  ///< blob, tree, commit; dangling, loop, notdir, missing; symlink: one that leads out
  std::string text = {};         ///< of a blob; what a symlink leads to
};

/// `git cat-file --batch --follow-symlinks` prints "NAME TYPE SIZE", a line break and the bytes for what it finds, the
/// word and the size of its target for links that cannot be followed, and "… missing" else.
Object object_at(const std::string& top, const std::string& commit, const std::string& inside) {
  if (inside.size() > longest_path || inside.find('\n') != std::string::npos) return {};
  const auto said =
      run_git({"-C", top, "cat-file", "--batch", "--follow-symlinks"}, fmt::format("{}:{}\n", commit, inside));
  if (!said) return {};
  const std::size_t end = std::min(said->find('\n'), said->size());
  const std::string_view head = std::string_view(*said).substr(0, end);
  std::string rest = said->substr(std::min(end + 1, said->size()));
  if (rest.ends_with('\n')) rest.pop_back();
  for (const std::string_view word : {"symlink", "dangling", "loop", "notdir"}) {
    if (head.starts_with(word) && head.find(' ') == word.size()) return {std::string(word), std::move(rest)};
  }
  if (head.ends_with(" missing")) return {};
  const std::size_t kind = head.find(' ');
  return {std::string(head.substr(kind + 1, head.rfind(' ') - kind - 1)), std::move(rest)};
}

/// Why there is no text; empty for a blob.
std::string why_not(const Object& object, std::string_view revision) {
  if (object.kind == "blob") return {};
  if (object.kind == "tree") return "it is a folder";
  if (object.kind == "commit") return "it is a submodule";
  if (object.kind == "loop") return "it is a symbolic link that leads back to itself";
  if (object.kind == "symlink") return fmt::format("it is a symbolic link out of the repository, to {}", object.text);
  if (object.kind == "dangling") return fmt::format("it is a symbolic link to what is not in revision {}", revision);
  return fmt::format("no such file in revision {}", revision);
}

}  // namespace

std::optional<AtRevision> split_revision(const std::string& name) {
  std::error_code error;
  if (name == "-" || fs::exists(name, error)) return std::nullopt;
  std::string fault;
  for (std::size_t at = name.find('@', 1); at != std::string::npos; at = name.find('@', at + 1)) {
    AtRevision out{.path = name.substr(0, at), .commit = {}, .spelled = name.substr(at + 1)};
    const auto commit = commit_of(out.path, out.spelled);
    const bool is_here = fs::exists(out.path, error);
    if (commit) {
      out.commit = *commit;
      const auto place = place_of(out.path);
      const Object object = place ? object_at(place->top, out.commit, place->inside) : Object();
      if (object.kind == "blob") return out;
      if (object.kind == "missing" || object.kind == "notdir") {
        if (is_here || fault.empty()) fault = fmt::format("{}: the file is not in that revision", name);
      } else {
        fault = fmt::format("{}: {}", name, why_not(object, out.spelled));
      }
    } else if (is_here) {
      fault = fmt::format("{}: git knows no revision {}", name, out.spelled);
    }
  }
  if (name.find('@', 1) == std::string::npos) return std::nullopt;
  throw Trouble(fault.empty() ? fmt::format("{}: no such file, and git knows no such revision", name) : fault);
}

RevisionFiles::RevisionFiles(const AtRevision& at, const std::string& presets, const FileReader& disk)
    : commit_(at.commit),
      spelled_(at.spelled),
      presets_(presets.empty() ? std::string() : (absolute(presets) / "").string()),
      disk_(disk) {
  if (const auto place = place_of(at.path)) top_ = place->top;
}

std::optional<std::string> RevisionFiles::read(const std::string& path, ReadFailure& failure) const {
  const bool is_preset = !presets_.empty() && absolute(path).string().starts_with(presets_);
  const auto place = is_preset ? std::nullopt : place_of(path);
  if (!place || place->top != top_) return disk_.read(path, failure);
  Object object = object_at(top_, commit_, place->inside);
  if (object.kind != "blob") {
    const bool is_missing = object.kind == "missing" || object.kind == "notdir" || object.kind == "dangling";
    failure = {.reason = why_not(object, spelled_), .missing = is_missing, .too_large = false};
    return std::nullopt;
  }
  if (object.text.size() > DiskFiles::default_max_bytes) {
    failure = {.reason = fmt::format("it has {} bytes, more than the limit of {}", object.text.size(),
                                     DiskFiles::default_max_bytes),
               .missing = false,
               .too_large = true};
    return std::nullopt;
  }
  return std::move(object.text);
}

}  // namespace primus_plan::app
