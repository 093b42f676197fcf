#include "backends/common/choices.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

// Context parallel: which attention can do it and how the load is balanced.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* cp_shard = "torchtitan/distributed/context_parallel.py:cp_shard";
constexpr const char* post_init = "torchtitan/config/job_config.py:__post_init__";

bool attention_can_split(Family family, std::string_view attention) {
  switch (family) {
    case Family::llama3:
      return attention != "varlen";
    case Family::llama4:
    case Family::deepseek_v3:
    case Family::qwen3:
      return attention == "sdpa";
    case Family::gpt_oss:
      return false;
    case Family::flux:
    case Family::other:
      return true;
  }
  return true;
}

void attention_without_context_parallel(const TorchTitanRun& run, Findings& out) {
  if (run.cp() <= 1 || run.parsed.flavor == nullptr || attention_can_split(run.family(), run.model().attention)) return;
  out.add(run.config.context_parallel_degree, [&](Message& m) {
    if (run.family() == Family::gpt_oss) {
      m.say("gpt_oss has no context parallelism, and context_parallel_degree is {}", run.cp());
    } else {
      m.say("{} with attn_type {} has no context parallelism, and context_parallel_degree is {}", model_text(run),
            run.model().attention, run.cp());
      m.help("model.attn_type: sdpa can split the sequence");
      m.also(run.config.model_attn_type);
    }
    m.help("or context_parallel_degree: 1");
    m.fix("set context_parallel_degree to 1", run.config.context_parallel_degree, "1");
  });
}

/// The words that the attention of a model is built from; empty where nothing is known of it.
/// Sources: torchtitan/models/*/model/model.py:Attention.__init__; gpt_oss always builds FlexAttention, and its forward
/// pass takes the masks that torchtitan/train.py:forward_backward_step makes for flex and varlen alone.
std::string_view attention_words(const TorchTitanRun& run) {
  switch (run.family()) {
    case Family::llama3:
    case Family::qwen3:
      return "sdpa|flex|varlen";
    case Family::deepseek_v3:
      // Primus's classic attention takes the place of the class.
      if (*run.config.enable_primus_turbo && *run.config.use_classic_attention) return {};
      return "sdpa|flex";
    case Family::llama4:
      return "sdpa|flex";
    case Family::gpt_oss:
      return "flex|varlen";
    case Family::flux:
    case Family::other:
      return {};
  }
  return {};
}

void attention_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& attention = run.config.model_attn_type;
  const std::string_view words = attention_words(run);
  if (!attention.is_explicit || words.empty() || run.parsed.flavor == nullptr || run.is_unreadable(attention.key))
    return;
  if (is_choice(words, *attention)) return;
  out.add(attention, [&](Message& m) {
    m.say("model.attn_type {} is none of {}, which {} has", quoted(*attention), join(split_choices(words), ", "),
          *run.config.model_name);
    m.because("the flavor has {}", run.parsed.flavor->architecture.attention);
    offer_word(m, attention, words);
  });
}

bool is_empty_text(const Word& word) { return (*word).data() != nullptr && (*word).empty(); }

void load_balancer_empty(const TorchTitanRun& run, Findings& out) {
  const Word& balancer = run.config.context_parallel_load_balancer;
  if (!is_empty_text(balancer)) return;
  out.add(balancer, [&](Message& m) {
    m.say("context_parallel_load_balancer is an empty string, which is refused even without CP");
    m.help("null switches the load balancer off; headtail is the default");
    m.fix("set context_parallel_load_balancer to null", balancer, "null");
  });
}

bool balances(const TorchTitanRun& run) {
  return run.cp() > 1 && run.parsed.model != nullptr && run.family() != Family::flux;
}

void load_balancer_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& balancer = run.config.context_parallel_load_balancer;
  const std::string_view name = *balancer;
  if (!balances(run) || name.empty() || name == "headtail" || name == "ptrr") return;
  out.add(balancer, [&](Message& m) {
    m.say("context_parallel_load_balancer {} is none of headtail, ptrr, null", quoted(name));
    offer_word(m, balancer, "headtail|ptrr");
  });
}

void ptrr_without_flex(const TorchTitanRun& run, Findings& out) {
  const Word& balancer = run.config.context_parallel_load_balancer;
  if (!balances(run) || *balancer != "ptrr" || run.parsed.flavor == nullptr) return;
  if (!attention_can_split(run.family(), run.model().attention)) return;
  if (run.family() == Family::llama3 && run.model().attention == "flex") return;
  out.add(balancer, [&](Message& m) {
    m.say("context_parallel_load_balancer ptrr needs the block mask of FlexAttention, and attn_type is {}",
          run.model().attention);
    m.help("context_parallel_load_balancer: headtail");
    m.fix("set context_parallel_load_balancer to headtail", balancer, "headtail");
  });
}

