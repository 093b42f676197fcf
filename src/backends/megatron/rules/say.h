#pragma once

#include <string_view>

#include "backends/common/say.h"
#include "backends/megatron/run.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::megatron {

/// Phrases of Megatron that several rules share. All of them are made only when somebody reads the text.

/// "nearest world sizes that mend this: 16, 32": around the asked one.
void help_with_worlds(Message& message, const MegatronRun& run);

/// "pipeline_model_parallel_size that divides 24: 1, 2, 4": into so many `parts`, and `most` at most.
void help_with_pipeline_sizes(Message& message, const MegatronRun& run, Int parts, Int most);

/// How DP came about: "DP 16 = world 64 / (TP 4 x PP 1 x CP 1)".
void because_of_dp(Message& message, const MegatronRun& run);

/// "expert DP 2 = world 64 / (ETP 1 x EP 8 x PP 4)".
void because_of_expert_dp(Message& message, const MegatronRun& run);

/// The keys that ask for several model chunks a rank, as far as they hold something.
void also_chunk_keys(Message& message, const MegatronRun& run);

/// decoder_first_pipeline_num_layers and decoder_last_pipeline_num_layers, likewise.
void also_uneven_ends(Message& message, const MegatronRun& run);

/// The word as written, or "null".
inline std::string_view or_null(const Word& word) { return word.value.data() == nullptr ? "null" : *word; }

}  // namespace primus_plan::megatron
