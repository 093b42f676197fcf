#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "backends/megatron/rules/turbo.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// Python's `in`: membership of a list, substring of a string.
bool comm_type_contains(const MegatronRun& run, std::string_view word) {
  for (const std::string_view type : run.parsed.cp_comm_types) {
    const bool is_list = run.config.cp_comm_type.value != nullptr && run.config.cp_comm_type.value->is_sequence();
    if (is_list ? type == word : type.find(word) != std::string_view::npos) return true;
  }
  return false;
}

void hierarchical_product(const MegatronRun& run, Findings& out) {
  const Raw& sizes = run.config.hierarchical_context_parallel_sizes;
  if (sizes.value == nullptr) return;
  Int product = 1;
  for (const NodePtr& item : sizes.value->items) product = saturating_multiply(product, item->integer);
  if (product == run.cp() && sizes.value->is_sequence()) return;
  out.add(sizes, [&](Message& m) {
    m.say("hierarchical_context_parallel_sizes {} do not multiply to CP {}", to_text(*sizes.value), run.cp());
    m.also(run.config.context_parallel_size);
  });
}

void hierarchical_missing(const MegatronRun& run, Findings& out) {
  if (run.config.hierarchical_context_parallel_sizes.value != nullptr || !comm_type_contains(run, "a2a+p2p")) return;
  out.add(run.config.cp_comm_type, [&](Message& m) {
    m.say("cp_comm_type a2a+p2p needs hierarchical_context_parallel_sizes");
    m.because("Megatron checks this even when CP is 1");
    m.help("set hierarchical_context_parallel_sizes to two sizes whose product is CP {}, or use p2p", run.cp());
  });
}

void comm_type_null(const MegatronRun& run, Findings& out) {
  if (!run.config.cp_comm_type.is_explicit || run.config.cp_comm_type.value != nullptr) return;
  out.add(run.config.cp_comm_type, [&](Message& m) {
    m.say("cp_comm_type is null: Megatron searches it for a2a+p2p, even when CP is 1");
    m.fix("use p2p", run.config.cp_comm_type, "p2p");
    m.help("cp_comm_type: p2p");
  });
}

void comm_type_list_length(const MegatronRun& run, Findings& out) {
  const Node* list = run.config.cp_comm_type.value;
  if (run.cp() <= 1 || list == nullptr || !list->is_sequence() || list->items.size() == 1) return;
  const auto layers = run.config.num_layers.value;
  if (!layers || static_cast<Int>(list->items.size()) == *layers) return;
  out.add(run.config.cp_comm_type, [&](Message& m) {
    m.say("cp_comm_type lists {} kinds for {} layers", list->items.size(), *layers);
    m.help("one string for all layers, or one entry a layer");
  });
}

void comm_type_unknown(const MegatronRun& run, Findings& out) {
  constexpr std::array<std::string_view, 4> known{"p2p", "a2a", "all_gather", "a2a+p2p"};
  if (run.cp() <= 1 || turbo_attention(run)) return;
  for (const std::string_view type : run.parsed.cp_comm_types) {
    if (std::find(known.begin(), known.end(), type) != known.end()) continue;
    out.add(run.config.cp_comm_type, [&](Message& m) {
      m.say("cp_comm_type {} is none that Transformer Engine knows: p2p, a2a, all_gather, a2a+p2p", type);
      if (type == "allgather") m.fix("spell it all_gather", run.config.cp_comm_type, "all_gather");
    });
    return;
  }
}

void all_to_all_heads(const MegatronRun& run, Findings& out) {
  if (run.cp() <= 1 || run.tp() < 1) return;
  const bool all_to_all = turbo_attention(run) || comm_type_contains(run, "a2a");
  if (!all_to_all || comm_type_contains(run, "a2a+p2p") || *run.config.multi_latent_attention) return;
  const auto heads = run.config.num_attention_heads.value;
  const auto groups = run.config.num_query_groups.value;
  if (!heads || !groups || *heads % run.tp() != 0 || *groups % run.tp() != 0) return;
  const bool heads_split = *heads / run.tp() % run.cp() == 0;
  if (heads_split && *groups / run.tp() % run.cp() == 0) return;
  const MaybeCount& where = heads_split ? run.config.num_query_groups : run.config.num_attention_heads;
  out.add(run.config.context_parallel_size, [&](Message& m) {
    m.say("all-to-all context parallelism splits heads: {} / TP {} = {} is not a multiple of CP {}", where.key,
          run.tp(), *where.value / run.tp(), run.cp());
    m.also(where);
    m.help("lower CP, or use cp_comm_type: p2p{}", turbo_attention(run) ? " with use_turbo_attention: false" : "");
  });
}

