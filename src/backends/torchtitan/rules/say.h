#pragma once

#include <string>
#include <string_view>

#include "backends/common/say.h"
#include "backends/torchtitan/run.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::torchtitan {

/// Phrases of TorchTitan that several rules share. All of them are made only when somebody reads the text.

/// "nearest world sizes that the degrees divide: 16, 24": multiples of the smallest world around the asked one.
void help_with_worlds(Message& message, const TorchTitanRun& run);

/// How the shard degree came about: "data_parallel_shard_degree 4 = world 16 / (replicate 1 x CP 1 x TP 4 x PP 1)".
void because_of_shard(Message& message, const TorchTitanRun& run);

/// "data-parallel degree 8 = replicate 1 x shard 8".
void because_of_data_parallel(Message& message, const TorchTitanRun& run);

/// "llama3 8B": the model in the user's words.
std::string model_text(const TorchTitanRun& run);

/// Says how a value reaches the key as text from a token of the command line, where Primus reads numbers, true and
/// false for themselves and keeps quotes: inside a Python dict. False, and nothing said, for values from elsewhere.
/// Source: primus/core/utils/arg_utils.py:parse_cli_overrides.
bool help_with_token(Message& message, std::string_view key, std::string_view text, const Origin& where);

/// A value from the command line whose quotes have reached Primus and belong to it.
bool is_quoted_token(const Node& node);

/// "'a'", or "null".
std::string quoted(std::string_view text);

}  // namespace primus_plan::torchtitan
