#pragma once

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// Whether a size is a multiple of a degree; true where one of the two is not known.
inline bool divides(const MaybeCount& what, Int parts) { return !what.value || parts < 1 || *what.value % parts == 0; }

/// Whether TP splits the attention heads (MG630), the query groups (MG631) and the dense feed-forward layers (MG635).
inline bool heads_fit(const MegatronRun& run) { return divides(run.config.num_attention_heads, run.tp()); }
inline bool groups_fit(const MegatronRun& run) {
  const MaybeCount& groups = run.config.num_query_groups;
  if (!*run.config.group_query_attention || !groups.value || *groups.value < 1 || run.tp() < 1) return true;
  return *groups.value % run.tp() == 0 || run.tp() % *groups.value == 0;
}
inline bool ffn_fits(const MegatronRun& run) { return run.is_moe() || divides(run.config.ffn_hidden_size, run.tp()); }
inline bool tensor_fits_model(const MegatronRun& run) { return heads_fit(run) && groups_fit(run) && ffn_fits(run); }

}  // namespace primus_plan::megatron