void turbo_ignores_comm_type(const MegatronRun& run, Findings& out) {
  if (run.cp() <= 1 || !turbo_attention(run)) return;
  const Node* type = run.config.cp_comm_type.value;
  if (type != nullptr && type->is_string() && type->text == "a2a") return;
  out.add(run.config.cp_comm_type, [&](Message& m) {
    m.say("Turbo attention always exchanges heads all-to-all over CP {}: cp_comm_type {} has no effect", run.cp(),
          type != nullptr ? to_text(*type) : "null");
    m.also(run.config.use_turbo_attention, "Turbo attention is on here");
    m.help("write cp_comm_type: a2a, or use_turbo_attention: false");
    m.fix("set cp_comm_type to a2a, which is what runs", run.config.cp_comm_type, "a2a", true);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG610",
      .name = "hierarchical-context-product",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "hierarchical_context_parallel_sizes multiply to CP.",
      .explanation = "The context-parallel group is cut into levels; their sizes have to cover it exactly.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 8\n"
                      "hierarchical_context_parallel_sizes: [2, 2]\n"
                      "cp_comm_type: a2a+p2p\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 8\n"
                       "hierarchical_context_parallel_sizes: [2, 4]\n"
                       "cp_comm_type: a2a+p2p\n"}},
     hierarchical_product},
    {{.id = "MG611",
      .name = "hierarchical-context-missing",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "cp_comm_type a2a+p2p needs hierarchical_context_parallel_sizes.",
      .explanation = "Checked even when CP is 1.",
      .bad = {.world_size = 8, .yaml = "cp_comm_type: a2a+p2p\n"},
      .good = {.world_size = 8, .yaml = "cp_comm_type: p2p\n"}},
     hierarchical_missing},
    {{.id = "MG612",
      .name = "context-comm-type-null",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron searches None (TypeError)",
      .summary = "cp_comm_type is never null.",
      .explanation = "Megatron looks for a2a+p2p in it whatever CP is.",
      .bad = {.world_size = 8,
              .yaml = "cp_comm_type: null\n"
                      "context_parallel_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "cp_comm_type: p2p\n"
                       "context_parallel_size: 1\n"}},
     comm_type_null},
    {{.id = "MG613",
      .name = "context-comm-type-list",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "A list in cp_comm_type has one entry a layer.",
      .explanation = "A list of one entry stands for all layers.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "cp_comm_type: [p2p, a2a]\n"
                      "num_layers: 24\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 2\n"
                       "cp_comm_type: [p2p]\n"
                       "num_layers: 24\n"}},
     comm_type_list_length},
    {{.id = "MG614",
      .name = "context-comm-type-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/extensions/transformer_engine.py:__init__",
      .outcome = "Transformer Engine stops when attention is built",
      .summary = "cp_comm_type is p2p, a2a, all_gather or a2a+p2p.",
      .explanation = "Megatron passes the word on to Transformer Engine, which spells all_gather with an underscore; "
                     "Megatron's own help does not.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "cp_comm_type: ring\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 2\n"
                       "cp_comm_type: all_gather\n"}},
     comm_type_unknown},
    {{.id = "MG615",
      .name = "context-all-to-all-heads",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/extensions/transformer_engine.py:__init__",
      .outcome = "attention stops when it is built or first used",
      .summary = "All-to-all context parallelism needs heads and query groups that split over CP.",
      .explanation = "All-to-all (Ulysses) gives each rank all tokens of some heads, so heads / TP and query groups / "
                     "TP have to be multiples of CP.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 4\n"
                      "num_attention_heads: 16\n"
                      "group_query_attention: true\n"
                      "num_query_groups: 2\n"
                      "cp_comm_type: a2a\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 4\n"
                       "num_attention_heads: 16\n"
                       "cp_comm_type: a2a\n"}},
     all_to_all_heads},
    {{.id = "MG617",
      .name = "turbo-ignores-comm-type",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "primus/backends/megatron/core/extensions/primus_turbo.py:__init__",
      .outcome = "runs all-to-all whatever the key says",
      .summary = "Turbo attention with context parallelism is always all-to-all.",
      .explanation = "Primus-Turbo uses the context-parallel group for an exchange of heads and ignores cp_comm_type. "
                     "Saying a2a makes the file tell the truth.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_attention: true\n"
                      "cp_comm_type: p2p\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 2\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_attention: true\n"
                       "cp_comm_type: a2a\n"}},
     turbo_ignores_comm_type},
};

}  // namespace

RuleList context_exchange_rules() { return rules; }

}  // namespace primus_plan::megatron
