#pragma once

#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// Latent attention has no key/value heads to cut.
inline bool has_key_heads(const MaxTextRun& run) {
  return *run.config.attention_type != "mla" && *run.config.attention_type != "compressed";
}

/// Whether the tensor axes split the key/value heads: MX601 is silent about the model's own.
inline bool key_heads_split(const MaxTextRun& run) {
  const Int shards = run.mesh.shards(run.mesh.logical.key_heads);
  return shards <= 1 || !has_key_heads(run) || run.model.key_heads <= 0 || run.model.key_heads % shards == 0;
}

}  // namespace primus_plan::maxtext
