#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::test {

/// The lines of a file below the source tree.
std::vector<std::string> lines_of(const std::filesystem::path& name);

/// A page's lines with every ```console block made anew: its "$ primus-plan …" lines stay, each is run in the source
/// folder by a shell that finds this program, and what it prints on both outputs takes the place of what stood there.
std::vector<std::string> with_consoles_anew(const std::vector<std::string>& lines);

}  // namespace primus_plan::test
