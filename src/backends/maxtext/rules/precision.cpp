#include <algorithm>
#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "support/lower_case.h"

namespace primus_plan::maxtext {
namespace {

/// Source: src/maxtext/layers/nnx_decoders.py:get_remat_policy.
constexpr std::array<std::string_view, 16> remat_policies{"none",
                                                          "minimal",
                                                          "minimal_with_context",
                                                          "minimal_flash",
                                                          "minimal_with_quantization",
                                                          "minimal_with_context_and_quantization",
                                                          "save_dot_with_context_except_mlp",
                                                          "save_dot_except_mlpwi",
                                                          "save_dot_except_mlp",
                                                          "save_qkv_proj",
                                                          "qkv_proj_offloaded",
                                                          "minimal_offloaded",
                                                          "custom",
                                                          "save_out_proj",
                                                          "full",
                                                          ""};

/// Attention kernels with a path of their own. Source: src/maxtext/layers/attention_op.py.
constexpr std::array<std::string_view, 8> attentions{"autoselected",    "dot_product", "flash",    "cudnn_flash_te",
                                                     "cudnn_flash_jax", "paged",       "vllm_rpa", "vllm_batched_rpa"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void remat_policy_unknown(const MaxTextRun& run, Findings& out) {
  const Word& policy = run.config.remat_policy;
  if (policy.value.data() == nullptr || (!policy.value.empty() && is_in(remat_policies, *policy))) return;
  out.add(policy, [&](Message& m) {
    m.say("remat_policy: {:.60} is no policy of MaxText", *policy);
    offer_word(m, policy, remat_policies);
    m.help("full recomputes everything and needs the least memory, minimal_with_context keeps matrix products");
  });
}

void attention_unknown(const MaxTextRun& run, Findings& out) {
  const Word& attention = run.config.attention;
  if (is_in(attentions, *attention)) return;
  out.add(attention, [&](Message& m) {
    m.say("attention: {:.60} is no kernel of MaxText", *attention);
    offer_word(m, attention, attentions);
    m.help("cudnn_flash_te is Transformer Engine's, which Primus's preset uses");
  });
}

bool equal_lower(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, [](char c) { return lower_case(c); });
}

void collective_gemm(const MaxTextRun& run, Findings& out) {
  const Word& policy = run.config.te_comm_gemm_overlap;
  if (equal_lower(*policy, "disabled")) return;
  const bool known = equal_lower(*policy, "mlp") || equal_lower(*policy, "full");
  out.add(policy, [&](Message& m) {
    if (known) {
      m.say("te_comm_gemm_overlap: {} needs one process for each GPU, Primus starts one for each node", *policy);
      m.because("it demands hardware: gpu_multiprocess, tensor_sequence above 1, tensor 1 and a te_ quantization");
      m.fix("set te_comm_gemm_overlap to disabled", policy, "disabled");
    } else {
      m.say("te_comm_gemm_overlap: {:.60} is none of disabled, mlp, full", *policy);
      offer_word(m, policy, "disabled|mlp|full");
    }
  });
}

/// Names of types that jax.numpy.dtype knows, as far as Adam's moments may have them.
constexpr std::array<std::string_view, 13> float_types{
    "bfloat16", "float16", "float32", "float64", "float", "double", "half", "single", "f2", "f4", "f8", "e", "d"};

void moment_type_unknown(const MaxTextRun& run, Findings& out) {
  const Word& type = run.config.mu_dtype;
  if (type.value.empty() || is_in(float_types, *type) || type.value.starts_with("float8_")) return;
  if (*run.config.opt_type != "adamw") return;
  out.add(type, [&](Message& m) {
    m.say("mu_dtype: {:.60} is no type of JAX", *type);
    offer_word(m, type, "bfloat16|float32");
    m.help("bfloat16, float32, or empty for that of the weights");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX701",
      .name = "remat-policy-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "src/maxtext/layers/nnx_decoders.py:get_remat_policy",
      .outcome = "MaxText stops when it builds the decoder (AssertionError)",
      .summary = "remat_policy is a policy that MaxText has.",
      .explanation = "The key takes any text; the decoder looks it up. full recomputes each layer, the save_ and "
                     "minimal_ policies keep some tensors, custom decides tensor by tensor.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nremat_policy: selective\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nremat_policy: minimal_with_context\n"}},
     remat_policy_unknown},
    {{.id = "MX702",
      .name = "attention-kernel-unknown",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/layers/attention_op.py:apply_attention",
      .outcome = "MaxText stops at the first trace (ValueError)",
      .summary = "attention names a kernel that MaxText has.",
      .explanation = "The key takes any text; the attention looks it up when it is traced.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nattention: cudnn_flash\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nattention: cudnn_flash_te\n"}},
     attention_unknown},
    {{.id = "MX703",
      .name = "collective-gemm-needs-process-per-gpu",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:_validate_te_comm_gemm_overlap",
      .outcome = sites::config_error,
      .summary = "te_comm_gemm_overlap stays disabled under Primus.",
      .explanation = "Transformer Engine's collective products need one process for each GPU. Primus's launcher starts "
                     "one for each node.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nte_comm_gemm_overlap: full\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\n"}},
     collective_gemm},
    {{.id = "MX707",
      .name = "moment-type-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "src/maxtext/optimizers/optimizers.py:get_optimizer",
      .outcome = "JAX stops when the optimizer's state is made (TypeError)",
      .summary = "mu_dtype names a type that JAX has.",
      .explanation = "The key takes any text, unlike weight_dtype and dtype; Optax makes a type of it for Adam's first "
                     "moment.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmu_dtype: bf16\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmu_dtype: bfloat16\n"}},
     moment_type_unknown},
};

}  // namespace

RuleList precision_rules() { return rules; }

}  // namespace primus_plan::maxtext
