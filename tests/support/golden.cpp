#include "support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/paths.h"

namespace primus_plan::test {

void expect_golden(std::string_view name, const std::string& text) {
  expect_file(std::filesystem::path("tests") / "golden" / name, text);
}

void expect_file(const std::filesystem::path& name, const std::string& text) {
  const std::filesystem::path path = source_dir() / name;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing: ./dev golden writes it";
  const std::string expected((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, expected) << "differs from " << path << "; ./dev golden rewrites it";
}

}  // namespace primus_plan::test
