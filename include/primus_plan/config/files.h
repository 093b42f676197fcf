#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// Why a file could not be read, in words for a message: "no such file", "is a directory", …
struct ReadFailure {
  std::string reason;
  bool missing = false;    ///< there is nothing at that path
  bool too_large = false;  ///< it is there, with more bytes than the reader takes
};

/// The one seam to the file system. Reading is bounded: only regular files (or pipes given as "-") up to a size limit.
class FileReader {
 public:
  virtual ~FileReader() = default;
  /// The bytes of the file, or `failure` filled in.
  virtual std::optional<std::string> read(const std::string& path, ReadFailure& failure) const = 0;
  /// Whether a regular file or a folder is there.
  virtual bool exists(const std::string& path) const = 0;
  /// Names of the files in a folder and below it, relative to it and sorted; for suggestions. Empty when it cannot be
  /// listed.
  virtual std::vector<std::string> list(const std::string& folder) const;
};

/// Files on disk. Refuses folders, FIFOs, devices and files over `max_bytes` without waiting on them.
class DiskFiles final : public FileReader {
 public:
  static constexpr std::size_t default_max_bytes = 16U << 20U;
  explicit DiskFiles(std::size_t max_bytes = default_max_bytes) : max_bytes_(max_bytes) {}
  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override;

 private:
  std::size_t max_bytes_;
};

/// Files in memory, for tests, examples of rules and editors.
class MemoryFiles final : public FileReader {
 public:
  void put(std::string path, std::string text) { files_[std::move(path)] = std::move(text); }
  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

}  // namespace primus_plan
