#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace primus_plan {

/// The one word of a closed set that a mistyped one clearly stands for; nothing when none is clear, so that an edit may
/// put it in the other's place. In this order: the same letters and digits but for case, dashes, underscores, pluses
/// and spaces; another name of the same number type (fp32 and float32, bf16 and bfloat16, fp16 and float16); the
/// nearest by edit distance (a slip in three letters, first letter and digits the same, no other as near); the only one
/// that begins with it (three letters at least). Of two words that do, neither is clear.
std::optional<std::string_view> meant_word(std::string_view word, std::span<const std::string_view> words);

}  // namespace primus_plan
