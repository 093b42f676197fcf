#include "history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "descriptor.h"
#include "temporary_file.h"

namespace primus_plan::app {

namespace {

constexpr mode_t owner_only = S_IRUSR | S_IWUSR;
constexpr off_t most_bytes = 1 << 20;  // of the file that are read, from its end
constexpr std::size_t longest_line = 4096;

bool write_whole(int descriptor, std::string_view text) {
  return ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// An open regular file, or none; a pipe or a device (/dev/null, say) is no place to remember in.
class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(path.empty() ? -1 : ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, owner_only)) {
    if (descriptor_.is_open() && (::fstat(descriptor_.get(), &status_) != 0 || !S_ISREG(status_.st_mode)))
      descriptor_.close();
  }

  explicit operator bool() const { return descriptor_.is_open(); }
  off_t size() const { return status_.st_size; }

  std::string end() const {
    std::string out(static_cast<std::size_t>(std::min(size(), most_bytes)), '\0');
    const ssize_t read = ::pread(descriptor_.get(), out.data(), out.size(), std::max<off_t>(0, size() - most_bytes));
    out.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read)));
    return out;
  }
  bool write(std::string_view text) const {
    ::fchmod(descriptor_.get(), owner_only);
    return write_whole(descriptor_.get(), text);
  }

 private:
  Descriptor descriptor_;
  struct stat status_ {};
};

std::string absolute_or_empty(const char* path) { return path != nullptr && *path == '/' ? path : std::string(); }

/// The folders above a file, for their owner alone where they are new.
void make_folders(const std::filesystem::path& folder) {
  if (folder.empty() || folder == folder.parent_path() || ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno != ENOENT)
    return;
  make_folders(folder.parent_path());
  ::mkdir(folder.c_str(), S_IRWXU);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Puts the lines in the place of the file's. One session's lines may get lost when it adds them at that moment.
void shorten(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  std::error_code error;
  const std::string target = std::filesystem::canonical(path, error).string();  // a link stays one
  if (error) return;
  TemporaryFile file(target);
  if (file.is_open() && write_whole(file.descriptor(), text)) file.take_place_of(target);
}

}  // namespace

std::string history_path() {
  std::string state = absolute_or_empty(std::getenv("XDG_STATE_HOME"));
  if (state.empty()) {
    state = absolute_or_empty(std::getenv("HOME"));
    if (!state.empty()) state += "/.local/state";
  }
  return state.empty() ? state : state + "/primus-plan/history";
}

std::vector<std::string> HistoryFile::load() const {
  const File file(path_, O_RDONLY);
  if (!file) return {};
  std::vector<std::string> lines = lines_of(file.end());
  if (file.size() > most_bytes && !lines.empty()) lines.erase(lines.begin());  // the rest of a line
  const bool is_long = file.size() > most_bytes || lines.size() > 2 * most_lines;
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
  if (is_long) shorten(path_, lines);
  return lines;
}

void HistoryFile::add(const std::string& line) {
  std::string kept = line;
  while (!kept.empty() && (kept.back() == '\n' || kept.back() == '\r')) kept.pop_back();
  if (kept.empty() || kept == last_ || kept.size() > longest_line || kept.find('\n') != std::string::npos) return;
  if (path_.empty()) return;
  make_folders(std::filesystem::path(path_).parent_path());
  const File file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return;
  if (file.write(kept + '\n')) last_ = kept;
}

}  // namespace primus_plan::app
