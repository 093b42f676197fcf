#include "backends/common/choices.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

// model.moe_args, which replaces the routing of the flavor. Fields of a wrong type are the rules' of types.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* override_patch =
    "primus/backends/torchtitan/patches/model_override_patches.py:patched_get_train_spec";
constexpr const char* route = "torchtitan/models/moe/moe.py:forward";

/// The mapping, where it is one and the model has experts.
const Node* routing_of(const TorchTitanRun& run) {
  const Node* moe = run.config.model_moe_args.value;
  return moe != nullptr && moe->is_mapping() && run.parsed.flavor != nullptr && run.model().moe ? moe : nullptr;
}

void moe_field_unknown(const TorchTitanRun& run, Findings& out) {
  for (const StrayKey& key : run.parsed.keys.moe) {
    out.add(key.origin, [&](Message& m) {
      m.label("unknown field");
      m.say("{}: MoEArgs has no such field", key.path);
      if (!key.nearest.empty()) m.help("did you mean model.moe_args.{}?", key.nearest);
    });
  }
}

std::string value_text(std::string_view /*key*/, bool value) { return value ? "true" : "false"; }
std::string value_text(std::string_view /*key*/, double value) { return fmt::format("{}", value); }
std::string value_text(std::string_view /*key*/, std::string_view value) { return std::string(value); }
std::string value_text(std::string_view key, Int value) {
  return value == 0 && key.ends_with("_groups") ? std::string("null") : fmt::format("{}", value);
}

/// Visits fields that a mapping leaves out and whose value changes thereby: key, value before and after.
template <class Visit>
void for_each_lost_field(const Node& moe, const Experts& flavor, const Experts& now, const Visit& visit) {
  const auto compare = [&](std::string_view key, const auto& before, const auto& after) {
    if (before != after && moe.get(key) == nullptr) visit(key, before, after);
  };
  compare("num_experts", flavor.count, now.count);
  compare("num_shared_experts", flavor.shared, now.shared);
  compare("top_k", flavor.top_k, now.top_k);
  compare("num_expert_groups", flavor.groups, now.groups);
  compare("num_limited_groups", flavor.limited_groups, now.limited_groups);
  compare("score_func", flavor.score_func, now.score_func);
  compare("route_norm", flavor.route_norm, now.route_norm);
  compare("route_scale", flavor.route_scale, now.route_scale);
  compare("gate_bias", flavor.gate_bias, now.gate_bias);
  compare("score_before_experts", flavor.score_before_experts, now.score_before_experts);
}

void experts_replaced(const TorchTitanRun& run, Findings& out) {
  const Node* moe = routing_of(run);
  if (moe == nullptr) return;
  const Experts& flavor = run.parsed.flavor_experts;
  const Experts& now = run.model().experts;
  bool any = false;
  for_each_lost_field(*moe, flavor, now, [&](std::string_view, const auto&, const auto&) { any = true; });
  if (!any) return;
  out.add(run.config.model_moe_args, [&](Message& m) {
    std::vector<std::string> lost;
    for_each_lost_field(*moe, flavor, now, [&](std::string_view key, const auto& before, const auto& after) {
      lost.push_back(fmt::format("{} {} -> {}", key, value_text(key, before), value_text(key, after)));
    });
    m.say("model.moe_args replaces all of the flavor's routing, not only what it lists: {}", join(lost, ", "));
    m.help("list every field of moe_args that should stay as {} has it", model_text(run));
  });
}

void top_k_above_experts(const TorchTitanRun& run, Findings& out) {
  const Node* moe = routing_of(run);
  const Experts& experts = run.model().experts;
  if (moe == nullptr || (experts.top_k <= experts.count && experts.top_k >= 0)) return;
  const Node* top_k = moe->get("top_k");
  out.add(top_k != nullptr ? top_k->origin : run.config.model_moe_args.origin, [&](Message& m) {
    if (experts.top_k < 0) {
      m.say("model.moe_args.top_k is {}: a token goes to 1 expert or more", experts.top_k);
    } else {
      m.say("model.moe_args.top_k {} is more than its {} experts", experts.top_k, experts.count);
    }
    if (moe->get("num_experts") == nullptr) m.because("num_experts is not listed and falls back to {}", experts.count);
    m.help("top_k from 1 to {}; {} has {} of {}", experts.count, model_text(run), run.parsed.flavor_experts.top_k,
           run.parsed.flavor_experts.count);
  });
}

void score_function_unknown(const TorchTitanRun& run, Findings& out) {
  constexpr std::string_view words = "sigmoid|softmax";
  const Node* moe = routing_of(run);
  const Node* word = moe != nullptr ? moe->get("score_func") : nullptr;
  if (word == nullptr || !(word->is_string() || word->is_null()) || is_choice(words, word->text)) return;
  out.add(word->origin, [&](Message& m) {
    m.say("model.moe_args.score_func {} is neither sigmoid nor softmax",
          word->is_null() ? std::string("null") : quoted(word->text));
    m.help("{} has {}", model_text(run), run.parsed.flavor_experts.score_func);
    offer_word(m, *word, split_choices(words));
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT412",
      .name = "routing-top-k-above-experts",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = route,
      .outcome = "the first forward pass stops (RuntimeError in topk)",
      .summary = "A token goes to no more experts than there are.",
      .explanation = "model.moe_args replaces the flavor's routing as a whole: a top_k without num_experts picks "
                     "from 8 experts, one that is left out is 1.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n  moe_args: {num_experts: 16, top_k: 17}\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n  moe_args: {num_experts: 16, top_k: 2}\n"
                       "training:\n  seq_len: 2048\n"}},
     top_k_above_experts},
    {{.id = "TT413",
      .name = "score-function-unknown",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = route,
      .outcome = "the first forward pass stops (NotImplementedError)",
      .summary = "model.moe_args.score_func is sigmoid or softmax.",
      .explanation = "It makes a token's scores of the router's output. Upper and lower case differ.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n"
                      "  moe_args: {num_experts: 16, score_func: relu}\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n"
                       "  moe_args: {num_experts: 16, score_func: softmax}\ntraining:\n  seq_len: 2048\n"}},
     score_function_unknown},
    {{.id = "TT804",
      .name = "moe-field-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = override_patch,
      .outcome = "Primus stops (ValueError)",
      .summary = "Keys below model.moe_args are fields of MoEArgs.",
      .explanation = "The mapping becomes a new MoEArgs, whose constructor refuses other names.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n"
                      "  moe_args: {num_experts: 16, experts: 16}\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n  moe_args: {num_experts: 16}\n"
                       "training:\n  seq_len: 2048\n"}},
     moe_field_unknown},
    {{.id = "TT805",
      .name = "moe-arguments-replaced",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = override_patch,
      .outcome = "the run goes on with another router than the flavor's",
      .summary = "model.moe_args replaces the flavor's routing as a whole.",
      .explanation = "What the mapping leaves out falls back to the defaults of MoEArgs: 8 experts, 1 shared, "
                     "top-1, no groups, sigmoid scores that are neither normalized nor scaled and that weigh the "
                     "tokens before the experts see them.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                      "  moe_args: {num_experts: 64, num_shared_experts: 2, top_k: 6}\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                       "  moe_args: {num_experts: 64, num_shared_experts: 2, top_k: 6, score_func: softmax,\n"
                       "    score_before_experts: false}\ntraining:\n  seq_len: 2048\n"}},
     experts_replaced},
};

}  // namespace

RuleList moe_argument_rules() { return rules; }

}  // namespace primus_plan::torchtitan
