#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* validate = "torchtitan/distributed/parallel_dims.py:_validate";
constexpr const char* get_mesh = "torchtitan/distributed/parallel_dims.py:get_mesh";

void expert_tensor_illegal(const TorchTitanRun& run, Findings& out) {
  if (run.ep() <= 1 || run.tp() < 1 || run.etp() < 1 || run.etp() == 1 || run.etp() == run.tp()) return;
  out.add(run.config.expert_tensor_parallel_degree, [&](Message& m) {
    m.say("expert_tensor_parallel_degree is {}: with EP it is 1 or TP, here {}", run.etp(), run.tp());
    m.also(run.config.tensor_parallel_degree);
    m.help("1 keeps each expert whole and lends the TP ranks to EP; {} splits experts as TP splits the rest", run.tp());
    m.fix("set expert_tensor_parallel_degree to 1", run.config.expert_tensor_parallel_degree, "1");
  });
}

/// The expert grid is judged once ETP itself is legal.
bool expert_tensor_is_legal(const TorchTitanRun& run) {
  return run.ep() == 1 || run.etp() == 1 || run.etp() == run.tp();
}

/// The meshes stand but for that of the experts, which a rule of its own tells.
bool expert_mesh_is_uneven(const TorchTitanRun& run) { return run.meshes_exist() && run.meshes.efsdp <= 0; }

void expert_grid_uneven(const TorchTitanRun& run, Findings& out) {
  if (!run.meshes_exist() || run.meshes.efsdp > 0 || !expert_tensor_is_legal(run)) return;
  const Int dense = run.meshes.fsdp * run.tp();
  const auto describe = [&](Message& m) {
    m.say("EP {} x ETP {} = {} does not divide shard {} x CP {} x TP {} = {}", run.ep(), run.etp(),
          saturating_multiply(run.ep(), run.etp()), run.meshes.dp_shard, run.cp(), run.tp(), dense);
    m.because("experts live on the ranks of one replica and one pipeline stage: replicate {} and PP {} take no part",
              run.replicate(), run.pp());
    because_of_shard(m, run);
    if (run.etp() >= 1 && dense % run.etp() == 0) {
      const Int ranks = dense / run.etp();
      const Int experts = run.model().moe ? run.model().experts.count : 0;  // a gcd with 0 is the other number
      m.help("legal expert_parallel_degree: {}", divisors_text(greatest_common_divisor(experts, ranks), dense));
    }
    if (run.replicate() > 1) m.help("or lower data_parallel_replicate_degree in favour of shards");
  };
  if (run.ep() > 1) {
    out.add(run.config.expert_parallel_degree, describe);
  } else {
    out.add(run.config.expert_tensor_parallel_degree, describe);
  }
}

bool wants_fsdp_mesh(Family family) {
  return family == Family::llama4 || family == Family::deepseek_v3 || family == Family::gpt_oss;
}

void experts_without_fsdp(const TorchTitanRun& run, Findings& out) {
  if (run.ep() <= 1 || run.meshes.fsdp != 1 || run.meshes.efsdp <= 0 || !wants_fsdp_mesh(run.family())) return;
  out.add(run.config.expert_parallel_degree, [&](Message& m) {
    m.say("expert_parallel_degree {} needs shard x CP of 2 or more, and here it is 1", run.ep());
    because_of_shard(m, run);
    m.also(run.config.tensor_parallel_degree);
    m.help("lower TP, PP or replicate so that 2 ranks or more shard the parameters");
  });
}

void qwen_experts_without_fsdp(const TorchTitanRun& run, Findings& out) {
  if (run.ep() <= 1 || run.meshes.fsdp != 1 || run.meshes.efsdp <= 0) return;
  if (run.family() != Family::qwen3 || !run.model().moe) return;
  out.add(run.config.expert_parallel_degree, [&](Message& m) {
    m.say("qwen3 with EP {} and shard x CP of 1 runs without FSDP: no mixed precision, no sharded experts", run.ep());
    because_of_shard(m, run);
    m.help("lower TP or replicate so that 2 ranks or more shard the parameters");
  });
}

