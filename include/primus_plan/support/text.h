#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into another (optimal string
/// alignment), counted in bytes; `cutoff` + 1 as soon as it is known to be more than `cutoff`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t cutoff);

/// At most `max` candidates that look like a misspelling of `word` (upper and lower case count as equal), best first;
/// equals keep the candidates' order. About one slip in three letters is forgiven.
std::vector<std::string_view> nearest_names(std::string_view word, std::span<const std::string_view> candidates,
                                            std::size_t max);

/// "a, b, c".
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

/// The text with "1 GPUs" made "1 GPU", for the nouns that messages count: sentences are written for many.
std::string one_is_singular(std::string text);
/// Whether two texts are the same but for upper and lower case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The text with everything that could steer a terminal made visible: control characters (C0, DEL, C1), line and
/// paragraph separators and bidirectional controls become \n, \t, \x1b or \u202e; bytes that are no UTF-8 become \xff.
std::string escape_controls(std::string_view text);

/// Columns that UTF-8 text takes on a terminal: combining marks 0, East Asian wide characters and emoji 2, others 1.
/// Bytes that are no UTF-8 count 1 each. Control characters count 0: escape them first.
std::size_t display_width(std::string_view text);

}  // namespace primus_plan
