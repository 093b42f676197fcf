#pragma once

#include <string_view>
#include <vector>

namespace primus_plan {

/// Each choice of "a|b|c", in order. Tables of the backends write choices so; a leading | allows the empty text.
std::vector<std::string_view> split_choices(std::string_view choices);
/// Whether one of the choices is this word.
bool is_choice(std::string_view choices, std::string_view word);

}  // namespace primus_plan
