#include <array>
#include <charconv>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* validate = "torchtitan/distributed/parallel_dims.py:_validate";
constexpr const char* init_distributed = "torchtitan/distributed/utils.py:init_distributed";

std::array<const Count*, 6> positive_degrees(const TorchTitanConfig& config) {
  return {&config.data_parallel_replicate_degree, &config.context_parallel_degree,
          &config.tensor_parallel_degree,         &config.pipeline_parallel_degree,
          &config.expert_parallel_degree,         &config.expert_tensor_parallel_degree};
}

void degree_below_one(const TorchTitanRun& run, Findings& out) {
  for (const Count* degree : positive_degrees(run.config)) {
    if (**degree >= 1) continue;
    out.add(*degree, [&](Message& m) {
      m.say("{} is {}: a degree is 1 or more", degree->key, **degree);
      m.help("write 1 to switch this kind of parallelism off");
      m.fix(fmt::format("set {} to 1", degree->key), *degree, "1");
    });
  }
}

void shard_degree_illegal(const TorchTitanRun& run, Findings& out) {
  const Count& shard = run.given.data_parallel_shard_degree;
  if (*shard == -1 || *shard >= 1) return;
  out.add(shard, [&](Message& m) {
    m.say("data_parallel_shard_degree is {}: only -1 and numbers from 1 are legal", *shard);
    m.help("-1 takes what the other degrees leave: world / (replicate x CP x TP x PP)");
    m.fix("set data_parallel_shard_degree to -1", shard, "-1");
  });
}

bool degrees_are_positive(const TorchTitanRun& run) {
  for (const Count* degree : positive_degrees(run.config)) {
    if (**degree < 1 || run.is_unreadable(degree->key)) return false;
  }
  const Count& shard = run.given.data_parallel_shard_degree;
  return (*shard == -1 || *shard >= 1) && !run.is_unreadable(shard.key);
}

void world_is_not_the_product(const TorchTitanRun& run, Findings& out) {
  if (run.meshes_exist() || !degrees_are_positive(run)) return;
  const TorchTitanConfig& given = run.given;
  const Int shard = *given.data_parallel_shard_degree;
  const Int others =
      saturating_multiply(saturating_multiply(run.replicate(), run.cp()), saturating_multiply(run.tp(), run.pp()));
  if (shard == -1) {
    out.add(
        largest_of({&given.tensor_parallel_degree, &given.pipeline_parallel_degree, &given.context_parallel_degree,
                    &given.data_parallel_replicate_degree}),
        [&](Message& m) {
          m.say("world size {} is not a multiple of replicate {} x CP {} x TP {} x PP {} = {}", run.world(),
                run.replicate(), run.cp(), run.tp(), run.pp(), product_text(others));
          m.because(
              "data_parallel_shard_degree -1 takes world / (replicate x CP x TP x PP) = {} / {}, which is not whole",
              run.world(), product_text(others));
          help_with_worlds(m, run);
        });
    return;
  }
  out.add(given.data_parallel_shard_degree, [&](Message& m) {
    m.say("replicate {} x shard {} x CP {} x TP {} x PP {} = {} is not the world size {}", run.replicate(), shard,
          run.cp(), run.tp(), run.pp(), product_text(saturating_multiply(others, shard)), run.world());
    if (run.world() % others == 0 && run.world() >= others) {
      m.help("data_parallel_shard_degree: -1 takes what is left, here {}", run.world() / others);
      m.fix("set data_parallel_shard_degree to -1", given.data_parallel_shard_degree, "-1");
    }
    help_with_worlds(m, run);
  });
}

bool is_replicated_only(const TorchTitanRun& run) {
  return run.meshes_exist() && run.meshes.dp_replicate > 1 && run.meshes.fsdp == 1;
}

bool is_llama(const TorchTitanRun& run) { return run.family() == Family::llama3 || run.family() == Family::llama4; }

