#include "backends/torchtitan/dimensions.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {
namespace {

bool is_language_model(const TorchTitanRun& run) { return run.parsed.model != nullptr && run.family() != Family::flux; }

bool heads_split(const TorchTitanRun& run) {
  const Architecture& model = run.model();
  if (run.tp() <= 1 || model.heads <= 0) return true;
  return model.heads % run.tp() == 0 && kv_heads_of(model) % run.tp() == 0;
}

void sequence_uneven(const TorchTitanRun& run, Findings& out) {
  const Count& length = run.config.seq_len;
  if (!is_language_model(run) || run.is_unreadable(length.key)) return;
  const Int divisor = run.sequence_divisor > 0 ? run.sequence_divisor : 2;  // the least, whatever the degrees will be
  if (*length > 0 && *length % divisor == 0) return;
  out.add(length, [&](Message& m) {
    if (*length <= 0) {
      m.say("seq_len is {}: a sample has 1 token or more", *length);
    } else if (run.sequence_divisor <= 0) {
      m.say("seq_len {} is odd: 2 x CP x TP never divides it", *length);
    } else {
      m.say("seq_len {} is not a multiple of 2 x CP {} x TP {} = {}", *length, run.cp(), run.tp(),
            run.sequence_divisor);
      m.because("the factor 2 stands there without CP too");
    }
    if (!run.meshes_exist() || !heads_split(run)) return;  // the degrees have to change, and the divisor with them
    const std::vector<Int> legal = multiples_around(*length, run.sequence_divisor);
    help_with_nearest(m, legal);
    fix_to_nearest(m, length, *length, legal);
  });
}

void sequence_above_maximum(const TorchTitanRun& run, Findings& out) {
  const Int most = run.model().max_seq_len;
  if (!is_language_model(run) || most <= 0 || run.batch.sequence_length <= most) return;
  out.add(run.config.seq_len, [&](Message& m) {
    m.say("seq_len {} is longer than the {} tokens {} is made for", run.batch.sequence_length, most, model_text(run));
    m.because("the model takes seq_len as its new maximum and goes on");
    m.help("model.max_seq_len: {} says that this is meant", run.batch.sequence_length);
  });
}

void heads_uneven(const TorchTitanRun& run, Findings& out) {
  const Architecture& model = run.model();
  if (!is_language_model(run) || heads_split(run) || run.is_unreadable(run.config.tensor_parallel_degree.key)) return;
  const Int kv_heads = kv_heads_of(model);
  out.add(run.config.tensor_parallel_degree, [&](Message& m) {
    if (model.kv_lora_rank > 0) {
      m.say("{} attention heads of {} do not split over TP {}", model.heads, model_text(run), run.tp());
    } else {
      m.say("{} attention heads and {} KV heads of {} do not split over TP {}", model.heads, kv_heads, model_text(run),
            run.tp());
    }
    // TP shares these ranks with the shards alone; where the degrees do not make the world, it is in the whole of it.
    const Int ranks = run.meshes_exist() ? run.meshes.dp_shard * run.tp() : run.world();
    const Int common = greatest_common_divisor(greatest_common_divisor(model.heads, kv_heads), ranks);
    m.help("legal tensor_parallel_degree: {}{}", divisors_text(common, common),
           *run.given.data_parallel_shard_degree == -1 ? "" : ", with data_parallel_shard_degree: -1");
  });
}

void query_heads_uneven(const TorchTitanRun& run, Findings& out) {
  const Architecture& model = run.model();
  const MaybeCount& asked = run.config.model_n_kv_heads;
  const Int kv_heads = asked.value ? *asked.value : kv_heads_of(model);
  if (!is_language_model(run) || model.heads <= 0 || model.kv_lora_rank > 0) return;
  if (kv_heads >= 1 && model.heads % kv_heads == 0) return;
  const auto describe = [&](Message& m) {
    if (kv_heads < 1) {
      m.say("model.n_kv_heads is {}: attention has 1 KV head or more", kv_heads);
    } else {
      m.say("{} attention heads of {} are not a multiple of its {} KV heads", model.heads, model_text(run), kv_heads);
      m.because("each KV head serves as many query heads: they are repeated {} times, for {} of {} heads",
                model.heads / kv_heads, model.heads / kv_heads * kv_heads, model.heads);
    }
    m.help("legal model.n_kv_heads: {}", divisors_text(model.heads, model.heads));
    if (kv_heads >= 1) m.help("or model.n_heads: {}", numbers_text(multiples_around(model.heads, kv_heads)));
  };
  if (is_asked_for(asked)) {
    out.add(asked, describe);
  } else {
    out.add(run.config.model_n_heads, describe);
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT601",
      .name = "sequence-uneven-over-tp-and-cp",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/infra/parallelize.py:parallelize_llama",
      .outcome = "TorchTitan stops when it parallelizes the model (AssertionError)",
      .summary = "seq_len is a multiple of 2 x CP x TP.",
      .explanation = "TP always shards activations along the sequence between the blocks, and CP deals each rank a "
                     "piece from the head and one from the tail. The 2 is there without CP and without a load "
                     "balancer too: an odd seq_len never works.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 4\ntraining:\n  seq_len: 4098\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 4\ntraining:\n  seq_len: 4096\n"}},
     sequence_uneven},
    {{.id = "TT602",
      .name = "sequence-above-model-maximum",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = "torchtitan/models/llama3/model/args.py:update_from_config",
      .outcome = "TorchTitan logs a warning and makes seq_len the model's maximum",
      .summary = "seq_len does not exceed the flavor's max_seq_len.",
      .explanation = "The rotary table grows with seq_len, so the run works; a checkpoint trained for shorter "
                     "sequences may not.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  seq_len: 262144\n  local_batch_size: 1\n"
                      "activation_checkpoint:\n  mode: full\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  seq_len: 131072\n  local_batch_size: 1\n"
                       "activation_checkpoint:\n  mode: full\n"}},
     sequence_above_maximum},
    {{.id = "TT603",
      .name = "heads-uneven-over-tp",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/models/llama3/model/model.py:forward",
      .outcome = "the first forward pass stops (RuntimeError in view); nothing checks it before",
      .summary = "Attention heads and KV heads are multiples of TP.",
      .explanation = "TP gives each rank whole heads. Grouped-query models run out of KV heads first: Llama 3 has "
                     "8. Models with latent attention (deepseek_v3) have query heads only.",
      .bad = {.world_size = 32,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  tensor_parallel_degree: 16\n"},
      .good = {.world_size = 16,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  tensor_parallel_degree: 8\n"}},
     heads_uneven},
    {{.id = "TT604",
      .name = "query-heads-uneven-over-kv-heads",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/models/llama3/model/model.py:forward",
      .outcome = "the first forward pass stops (RuntimeError in attention), at 0 KV heads the model is not built "
                 "(ZeroDivisionError)",
      .summary = "The attention heads are a multiple of the KV heads.",
      .explanation = "Grouped-query attention repeats each KV head for heads / KV heads query heads, rounded down. "
                     "Where that leaves query heads over, queries and keys do not match. Latent attention "
                     "(deepseek_v3) has no KV heads.",
      .bad = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_kv_heads: 5\n"},
      .good = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_kv_heads: 4\n"}},
     query_heads_uneven},
};

}  // namespace

RuleList sequence_rules() { return rules; }

}  // namespace primus_plan::torchtitan
