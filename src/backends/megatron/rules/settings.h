#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// Small questions about settings that rules of several topics ask. No allocation, no text.

/// Python's truth of a string option: neither null nor empty.
inline bool is_set(const Word& word) { return !word.value.empty(); }

/// Whether a list option names this item. A scalar string is no list: Megatron never splits one.
inline bool lists(const Raw& list, std::string_view item) {
  if (list.value == nullptr || !list.value->is_sequence()) return false;
  const auto& items = list.value->items;
  return std::any_of(items.begin(), items.end(),
                     [&](const NodePtr& node) { return node->is_string() && node->text == item; });
}

/// recompute_layer_ids is in use: Primus then hides recompute_granularity from TransformerConfig's own checks.
/// Source: primus/backends/megatron/patches/recompute_layer_patches.py:new_post_init.
inline bool picks_recompute_layers(const MegatronRun& run) { return run.given.recompute_layer_ids.value != nullptr; }

/// The granularity that TransformerConfig's recompute checks see: after recompute_activations, before
/// moe_layer_recompute (which the same function applies later), null where recompute_layer_ids hides it.
inline std::string_view checked_granularity(const MegatronRun& run) {
  if (picks_recompute_layers(run)) return {};
  return *run.given.recompute_activations ? std::string_view("selective") : *run.given.recompute_granularity;
}

/// Whole layers are recomputed by count, as recompute_method and recompute_num_layers say.
inline bool recomputes_by_count(const MegatronRun& run, std::string_view method) {
  return checked_granularity(run) == "full" && *run.config.recompute_method == method &&
         run.config.recompute_num_layers.value.has_value();
}

/// Selective recompute is on when TransformerConfig looks at recompute_modules.
inline bool recomputes_modules(const MegatronRun& run) { return checked_granularity(run) == "selective"; }

/// One of the recompute_modules; null stands for [core_attn].
inline bool recomputes_module(const MegatronRun& run, std::string_view module) {
  if (run.given.recompute_modules.value == nullptr) return module == "core_attn";
  return lists(run.given.recompute_modules, module);
}

inline bool has_cuda_graphs(const MegatronRun& run) { return *run.config.cuda_graph_impl != "none"; }

/// Checkpoints go through torch.distributed.checkpoint. Source: megatron/training/arguments.py:validate_args.
inline bool has_distributed_checkpoints(const MegatronRun& run) { return *run.config.ckpt_format != "torch"; }

/// Training is counted in iterations, not in samples. Source: megatron/training/training.py:
/// get_optimizer_param_scheduler.
inline bool by_iterations(const MegatronRun& run) { return run.config.train_iters.value.value_or(0) != 0; }

/// The step after which the first checkpoint is written; nothing where none is, or the length of training is not known.
/// The last step saves too, but for Primus's disable_last_saving. Sources: megatron/training/training.py:
/// checkpoint_and_decide_exit, pretrain; primus/backends/megatron/patches/checkpoint_patches.py.
inline std::optional<Int> first_checkpoint(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  const Int interval = config.save_interval.value.value_or(0);
  Int last = config.train_iters.value.value_or(0);
  if (last == 0 && run.batch.global > 0) last = config.train_samples.value.value_or(0) / run.batch.global;
  if (!is_set(config.save) || interval <= 0 || last <= 0 || *config.skip_train) return std::nullopt;
  if (interval < last) return interval;
  return *config.disable_last_saving ? std::nullopt : std::optional(last);
}

}  // namespace primus_plan::megatron
