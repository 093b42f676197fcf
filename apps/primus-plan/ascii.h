#pragma once

#include <string>
#include <string_view>

namespace primus_plan::app {

/// Whether the locale in the environment asks for something else than UTF-8: LC_ALL, LC_CTYPE or LANG, the first that
/// is set, names no UTF-8 (LANG=C). None set: UTF-8, as in most containers and CI logs.
bool is_plain_locale();

/// The text with the arrows, bars and lines that this program draws in ASCII. What users wrote stays as it is.
std::string to_ascii(std::string_view text);

}  // namespace primus_plan::app