void replicas_with_model_parallel(const TorchTitanRun& run, Findings& out) {
  if (!is_replicated_only(run) || !is_llama(run) || (run.tp() == 1 && run.pp() == 1)) return;
  out.add(run.config.data_parallel_replicate_degree, [&](Message& m) {
    m.say(
        "data_parallel_replicate_degree {} without sharding is plain DDP, which works alone only: here TP is {} and PP "
        "is {}",
        run.replicate(), run.tp(), run.pp());
    because_of_shard(m, run);
    m.also(run.config.tensor_parallel_degree).also(run.config.pipeline_parallel_degree);
    m.help(
        "shard over 2 ranks or more (HSDP): lower data_parallel_replicate_degree and leave data_parallel_shard_degree "
        "at -1");
  });
}

void replicas_not_wrapped_right(const TorchTitanRun& run, Findings& out) {
  if (!is_replicated_only(run) || is_llama(run) || run.parsed.model == nullptr) return;
  const bool is_flux = run.family() == Family::flux;
  if (!is_flux && run.tp() == 1 && run.pp() == 1) return;
  out.add(run.config.data_parallel_replicate_degree, [&](Message& m) {
    if (is_flux) {
      m.say(
          "flux applies no data parallelism for data_parallel_replicate_degree {} without sharding: gradients are not "
          "averaged",
          run.replicate());
    } else {
      m.say(
          "{} wraps DDP around tensor- or pipeline-parallel modules (replicate {}, shard 1, TP {}, PP {}) and runs in "
          "{}",
          *run.config.model_name, run.replicate(), run.tp(), run.pp(), *run.config.dtype);
      m.because("the check for more than one dimension never fires here, and mixed precision needs FSDP");
    }
    m.help("shard over 2 ranks or more (HSDP): lower data_parallel_replicate_degree");
  });
}

bool simulates(const TorchTitanRun& run) {
  return *run.config.comm_mode == "fake_backend" || *run.config.comm_mode == "local_tensor";
}

