#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/estimate/memory.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// One published measurement of a training run. Numbers that the publication does not state are 0; texts are empty.
struct MeasuredRow {
  std::string id;
  std::string source;  ///< publication
  std::string gpu;     ///< as a hardware file names it, or nearly: "H100", "A100-80", "MI300X"
  std::string framework;
  std::string model;
  std::string precision;    ///< BF16, FP16, FP8 (with a recipe: FP8-CS, FP8-MX, MXFP8), NVFP4
  std::string recompute;    ///< none, full, selective(...), module names; "?" or empty: not stated
  std::string state;        ///< column opt_shard: how optimizer states are sharded
  std::string schedule;     ///< of the pipeline
  std::string balance;      ///< column moe_balance: forced, capacity and so on
  std::string memory_kind;  ///< how `memory_gib` was read
  std::string note;
  double gpu_memory_gib = 0;  ///< that the framework sees
  std::int64_t gpus = 0;
  std::int64_t layers = 0, hidden = 0, ffn = 0, heads = 0, kv_heads = 0, head_width = 0, vocabulary = 0;
  std::int64_t experts = 0, experts_per_token = 0, expert_ffn = 0, shared_ffn = 0, leading_dense_layers = 0;
  std::int64_t q_rank = 0, kv_rank = 0;
  bool gated = false;
  bool tied = false;
  bool latent_attention = false;
  bool sequence_parallel = false;
  bool states_sequence_parallel = false;  ///< whether the publication says so at all
  /// `fsdp` is the size of the sharding group; `data` excludes the context-parallel ranks.
  std::int64_t tensor = 0, pipeline = 0, context = 0, expert = 0, expert_tensor = 0, virtual_pipeline = 0, data = 0,
               fsdp = 0;
  std::int64_t micro_batch = 0, global_batch = 0, accumulation_steps = 0, sequence_length = 0;
  double tokens_per_second_per_gpu = 0;
  double tflops_per_gpu = 0;
  double step_seconds = 0;
  double mfu_percent = 0;
  double memory_gib = 0;
  bool complete = false;  ///< usable without a guess, in the eyes of who collected it
};

/// Reads a table of measurements: CSV (RFC 4180) whose first line names the columns, in any order: id, source, gpu,
/// gpu_mem_gib, gpus, framework, model, layers, hidden, ffn, heads, kv_heads, head_dim, vocab, swiglu, tied, experts,
/// topk, moe_ffn, shared_ffn, dense_first, mla, q_lora, kv_lora, tp, pp, cp, ep, etp, vpp, dp, fsdp, mbs, gbs, ga, seq,
/// precision, recompute, seq_parallel, opt_shard, schedule, moe_balance, tok_s_gpu, tflops_gpu, iter_s, mfu_pct,
/// mem_gib, mem_kind, complete, note. Columns of other names are ignored, absent ones and cells that are no number are
/// 0.
std::vector<MeasuredRow> read_measured(std::string_view csv);

/// What is wrong with such a table, as a sentence with the line: no rows, columns that estimates cannot do without
/// missing from the first line, a column named twice, a row with more or fewer cells, a quote that is never closed, a
/// number that is none, is negative or above 2e9. Nothing for a table that read_measured takes as it is meant.
std::optional<std::string> fault_of_measured(std::string_view csv);

/// The published measurements that the estimates are judged by, as CSV.
std::string_view published_measurements();

/// The run that a row describes, by what its framework does where the publication is silent: Megatron and its kin keep
/// Transformer Engine's placeholder gradients and the distributed optimizer; TorchTitan, AutoModel and Composer shard
/// fp32 weights (FSDP); MaxText is compiled by XLA. `unknown` names what is neither stated nor known. No rule looks at
/// the name of a source or a model.
Workload workload_of_row(const MeasuredRow& row);

/// What the estimate says of the figure that a row publishes, in bytes: allocated, reserved or device memory, XLA's own
/// plan, or the parts of a stage that a formula was published for (states, activations: of layers alone, without the
/// ends of the model). Nothing when the row has no memory figure or facts are missing.
std::optional<MemoryRange> estimate_of_row(const MeasuredRow& row, const Workload& workload);

}  // namespace primus_plan
