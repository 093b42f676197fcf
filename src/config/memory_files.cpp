#include <filesystem>

#include "primus_plan/config/files.h"

namespace primus_plan {
namespace {

/// "a/./b/../c" and "a/c" name one file.
std::string normal(const std::string& path) {
  std::string result = std::filesystem::path(path).lexically_normal().generic_string();
  while (result.size() > 1 && result.back() == '/') result.pop_back();
  return result.empty() ? "." : result;
}

}  // namespace

std::optional<std::string> MemoryFiles::read(const std::string& path, ReadFailure& failure) const {
  if (const auto found = files_.find(path); found != files_.end()) return found->second;
  const std::string wanted = normal(path);
  for (const auto& [name, text] : files_) {
    if (normal(name) == wanted) return text;
  }
  failure = exists(path) ? ReadFailure{"it is a folder", false} : ReadFailure{"no such file", true};
  return std::nullopt;
}

bool MemoryFiles::exists(const std::string& path) const {
  if (files_.find(path) != files_.end()) return true;
  const std::string wanted = normal(path);
  if (wanted == ".") return true;
  const std::string folder = wanted == "/" ? wanted : wanted + "/";
  for (const auto& [name, text] : files_) {
    const std::string present = normal(name);
    if (present == wanted || present.compare(0, folder.size(), folder) == 0) return true;
  }
  return false;
}

}  // namespace primus_plan