std::optional<Int> simulated_ranks(const TorchTitanRun& run) {
  const auto text = run.environment.get("NGPU");
  Int value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

void simulation_without_ngpu(const TorchTitanRun& run, Findings& out) {
  if (!simulates(run) || simulated_ranks(run)) return;
  out.add(run.config.comm_mode, [&](Message& m) {
    m.say("comm.mode {} simulates a world of NGPU ranks, and NGPU is {}", *run.config.comm_mode,
          run.environment.get("NGPU") ? "no integer" : "not set");
    m.help("export NGPU={}, or drop comm.mode", run.launch.world_size);
  });
}

void simulated_world_differs(const TorchTitanRun& run, Findings& out) {
  if (!simulates(run) || !simulated_ranks(run) || run.world() == run.launch.world_size) return;
  out.add(run.config.comm_mode, [&](Message& m) {
    m.say("comm.mode {} makes the world NGPU = {} ranks; the launch has {}", *run.config.comm_mode, run.world(),
          run.launch.world_size);
    m.help("the degrees are judged for {} ranks", run.world());
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT101",
      .name = "parallelism-degree-below-one",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = validate,
      .outcome = "TorchTitan stops on every rank (AssertionError)",
      .summary = "Every degree below parallelism is an integer of 1 or more, except data_parallel_shard_degree.",
      .explanation = "A degree of 1 switches a kind of parallelism off; 0 and negative numbers do not. Only "
                     "data_parallel_shard_degree knows -1, which takes the ranks that the other degrees leave.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 0\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 1\n"}},
     degree_below_one},
    {{.id = "TT102",
      .name = "shard-degree-illegal",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = validate,
      .outcome = "TorchTitan stops on every rank (AssertionError)",
      .summary = "data_parallel_shard_degree is -1 or a number from 1.",
      .explanation = "-1 is resolved to world / (replicate x CP x TP x PP), which has to be whole. It is no "
                     "automatic choice: the other degrees fix it. 0 and other negative numbers are refused.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  data_parallel_shard_degree: 0\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  data_parallel_shard_degree: -1\n"}},
     shard_degree_illegal},
    {{.id = "TT103",
      .name = "degrees-do-not-make-the-world",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = validate,
      .outcome = "TorchTitan stops on every rank (AssertionError)",
      .summary = "replicate x shard x CP x TP x PP is the world size.",
      .explanation = "TorchTitan lays all ranks out on one mesh. With data_parallel_shard_degree: -1 the world has "
                     "to be a multiple of replicate x CP x TP x PP; with a number the product has to be the world "
                     "size exactly. Expert parallelism takes no part: experts have a mesh of their own over the "
                     "same ranks.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  data_parallel_shard_degree: 8\n  tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  data_parallel_shard_degree: 4\n  tensor_parallel_degree: 2\n"}},
     world_is_not_the_product},
    {{.id = "TT104",
      .name = "ddp-with-model-parallel",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/infra/parallelize.py:parallelize_llama",
      .outcome = "TorchTitan stops when it wraps the model (RuntimeError)",
      .summary = "Plain DDP (replicas without sharding) goes with no other parallelism.",
      .explanation = "data_parallel_replicate_degree above 1 with shard x CP of 1 means DDP, and DDP works on a "
                     "flat world only. Shard over 2 ranks or more: then the replicas are FSDP groups (HSDP), which "
                     "go with TP and PP.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  data_parallel_replicate_degree: 4\n  data_parallel_shard_degree: 1\n"
                      "  tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  data_parallel_replicate_degree: 2\n  data_parallel_shard_degree: 2\n"
                       "  tensor_parallel_degree: 2\n"}},
     replicas_with_model_parallel},
    {{.id = "TT105",
      .name = "ddp-around-parallel-modules",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/qwen3/infra/parallelize.py:parallelize_qwen3",
      .outcome = "the run goes on with DDP around sharded modules",
      .summary = "Replicas without sharding do not work as expected with this model.",
      .explanation = "deepseek_v3, qwen3 and gpt_oss look for a second mesh dimension where there never is one, so "
                     "DDP wraps modules that TP or PP has already changed; flux applies nothing at all for "
                     "replicas without sharding. Without FSDP mixed precision is off too. Shard over 2 ranks or "
                     "more.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: qwen3\n  flavor: 8B\nparallelism:\n"
                      "  data_parallel_replicate_degree: 4\n  data_parallel_shard_degree: 1\n"
                      "  tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: qwen3\n  flavor: 8B\nparallelism:\n"
                       "  data_parallel_replicate_degree: 2\n  data_parallel_shard_degree: 2\n"
                       "  tensor_parallel_degree: 2\n"}},
     replicas_not_wrapped_right},
    {{.id = "TT106",
      .name = "simulation-without-ngpu",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = init_distributed,
      .outcome = "TorchTitan stops before it builds process groups (ValueError)",
      .summary = "comm.mode fake_backend and local_tensor need NGPU.",
      .explanation = "Both simulate a world in one process and take its size from the environment variable NGPU.",
      .bad = {.world_size = 8, .yaml = "comm:\n  mode: fake_backend\nparallelism:\n  tensor_parallel_degree: 1\n"},
      .good = {.world_size = 8, .yaml = "comm:\n  mode: default\nparallelism:\n  tensor_parallel_degree: 1\n"}},
     simulation_without_ngpu},
    {{.id = "TT107",
      .name = "simulated-world-differs",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = init_distributed,
      .outcome = "the run goes on with NGPU ranks",
      .summary = "Under a simulation the world is NGPU, not the launch.",
      .explanation = "comm.mode fake_backend and local_tensor run one process and pretend to be a world of NGPU "
                     "ranks.",
      .bad = {.world_size = 8,
              .yaml = "comm:\n  mode: fake_backend\nparallelism:\n  tensor_parallel_degree: 1\n",
              .environment = "NGPU=32"},
      .good = {.world_size = 8,
               .yaml = "comm:\n  mode: fake_backend\nparallelism:\n  tensor_parallel_degree: 1\n",
               .environment = "NGPU=8"}},
     simulated_world_differs},
};

}  // namespace

RuleList degree_rules() { return rules; }

}  // namespace primus_plan::torchtitan
