#include "backends/maxtext/rules/heads.h"

#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

constexpr std::string_view attention_site = "src/maxtext/layers/attentions.py:_validate_kv_head_sharding";

void report_key_heads(const MaxTextRun& run, const Count& key, Int heads, Int shards, Findings& out) {
  const Count& degree = largest_of({&run.config.ici_tensor_parallelism, &run.config.ici_tensor_sequence_parallelism,
                                    &run.config.dcn_tensor_parallelism, &run.config.dcn_tensor_sequence_parallelism});
  out.add(degree, [&](Message& m) {
    m.say("{} key/value heads do not split over {} tensor shards", heads, shards);
    m.because("tensor shards = {}", axes_text(run, run.mesh.logical.key_heads));
    m.also(key, "heads set here");
    because_of_model_file(m, run, key);
    m.help("choose a divisor of {}", heads);
  });
}

void key_heads_not_over_tensor(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.key_heads);
  if (shards <= 1 || !has_key_heads(run) || run.model.key_heads <= 0) return;
  if (!key_heads_split(run)) {
    report_key_heads(run, run.config.base_num_kv_heads, run.model.key_heads, shards, out);
    return;
  }
  const Int global = *run.config.global_num_kv_heads;
  const std::string_view block = *run.config.decoder_block;
  if (global > 0 && (block == "gemma4" || block == "gemma4_small") && global % shards != 0) {
    report_key_heads(run, run.config.global_num_kv_heads, global, shards, out);
  }
}

void query_heads_not_over_key_heads(const MaxTextRun& run, Findings& out) {
  const Int query = run.model.query_heads;
  const Int key = run.model.key_heads;
  if (query <= 0 || (key > 0 && query % key == 0)) return;
  out.add(run.config.base_num_kv_heads, [&](Message& m) {
    m.say("{} query heads are not a multiple of {} key/value heads", query, key);
    m.also(run.config.base_num_query_heads);
    because_of_model_file(m, run, run.config.base_num_kv_heads);
    m.help("each key/value head serves a whole number of query heads");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX601",
      .name = "key-value-heads-not-over-tensor",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = attention_site,
      .outcome = "MaxText stops when it builds the attention (ValueError)",
      .summary = "The key/value heads are a multiple of the tensor axes.",
      .explanation = "Heads are not cut: tensor, tensor_sequence and autoregressive together divide the key/value "
                     "heads, which are fewer than the query heads in most models. Gemma 4's global layers have a "
                     "smaller number still. Latent attention is exempt.",
      .bad = {.world_size = 8,
              .yaml =
                  "model_name: qwen3-30b-a3b\nper_device_batch_size: 1\nici_tensor_parallelism: 8\nmegablox: false\n"},
      .good =
          {.world_size = 8,
           .yaml =
               "model_name: qwen3-30b-a3b\nper_device_batch_size: 1\nici_tensor_parallelism: 4\nmegablox: false\n"}},
     key_heads_not_over_tensor},
    {{.id = "MX602",
      .name = "query-heads-not-over-key-value-heads",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "src/maxtext/layers/attentions.py:__init__",
      .outcome = "MaxText stops when it builds the attention (ValueError)",
      .summary = "The query heads are a multiple of the key/value heads.",
      .explanation = "Grouped query attention gives each key/value head the same number of query heads.",
      .bad = {.world_size = 8,
              .yaml =
                  "model_name: default\nper_device_batch_size: 1\nbase_num_query_heads: 16\nbase_num_kv_heads: 6\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model_name: default\nper_device_batch_size: 1\nbase_num_query_heads: 16\nbase_num_kv_heads: 8\n"}},
     query_heads_not_over_key_heads},
};

}  // namespace

RuleList head_rules() { return rules; }

}  // namespace primus_plan::maxtext
