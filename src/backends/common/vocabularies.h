#pragma once

#include <cstdint>
#include <string_view>

namespace primus_plan {

/// Rows of the embedding that a tokenizer's own models have: the published vocabulary, by the tokenizer's name as
/// `tokenizer_model` gives it ("meta-llama/Llama-3.1-8B"), the longest beginning that matches; 0 when it is none we
/// know. A tokenizer may have a few words less than the embedding has rows. Sources: vocab_size of the models' own
/// files in MaxText (configs/models) and TorchTitan (model args), and the published config.json where neither has one.
std::int64_t vocabulary_of(std::string_view tokenizer);

}  // namespace primus_plan