void turbo_attention_under_context_parallel(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (run.cp() <= 1 || !*config.enable_primus_turbo || !*config.use_turbo_attention || !run.parsed.converters.turbo)
    return;
  if (run.parsed.flavor != nullptr && !attention_can_split(run.family(), run.model().attention)) return;
  out.add(config.context_parallel_degree, [&](Message& m) {
    m.say(
        "context_parallel_degree {} with Primus-Turbo attention: CP splits the dimension that turbo attention keeps "
        "heads in",
        run.cp());
    m.because(
        "CP's hooks expect (batch, heads, sequence, head), turbo attention works on (batch, sequence, heads, head)");
    m.also(config.use_turbo_attention).also(config.model_converters);
    m.help("primus_turbo.use_turbo_attention: false and no primus_turbo converter");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT611",
      .name = "attention-without-context-parallel",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = "torchtitan/models/deepseek_v3/model/args.py:update_from_config",
      .outcome = "TorchTitan stops (NotImplementedError)",
      .summary = "Context parallelism needs an attention that can split the sequence.",
      .explanation = "llama3 splits sdpa and flex; llama4, deepseek_v3 and qwen3 sdpa only; gpt_oss nothing. "
                     "deepseek_v3 16B, 236B and 671B and the irope flavors of llama4 are flex, so they need "
                     "model.attn_type: sdpa for CP.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n  converters: []\nparallelism:\n"
                      "  context_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n  converters: []\n  attn_type: sdpa\n"
                       "parallelism:\n  context_parallel_degree: 2\n"}},
     attention_without_context_parallel},
    {{.id = "TT612",
      .name = "load-balancer-empty",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = post_init,
      .outcome = "TorchTitan stops when it builds its configuration (ValueError)",
      .summary = "context_parallel_load_balancer is no empty string.",
      .explanation = "null is the word for no load balancer.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  context_parallel_load_balancer: ''\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  context_parallel_load_balancer: null\n"}},
     load_balancer_empty},
    {{.id = "TT613",
      .name = "load-balancer-unknown",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = cp_shard,
      .outcome = "the first step stops (ValueError)",
      .summary = "With CP, context_parallel_load_balancer is headtail, ptrr or null.",
      .explanation = "Upper and lower case differ. Without CP nobody looks.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n"
                      "  context_parallel_degree: 2\n  context_parallel_load_balancer: zigzag\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n"
                       "  context_parallel_degree: 2\n  context_parallel_load_balancer: headtail\n"}},
     load_balancer_unknown},
    {{.id = "TT614",
      .name = "ptrr-without-flex-attention",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = cp_shard,
      .outcome = "the first step stops (ValueError)",
      .summary = "The load balancer ptrr needs FlexAttention.",
      .explanation = "It balances by the block mask, which only a flex flavor of llama3 has in a form that CP "
                     "takes.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n"
                      "  context_parallel_degree: 2\n  context_parallel_load_balancer: ptrr\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B_flex\n  converters: []\nparallelism:\n"
                       "  context_parallel_degree: 2\n  context_parallel_load_balancer: ptrr\n"}},
     ptrr_without_flex},
    {{.id = "TT615",
      .name = "turbo-attention-with-context-parallel",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "primus/backends/torchtitan/patches/turbo/attention_patches.py:patch_turbo_attention",
      .outcome = "the run goes on with attention over the wrong dimension, or stops in the first step",
      .summary = "Primus-Turbo attention and context parallelism disagree on the layout.",
      .explanation = "Primus's preset switches turbo attention on through the primus_turbo converter. CP's hooks "
                     "shard dimension 2 of the inputs of the inner attention. No example of Primus combines the "
                     "two.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [primus_turbo]\nparallelism:\n"
                      "  context_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n"
                       "  context_parallel_degree: 2\nprimus_turbo:\n  use_turbo_attention: false\n"}},
     turbo_attention_under_context_parallel},
    {{.id = "TT616",
      .name = "attention-type-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/model/model.py:__init__",
      .outcome = "TorchTitan stops when it builds the attention (ValueError), gpt_oss in the first forward pass "
                 "(TypeError)",
      .summary = "model.attn_type is an attention that the model has.",
      .explanation = "llama3 and qwen3: sdpa, flex, varlen. llama4 and deepseek_v3: sdpa, flex. gpt_oss has "
                     "FlexAttention alone, whose masks are made for flex and varlen. Upper and lower case differ. "
                     "flash is no word of its own: sdpa takes the fastest kernel that torch has.",
      .bad = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\n  attn_type: flash\n"},
      .good = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\n  attn_type: flex\n"}},
     attention_unknown},
};

}  // namespace

RuleList attention_rules() { return rules; }

}  // namespace primus_plan::torchtitan
