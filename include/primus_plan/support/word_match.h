#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace primus_plan {

/// At most `max` candidates that have every word of `name`, in its order, as the beginning of a word of theirs: words
/// are set apart by _ - . and /, and upper and lower case count as equal. "tensor_parallel" is found in
/// tensor_model_parallel_size, "llama3" in llama3.1_8B. The shortest first; equals keep the candidates' order.
std::vector<std::string_view> names_with_words(std::string_view name, std::span<const std::string_view> candidates,
                                               std::size_t max);

}  // namespace primus_plan
