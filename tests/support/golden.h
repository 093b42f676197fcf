#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace primus_plan::test {

/// Expects a text to be, byte for byte, the file tests/golden/`name`. With UPDATE_GOLDEN=1 in the environment the file
/// is rewritten instead.
void expect_golden(std::string_view name, const std::string& text);

/// The same for a file anywhere below the source tree.
void expect_file(const std::filesystem::path& name, const std::string& text);

}  // namespace primus_plan::test
