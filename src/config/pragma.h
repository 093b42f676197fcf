#pragma once

#include <string_view>

#include "primus_plan/config/document.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/run/launch.h"

namespace primus_plan {

/// Reads the comments `# primus-plan: …` of lines [first, last] (1-based). Words are `world-size=N`, `nodes=N` and
/// `gpus-per-node=N` and
/// `hardware=PART` (see stated_hardware), set apart by spaces or commas; `ignore[…]` and what follows it are
/// find_ignores' to read. The first line with a size counts; whatever is not understood is a remark (CF213).
Pragma find_pragma(const Source& source, std::uint32_t first, std::uint32_t last, Remarks& remarks);

/// "world-size=12 does not fit nodes=3: 12 ranks take 2 nodes of 8 GPUs": what of a pragma contradicts itself; empty
/// when nothing does. Nodes have 8 GPUs unless it says otherwise or the world can be split evenly.
std::string contradiction(const Pragma& pragma);

/// A whole number from 1 to largest_launch without sign or spaces; nothing for any other text.
std::optional<std::int64_t> parse_launch_size(std::string_view text);

}  // namespace primus_plan