void experts_uneven(const TorchTitanRun& run, Findings& out) {
  const Int experts = run.model().experts.count;
  if (!run.model().moe || run.ep() <= 1 || expert_mesh_is_uneven(run) || experts % run.ep() == 0) return;
  out.add(run.config.expert_parallel_degree, [&](Message& m) {
    m.say("{} experts of {} do not split over expert_parallel_degree {}", experts, model_text(run), run.ep());
    const Int ranks = run.meshes_exist() && run.etp() >= 1 ? run.meshes.fsdp * run.tp() / run.etp() : run.world();
    m.help("legal expert_parallel_degree: {}", divisors_text(greatest_common_divisor(experts, ranks), experts));
  });
}

void expert_parallel_on_dense(const TorchTitanRun& run, Findings& out) {
  if (run.ep() <= 1 || run.parsed.flavor == nullptr || run.model().moe || expert_mesh_is_uneven(run)) return;
  out.add(run.config.expert_parallel_degree, [&](Message& m) {
    m.say("{} has no experts: expert_parallel_degree {} shards nothing", model_text(run), run.ep());
    m.help("write 1");
    m.fix("set expert_parallel_degree to 1", run.config.expert_parallel_degree, "1");
  });
}

void expert_tensor_without_experts(const TorchTitanRun& run, Findings& out) {
  if (run.ep() != 1 || run.etp() <= 1 || expert_mesh_is_uneven(run)) return;
  out.add(run.config.expert_tensor_parallel_degree, [&](Message& m) {
    m.say("expert_tensor_parallel_degree {} has no effect: expert_parallel_degree is 1, and experts follow TP {}",
          run.etp(), run.tp());
    m.help("write 1");
    m.fix("set expert_tensor_parallel_degree to 1", run.config.expert_tensor_parallel_degree, "1");
  });
}

void routing_groups_illegal(const TorchTitanRun& run, Findings& out) {
  const Experts& experts = run.model().experts;
  if (!run.model().moe || experts.groups == 0) return;
  const bool divides = experts.groups > 0 && experts.count % experts.groups == 0;
  if (experts.limited_groups > 0 && divides && experts.count / experts.groups >= 2) return;
  out.add(run.config.model_moe_args, [&](Message& m) {
    if (experts.limited_groups <= 0) {
      m.say("num_expert_groups {} needs num_limited_groups", experts.groups);
    } else {
      m.say("{} experts do not make {} routing groups of 2 or more", experts.count, experts.groups);
    }
    m.help("num_expert_groups divides num_experts {} with 2 experts or more in each", experts.count);
  });
}

bool deepep(const TorchTitanRun& run) { return *run.config.expert_parallel_comm_backend == "deepep"; }
bool reads_deepep(Family family) { return family == Family::llama4 || family == Family::deepseek_v3; }

void deepep_illegal(const TorchTitanRun& run, Findings& out) {
  if (!deepep(run) || !reads_deepep(run.family())) return;
  const Word& backend = run.config.expert_parallel_comm_backend;
  if (run.ep() == 1) {
    out.add(backend, [&](Message& m) {
      m.say("expert_parallel_comm_backend deepep needs expert parallelism, and expert_parallel_degree is 1");
      m.fix("set expert_parallel_comm_backend to standard", backend, "standard");
    });
  } else if (run.etp() > 1) {
    out.add(backend, [&](Message& m) {
      m.say("expert_parallel_comm_backend deepep does not go with expert_tensor_parallel_degree {}", run.etp());
      m.help("expert_tensor_parallel_degree: 1, or expert_parallel_comm_backend: standard");
      m.fix("set expert_parallel_comm_backend to standard", backend, "standard");
    });
  } else if (run.family() == Family::llama4 && run.ep() > 1) {
    out.add(backend, [&](Message& m) {
      m.say("expert_parallel_comm_backend deepep does not work with llama4: its experts take other inputs");
      m.fix("set expert_parallel_comm_backend to standard", backend, "standard");
    });
  }
}

void deepep_ignored(const TorchTitanRun& run, Findings& out) {
  if (!deepep(run) || run.parsed.model == nullptr || reads_deepep(run.family())) return;
  out.add(run.config.expert_parallel_comm_backend, [&](Message& m) {
    m.say("{} does not read expert_parallel_comm_backend: deepep has no effect", *run.config.model_name);
    m.help("llama4 and deepseek_v3 read it");
    m.fix("set expert_parallel_comm_backend to standard", run.config.expert_parallel_comm_backend, "standard", true);
  });
}

