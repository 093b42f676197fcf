#pragma once

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// What the rules about Primus-Turbo ask of a run. No allocation, no text.

/// turbo_sync_free_moe_stage: 0 is off, 1 to 3 switch on more and more; any integer may stand in a file.
inline Int sync_free_stage(const MegatronRun& run) {
  const Node* stage = run.given.turbo_sync_free_moe_stage.value;
  return stage != nullptr && stage->kind == Kind::integer ? stage->integer : 0;
}

/// Primus-Turbo's attention replaces Transformer Engine's.
inline bool turbo_attention(const MegatronRun& run) {
  return *run.config.enable_primus_turbo && *run.config.use_turbo_attention;
}

}  // namespace primus_plan::megatron
