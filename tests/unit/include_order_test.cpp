// The folders of the library stand in a row, and includes look only to the left: docs/architecture.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/paths.h"

namespace primus_plan {
namespace {

constexpr std::array<std::string_view, 8> order{"support", "diagnostics", "run",      "config",
                                                "layout",  "estimate",    "backends", "planner"};
constexpr std::array<std::string_view, 3> backends{"megatron", "torchtitan", "maxtext"};

struct Include {
  std::filesystem::path file;
  std::string folder;  ///< "config"; "backends/megatron" for what a backend owns
  std::string target;
};

/// "primus_plan/config/node.h", "backends/megatron/run.h" and their files' own paths: the first folder, or two of them
/// below backends/.
std::string folder_of(std::string_view path) {
  constexpr std::string_view prefix = "primus_plan/";
  if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
  const std::string_view first = path.substr(0, path.find('/'));
  if (first != "backends") return std::string(first);
  const std::string_view rest = path.substr(first.size() + 1);
  const std::string_view second = rest.substr(0, rest.find('/'));
  const bool owned = std::find(backends.begin(), backends.end(), second) != backends.end();
  return owned ? "backends/" + std::string(second) : std::string(first);
}

void collect(const std::filesystem::path& root, std::vector<Include>& out) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() != ".h" && file.extension() != ".cpp") continue;
    const std::string folder = folder_of(std::filesystem::relative(file, root).generic_string());
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      constexpr std::string_view start = "#include \"";
      if (line.starts_with(start)) {
        out.push_back({file, folder, folder_of(std::string_view(line).substr(start.size()))});
      }
    }
  }
}

std::vector<Include> all_includes() {
  std::vector<Include> out;
  collect(test::source_dir() / "include", out);
  collect(test::source_dir() / "src", out);
  return out;
}

/// Where a folder stands in the row; the end for report, lsp and session, which may see everything.
std::size_t place(std::string_view folder) {
  const auto* found = std::find(order.begin(), order.end(), folder.substr(0, folder.find('/')));
  return static_cast<std::size_t>(found - order.begin());
}

TEST(IncludeOrder, LooksOnlyToTheLeft) {
  const std::vector<Include> includes = all_includes();
  ASSERT_GT(includes.size(), 100U);
  for (const Include& include : includes) {
    EXPECT_LE(place(include.target), place(include.folder))
        << include.file << " belongs to " << include.folder << " and includes from " << include.target;
  }
}

TEST(IncludeOrder, BackendsDoNotKnowEachOther) {
  for (const Include& include : all_includes()) {
    const bool owned = include.target.starts_with("backends/");
    if (!owned || include.file.filename() == "registry.cpp") continue;
    EXPECT_EQ(include.target, include.folder) << include.file;
  }
}

TEST(IncludeOrder, OnlyConfigTouchesTheDisk) {
  for (const Include& include : all_includes()) {
    if (include.folder == "config") continue;
    std::ifstream text(include.file);
    for (std::string line; std::getline(text, line);) {
      for (const char* name :
           {"#include <filesystem>", "#include <fstream>", "#include <cstdio>", "DiskFiles", "getenv"}) {
        EXPECT_EQ(line.find(name), std::string::npos) << include.file << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace primus_plan
