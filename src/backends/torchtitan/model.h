#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "primus_plan/config/fields.h"

namespace primus_plan::torchtitan {

/// The model families that TorchTitan trains; `other` is one of its experiments, of which no facts are known.
enum class Family : std::uint8_t { llama3, llama4, deepseek_v3, qwen3, gpt_oss, flux, other };

/// Routing of a mixture of experts. Source: torchtitan/models/moe/moe.py:MoEArgs, whose defaults these are.
struct Experts {
  Int count = 8;
  Int shared = 1;
  Int top_k = 1;
  Int groups = 0;          ///< num_expert_groups; 0 = unset
  Int limited_groups = 0;  ///< num_limited_groups; 0 = unset
  std::string_view score_func = "sigmoid";
  bool route_norm = false;
  double route_scale = 1;
  bool gate_bias = false;
  bool score_before_experts = true;
  bool use_grouped_mm = true;
  double load_balance_coeff = 1e-3;  ///< null, which switches it off, is not told apart
};

/// The architecture that `model.name` and `model.flavor` stand for. 0 = the family has no such number.
struct Architecture {
  Int dim = 0;
  Int layers = 0;
  Int heads = 0;
  Int kv_heads = 0;  ///< 0 = one for each head
  Int head_dim = 0;  ///< 0 = dim / heads
  Int vocab = 0;
  Int ffn_dim = 0;            ///< of dense layers; 0 = from `multiple_of` and `ffn_multiplier`
  Int multiple_of = 0;        ///< llama: the hidden size is rounded up to a multiple of this
  double ffn_multiplier = 1;  ///< llama: ffn_dim_multiplier
  Int max_seq_len = 0;        ///< longest sequence without a warning
  std::string_view attention = "sdpa";
  bool tied_embeddings = false;
  bool moe = false;
  Experts experts;
  Int expert_dim = 0;    ///< moe_inter_dim
  Int dense_layers = 0;  ///< deepseek_v3: leading layers without experts
  Int moe_every = 1;     ///< llama4: interleave_moe_layer_step
  Int q_lora_rank = 0;   ///< multi-head latent attention
  Int kv_lora_rank = 0;
  Int qk_nope_head_dim = 0;
  Int qk_rope_head_dim = 0;
  Int v_head_dim = 0;
};

/// One size of a model: what model.flavor names.
struct Flavor {
  std::string_view name;
  Architecture architecture;
};

/// What TorchTitan v0.2.2 registers under one `model.name`.
struct Model {
  Family family = Family::other;
  std::string_view name;
  std::string_view arguments_class;  ///< "TransformerModelArgs", as its messages call it
  std::span<const Flavor> flavors;
  std::span<const std::string_view> fields;  ///< keys of `model:` that override the architecture
  bool pipelines = false;                    ///< has a pipelining function
  bool validates = false;                    ///< has a validator
};

/// Every model with facts. Sources: torchtitan/models/*/__init__.py (flavors, train specs), */model/args.py (fields and
/// their defaults).
std::span<const Model> models();
/// The model of this name; null when TorchTitan's registry has none or it is one of the experiments.
const Model* find_model(std::string_view name);
/// Whether the name is one of torchtitan/experiments/__init__.py, which run but of which no facts are known here.
bool is_experiment(std::string_view name);
const Flavor* find_flavor(const Model& model, std::string_view flavor);

/// deepseek_v3 with `primus_turbo.use_classic_attention`: grouped-query attention in place of the latent one. Null for
/// flavors that Primus does not replace.
/// Source: primus/backends/torchtitan/models/deepseek_v3/__init__.py.
struct ClassicHeads {
  std::string_view flavor;
  Int heads;
  Int kv_heads;
  Int head_dim;
};
const ClassicHeads* find_classic_heads(std::string_view flavor);

/// Fields of MoEArgs, which `model.moe_args` replaces as a whole.
std::span<const std::string_view> moe_fields();

}  // namespace primus_plan::torchtitan
