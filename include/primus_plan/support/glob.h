#pragma once

#include <string_view>

namespace primus_plan {

/// Whether a relative path ("exp/70b/a.yaml") lies under a pattern, read as .gitignore reads one: `*` and `?` stay
/// inside a name, `**` crosses folders, `[abc]` and `[!a-z]` are sets. A pattern without a slash matches a name at any
/// depth; one with a slash starts at the top. A pattern that matches a folder holds for everything below it.
bool matches_glob(std::string_view pattern, std::string_view path);

}  // namespace primus_plan