void forced_balance_ignored(const TorchTitanRun& run, Findings& out) {
  if (!*run.config.debug_moe_force_load_balance || run.parsed.flavor == nullptr) return;
  if (run.family() != Family::gpt_oss && run.model().moe) return;
  out.add(run.config.debug_moe_force_load_balance, [&](Message& m) {
    if (run.model().moe) {
      m.say("gpt_oss does not read debug.moe_force_load_balance: tokens go where the router sends them");
    } else {
      m.say("{} has no experts: debug.moe_force_load_balance has no effect", model_text(run));
    }
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT401",
      .name = "expert-tensor-degree-illegal",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = validate,
      .outcome = "TorchTitan stops on every rank (AssertionError)",
      .summary = "With expert parallelism expert_tensor_parallel_degree is 1 or TP.",
      .explanation = "1: EP borrows the TP ranks and every expert stays whole. TP: experts are split as the other "
                     "layers are.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  tensor_parallel_degree: 4\n  expert_parallel_degree: 2\n"
                      "  expert_tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  tensor_parallel_degree: 4\n  expert_parallel_degree: 2\n"
                       "  expert_tensor_parallel_degree: 4\n"}},
     expert_tensor_illegal},
    {{.id = "TT402",
      .name = "expert-mesh-uneven",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = "torchtitan/distributed/parallel_dims.py:unflatten_mesh",
      .outcome = "TorchTitan stops when it builds the device meshes (ValueError)",
      .summary = "EP x ETP divides shard x CP x TP.",
      .explanation = "Experts have a mesh of their own over the same ranks: PP x replicate x expert FSDP x EP x "
                     "ETP. Expert FSDP = shard x CP x TP / (EP x ETP) has to be whole. So EP never spans replicas "
                     "or pipeline stages: with more PP or more replicas, less is left for it. The meshes are built "
                     "for dense models too.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n  expert_parallel_degree: 8\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n  expert_parallel_degree: 4\n"}},
     expert_grid_uneven},
    {{.id = "TT403",
      .name = "experts-without-fsdp-mesh",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = get_mesh,
      .outcome = "TorchTitan stops when it shards the model (ValueError: mesh fsdp is not available)",
      .summary = "Expert parallelism needs shard x CP of 2 or more.",
      .explanation = "With EP, llama4, deepseek_v3 and gpt_oss ask for the fsdp mesh, which does not exist at size "
                     "1.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  tensor_parallel_degree: 8\n  expert_parallel_degree: 8\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  tensor_parallel_degree: 4\n  expert_parallel_degree: 8\n"}},
     experts_without_fsdp},
    {{.id = "TT404",
      .name = "qwen3-experts-without-fsdp",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/qwen3/infra/parallelize.py:parallelize_qwen3",
      .outcome = "the model is not sharded; gradient clipping is likely to stop the first step",
      .summary = "qwen3 with experts loses FSDP when shard x CP is 1.",
      .explanation = "qwen3 does not ask for the fsdp mesh as the other models do. Without it there is no mixed "
                     "precision, no sharding of experts, and gradient clipping with EP expects sharded parameters.",
      .bad = {.world_size = 4,
              .yaml = "model:\n  name: qwen3\n  flavor: 30B-A3B\nparallelism:\n"
                      "  tensor_parallel_degree: 4\n  expert_parallel_degree: 4\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: qwen3\n  flavor: 30B-A3B\nparallelism:\n"
                       "  tensor_parallel_degree: 4\n  expert_parallel_degree: 4\n"}},
     qwen_experts_without_fsdp},
    {{.id = "TT405",
      .name = "experts-uneven-over-ep",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/distributed/expert_parallel.py:_token_dispatch",
      .outcome = "the first forward pass stops (RuntimeError in view)",
      .summary = "The number of experts is a multiple of EP.",
      .explanation = "Parameters shard unevenly without complaint; the token dispatcher then cannot view the "
                     "counts as EP rows.",
      .bad = {.world_size = 24,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  expert_parallel_degree: 3\n"},
      .good = {.world_size = 24,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  expert_parallel_degree: 4\n"}},
     experts_uneven},
    {{.id = "TT406",
      .name = "expert-parallel-on-dense-model",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/distributed/parallel_dims.py:ep_enabled",
      .outcome = "the run goes on and shards no experts",
      .summary = "expert_parallel_degree above 1 needs a model with experts.",
      .explanation = "A dense model ignores EP, but the expert mesh still has to fit and gradient clipping takes "
                     "its slower path for experts.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  expert_parallel_degree: 8\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  expert_parallel_degree: 1\n"}},
     expert_parallel_on_dense},
    {{.id = "TT407",
      .name = "expert-tensor-without-expert-parallel",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama4/infra/parallelize.py:apply_moe_ep_tp",
      .outcome = "experts are split over TP",
      .summary = "expert_tensor_parallel_degree has an effect only with EP.",
      .explanation = "Without EP experts use the TP mesh. ETP then only has to divide shard x CP x TP.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  tensor_parallel_degree: 2\n  expert_tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  tensor_parallel_degree: 2\n  expert_tensor_parallel_degree: 1\n"}},
     expert_tensor_without_experts},
    {{.id = "TT408",
      .name = "routing-groups-illegal",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/models/moe/moe.py:_get_node_limited_routing_scores",
      .outcome = "the first forward pass stops (ValueError)",
      .summary = "Routing groups divide the experts, with 2 or more in each.",
      .explanation = "Node-limited routing takes the best num_limited_groups of num_expert_groups groups.",
      .bad = {.world_size = 8,
              .yaml =
                  "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                  "  moe_args: {num_experts: 64, num_shared_experts: 2, top_k: 6, score_func: softmax,\n"
                  "    route_norm: false, score_before_experts: false, num_expert_groups: 48, num_limited_groups: 3}\n"
                  "parallelism:\n  expert_parallel_degree: 8\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                   "  moe_args: {num_experts: 64, num_shared_experts: 2, top_k: 6, score_func: softmax,\n"
                   "    route_norm: false, score_before_experts: false, num_expert_groups: 8, num_limited_groups: 3}\n"
                   "parallelism:\n  expert_parallel_degree: 8\n"}},
     routing_groups_illegal},
    {{.id = "TT409",
      .name = "deepep-not-possible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/deepseek_v3/infra/parallelize.py:parallelize_deepseekv3",
      .outcome = "TorchTitan stops (ValueError without EP, NotImplementedError with ETP); llama4 stops in the first "
                 "forward pass",
      .summary = "DeepEP needs EP above 1, ETP of 1 and deepseek_v3.",
      .explanation = "llama4 passes the same checks but builds the standard experts, which do not take what DeepEP "
                     "hands them.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                      "  expert_parallel_comm_backend: deepep\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nparallelism:\n"
                       "  expert_parallel_comm_backend: deepep\n  expert_parallel_degree: 8\n"}},
     deepep_illegal},
    {{.id = "TT410",
      .name = "deepep-ignored",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/qwen3/infra/parallelize.py:parallelize_qwen3",
      .outcome = "the run goes on with the standard exchange of tokens",
      .summary = "Only llama4 and deepseek_v3 read expert_parallel_comm_backend.",
      .explanation = "The other models always use all-to-all.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nparallelism:\n"
                      "  expert_parallel_degree: 8\n  expert_parallel_comm_backend: deepep\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nparallelism:\n"
                       "  expert_parallel_degree: 8\n  expert_parallel_comm_backend: standard\n"}},
     deepep_ignored},
    {{.id = "TT411",
      .name = "forced-balance-ignored",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/gpt_oss/model/args.py:update_from_config",
      .outcome = "nobody reads the key",
      .summary = "debug.moe_force_load_balance works with llama4, deepseek_v3 and qwen3 experts.",
      .explanation = "gpt_oss does not hand the flag to its router, and a dense model has none.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\ndebug:\n"
                      "  moe_force_load_balance: true\nparallelism:\n  expert_parallel_degree: 8\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\ndebug:\n  moe_force_load_balance: true\n"
                       "parallelism:\n  expert_parallel_degree: 8\n"}},
     forced_balance_ignored},
};

}  // namespace

RuleList expert_rules() { return rules; }

}  // namespace primus_plan::torchtitan
