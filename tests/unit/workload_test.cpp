// What TorchTitan's and MaxText's keys become in the workload that estimates read.
#include "primus_plan/run/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/estimate/estimate.h"

namespace primus_plan {
namespace {

Workload workload_of(const std::string& backend, const std::string& keys, std::int64_t world = 8) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  ExperimentOptions options;
  options.backend = backend;
  const LoadResult loaded = loader.load_text("keys.yaml", keys, options);
  if (loaded.experiments.empty()) throw std::runtime_error(loaded.errors.at(0).message);
  const auto prepared = find_backend(backend)->prepare(loaded.experiments.front().modules.front(), environment);
  const Launch launch{
      .world_size = world, .nodes = (world + 7) / 8, .gpus_per_node = 8, .source = {}, .assumed = false};
  const Analysis analysis = prepared->decide(launch, {.with_workload = true});
  if (analysis.workload == nullptr) throw std::runtime_error("no workload");
  return *analysis.workload;
}

Workload titan(const std::string& more = {}, std::int64_t world = 8) {
  return workload_of("torchtitan", "model: {name: llama3, flavor: 8B}\n" + more, world);
}

TEST(TorchTitanWorkload, OfAFlavorHasItsDimensions) {
  const ModelShape model = titan().model;
  EXPECT_EQ(model.hidden, 4096);
  EXPECT_EQ(model.ffn, 14336);
  EXPECT_EQ(model.kv_heads, 8);
  EXPECT_EQ(model.head_width, 128);
  EXPECT_EQ(model.vocabulary, 128256);
  EXPECT_TRUE(model.gated);
}

TEST(TorchTitanWorkload, KeepsGatheredWeightsByThePolicy) {
  EXPECT_FALSE(titan().sharding.keeps_gathered_weights);
  EXPECT_TRUE(titan("parallelism: {fsdp_reshard_after_forward: never}\n").sharding.keeps_gathered_weights);
  const std::string pipeline = "parallelism: {pipeline_parallel_degree: 2, fsdp_reshard_after_forward: ";
  EXPECT_TRUE(titan(pipeline + "default}\n").sharding.keeps_gathered_weights);
  EXPECT_FALSE(titan(pipeline + "always}\n").sharding.keeps_gathered_weights);
}

TEST(TorchTitanWorkload, SharesStateOverShardAndContextRanksAndCopiesItOverReplicas) {
  const Sharding sharding = titan(
                                "parallelism: {data_parallel_replicate_degree: 2, context_parallel_degree: 2, "
                                "tensor_parallel_degree: 2}\n",
                                32)
                                .sharding;
  EXPECT_EQ(sharding.dense_shards, 8);
  EXPECT_EQ(sharding.replicas, 2);
}

TEST(TorchTitanWorkload, RecomputesByItsMode) {
  const Workload eager = titan("activation_checkpoint: {mode: none}\ncompile: {enable: false}\n");
  EXPECT_EQ(eager.recompute.granularity, RecomputeGranularity::none);
  EXPECT_EQ(titan("activation_checkpoint: {mode: full}\n").recompute.granularity, RecomputeGranularity::full);
  const Workload operations = titan("activation_checkpoint: {mode: selective, selective_ac_option: op}\n");
  EXPECT_LT(operations.recompute.kept_share, 0.6);
  std::int64_t recomputed = 0;
  const Workload layers = titan("activation_checkpoint: {mode: selective, selective_ac_option: '4'}\n");
  for (const LayerKind& kind : layers.model.kinds) recomputed += kind.recomputed ? kind.count : 0;
  EXPECT_EQ(recomputed, 8);
}

TEST(TorchTitanWorkload, LeavesElementwiseTensorsToTheCompiler) {
  const Workload compiled = titan("activation_checkpoint: {mode: none}\ncompile: {enable: true}\n");
  EXPECT_TRUE(compiled.recompute.elementwise_only);
  EXPECT_GT(compiled.recompute.kept_share, 0.5);
  EXPECT_LT(compiled.recompute.kept_share, 0.8);
  const Workload eager = titan("compile: {enable: false}\n");
  EXPECT_LT(compiled.kernels.logit_bytes, eager.kernels.logit_bytes);
}

TEST(TorchTitanWorkload, KeepsFloat32WeightsWithoutACopy) {
  const Precision precision = titan().precision;
  EXPECT_EQ(precision.weights, NumberFormat::fp32);
  EXPECT_EQ(precision.compute, NumberFormat::bf16);
  EXPECT_FALSE(precision.separate_main_weights);
  EXPECT_EQ(titan("training: {dtype: bfloat16}\n").precision.first_moment, NumberFormat::bf16);
}

/// torchtitan/distributed/utils.py:maybe_enable_amp: TP or PP without FSDP switches mixed precision off.
TEST(TorchTitanWorkload, ComputesInFloat32WhereNothingCasts) {
  const auto compute = [](const std::string& degrees, std::int64_t world = 8) {
    return titan("parallelism: {" + degrees + "}\n", world).precision.compute;
  };
  EXPECT_EQ(compute("tensor_parallel_degree: 8"), NumberFormat::fp32);
  EXPECT_EQ(compute("pipeline_parallel_degree: 2", 2), NumberFormat::fp32);
  EXPECT_EQ(compute("tensor_parallel_degree: 4"), NumberFormat::bf16) << "FSDP casts";
  EXPECT_EQ(compute("data_parallel_replicate_degree: 8"), NumberFormat::bf16) << "autocast";
  EXPECT_EQ(compute("tensor_parallel_degree: 1", 1), NumberFormat::bf16) << "autocast";
}

/// torch.distributed.pipelining ScheduleLoopedBFS: GPipe over all chunks of a rank, whose bubble is the smaller for
/// them.
TEST(TorchTitanWorkload, LoopedBreadthFirstIsNoGPipeOfWholeRanks) {
  const auto idle = [](const char* schedule) {
    const Workload run = titan(std::string("parallelism: {pipeline_parallel_degree: 4, pipeline_parallel_schedule: ") +
                               schedule + "}\ntraining: {local_batch_size: 8}\n");
    return estimate_step(run, find_hardware("MI300X", MemoryFiles())).bubble_share;
  };
  EXPECT_LT(idle("LoopedBFS"), 0.75 * idle("GPipe"));
}

TEST(TorchTitanWorkload, HasAllLogitsOnEachRankWithoutLossParallelism) {
  const double split = titan("parallelism: {tensor_parallel_degree: 4}\n").kernels.logit_bytes;
  const double whole =
      titan("parallelism: {tensor_parallel_degree: 4, disable_loss_parallel: true}\n").kernels.logit_bytes;
  EXPECT_DOUBLE_EQ(whole, 4 * split);
}

TEST(TorchTitanWorkload, OfAnUnknownFlavorSaysSo) {
  const Workload workload = workload_of("torchtitan", "model: {name: llama3, flavor: 9000B}\n");
  ASSERT_EQ(workload.unknown.size(), 1U);
  EXPECT_EQ(workload.unknown.front(), "the dimensions of the model");
}

Workload maxtext(const std::string& keys, std::int64_t world = 8) {
  return workload_of("maxtext", "hardware: gpu\nper_device_batch_size: 1\n" + keys, world);
}

TEST(MaxTextWorkload, OfGemma2HasTwiceTheLayersOfItsFile) {
  const Workload workload = maxtext("model_name: gemma2-9b\n");
  EXPECT_EQ(workload.model.layers, 42);
  EXPECT_EQ(workload.model.kinds.size(), 42U);
  EXPECT_EQ(workload.model.kinds.front().window, 4096);
  EXPECT_EQ(workload.run.stages.front().front().layers, 42);
}

TEST(MaxTextWorkload, GivesEveryExpertEveryTokenInADenseProductWithoutCapacity) {
  const std::string model = "model_name: mixtral-8x7b\n";
  EXPECT_EQ(maxtext(model).model.capacity_factor, 0);
  EXPECT_EQ(maxtext(model + "sparse_matmul: false\nmegablox: false\ncapacity_factor: 1.25\n").model.capacity_factor,
            1.25);
  EXPECT_EQ(maxtext(model + "sparse_matmul: false\nmegablox: false\n").model.capacity_factor, 4);
}

TEST(MaxTextWorkload, KeepsMoreTheMoreTensorsItsPolicyNames) {
  const auto share = [](const std::string& policy) {
    return maxtext("model_name: llama3-8b\nremat_policy: " + policy + "\n").recompute.kept_share;
  };
  EXPECT_LT(share("save_out_proj"), share("save_qkv_proj") + share("save_out_proj"));
  EXPECT_LT(share("save_qkv_proj"), share("save_dot_except_mlp"));
  EXPECT_LT(share("save_dot_except_mlp"), share("save_dot_with_context_except_mlp"));
  EXPECT_LT(share("save_dot_with_context_except_mlp"), share("minimal_with_context"));
  EXPECT_LT(share("minimal"), share("minimal_with_context"));
  EXPECT_LE(share("minimal_with_context"), 1);
  EXPECT_EQ(maxtext("model_name: llama3-8b\n").recompute.granularity, RecomputeGranularity::full);
}

TEST(MaxTextWorkload, SharesDenseWeightsOverTheExpertAxisToo) {
  const Workload workload = maxtext("model_name: mixtral-8x7b\nici_expert_parallelism: 4\nici_fsdp_parallelism: 2\n");
  EXPECT_EQ(workload.sharding.dense_shards, 8);
  EXPECT_EQ(workload.sharding.expert_shards, 2);
}

TEST(MaxTextWorkload, KeepsMomentsInTheFormatOfTheWeights) {
  const Precision precision = maxtext("model_name: llama3-8b\nweight_dtype: bfloat16\n").precision;
  EXPECT_EQ(precision.second_moment, NumberFormat::bf16);
  EXPECT_EQ(precision.gradients, NumberFormat::bf16);
  EXPECT_EQ(maxtext("model_name: llama3-8b\nweight_dtype: bfloat16\nmu_dtype: float32\n").precision.first_moment,
            NumberFormat::fp32);
}

TEST(MaxTextWorkload, NamesWhatNoEstimateCovers) {
  const Workload workload = maxtext("model_name: deepseek3.2-671b\n");
  ASSERT_FALSE(workload.unknown.empty());
  EXPECT_EQ(workload.unknown.front(), "the attention indexer");
}

TEST(MaxTextWorkload, ShardsThatSamplesDoNotFillComputeAWholeOne) {
  const std::string model = "model_name: llama2-7b\n";
  EXPECT_EQ(workload_of("maxtext", model + "per_device_batch_size: 0.5\n").run.batch.micro, 1);
  EXPECT_EQ(workload_of("maxtext", model + "per_device_batch_size: 0.5\n").run.batch.global, 4);
  EXPECT_EQ(workload_of("maxtext", model + "per_device_batch_size: 2\n").run.batch.micro, 2);
}

TEST(MegatronWorkload, IsOfTheStepsBehindABatchRamp) {
  const std::string keys = "micro_batch_size: 1\nglobal_batch_size: 64\n";
  const Batch steady = workload_of("megatron", keys).run.batch;
  const Batch ramped = workload_of("megatron", keys + "rampup_batch_size: [8, 8, 100000]\n").run.batch;
  EXPECT_EQ(ramped.accumulation_steps, 8);
  EXPECT_EQ(ramped.accumulation_steps, steady.accumulation_steps);
  EXPECT_EQ(ramped.global, steady.global);
}

/// As factors they would make memory and work of less than nothing.
TEST(AnImpossibleMicroBatch, IsLeftOutAndNothingFits) {
  const Hardware hardware = find_hardware("MI300X", MemoryFiles());
  for (const auto& [backend, keys, unknown] : std::vector<std::tuple<std::string, std::string, std::string_view>>{
           {"megatron", "micro_batch_size: -4\nglobal_batch_size: 16\n", "micro_batch_size"},
           {"torchtitan", "model: {name: llama3, flavor: 8B}\ntraining: {local_batch_size: -4}\n",
            "training.local_batch_size"},
           {"maxtext", "model_name: llama2-7b\nper_device_batch_size: -4\n", "whole samples on a device"}}) {
    const Workload workload = workload_of(backend, keys);
    EXPECT_EQ(workload.run.batch.micro, 0) << backend;
    EXPECT_TRUE(std::ranges::count(workload.unknown, unknown) == 1) << backend;
    const Estimate estimate = estimate_run(workload, &hardware);
    for (const StageMemory& stage : estimate.memory.stages) {
      for (const double bytes : stage.parts) EXPECT_GE(bytes, 0) << backend;
    }
    EXPECT_FALSE(estimate.fit) << backend;
  }
}

Workload megatron(const std::string& keys) {
  return workload_of("megatron", "micro_batch_size: 1\nglobal_batch_size: 64\n" + keys);
}

/// Larger than any limit, each must be estimated or named, and never pass for a part that the model does not have.
TEST(ASizeBeyondAnyModel, IsNamedAndNothingFits) {
  const Hardware hardware = find_hardware("MI300X", MemoryFiles());
  for (const auto& [backend, keys, unknown] : std::vector<std::tuple<std::string, std::string, std::string_view>>{
           {"megatron", "vocab_size: 3000000000\n", "vocab_size"},
           {"megatron", "vocab_size: 3000000000\n", "sizes beyond 2,147,483,648"},
           {"megatron", "vocab_size: 99999999999999999999\ntokenizer_model: meta-llama/Llama-3.1-8B\n", "vocab_size"},
           {"megatron", "ffn_hidden_size: 3000000000\n", "ffn_hidden_size"},
           {"megatron", "num_experts: 3000000000\n", "num_experts"},
           {"megatron", "mtp_num_layers: 65\n", "mtp_num_layers beyond 64"},
           {"torchtitan", "model: {name: llama3, flavor: 8B, dim: 3000000000}\n", "sizes beyond 100,000,000"},
           {"maxtext", "model_name: default\nper_device_batch_size: 1\nvocab_size: 3000000000\n",
            "sizes beyond 100,000,000"}}) {
    const Workload workload = workload_of(backend, keys);
    EXPECT_EQ(std::ranges::count(workload.unknown, unknown), 1) << backend << " " << keys;
    EXPECT_FALSE(estimate_run(workload, &hardware).fit) << backend << " " << keys;
  }
  EXPECT_TRUE(megatron("vocab_size: 2000000000\n").unknown.empty());
}

double memory_of(const Workload& workload) { return estimate_memory(workload).device.expected; }

TEST(MegatronWorkload, ACapacityWithoutPaddingOnlyTakesTokensAway) {
  const std::string model =
      "num_experts: 16\nmoe_router_topk: 2\nmoe_token_dispatcher_type: alltoall\nmoe_router_load_balancing_type: "
      "aux_loss\n";
  const Hardware part = find_hardware("MI300X", MemoryFiles());
  const auto with = [&](const char* factor, const char* pads) {
    return megatron(model + "moe_expert_capacity_factor: " + factor + "\nmoe_pad_expert_input_to_capacity: " + pads +
                    "\n");
  };
  const double dropless = memory_of(megatron(model));
  const double seconds = estimate_step(megatron(model), part).seconds;
  for (const char* factor : {"1.0", "1.5", "4.0", "100.0"}) {
    EXPECT_LE(memory_of(with(factor, "false")), dropless) << factor;
    EXPECT_LE(estimate_step(with(factor, "false"), part).seconds, seconds) << factor;
  }
  EXPECT_LT(memory_of(with("1.0", "false")), dropless);
  EXPECT_LT(memory_of(with("0.5", "false")), memory_of(with("1.0", "false")));
  EXPECT_GT(memory_of(with("4.0", "true")), dropless);
  EXPECT_GT(estimate_step(with("4.0", "true"), part).seconds, seconds);
}

/// Gathering sends every token to all ranks of the experts: more than its few copies where those ranks are many.
TEST(MegatronWorkload, TheDispatcherChangesWhatExpertsExchange) {
  const auto with = [](const char* dispatcher, int topk) {
    return megatron("num_experts: 16\nexpert_model_parallel_size: 8\nmoe_router_topk: " + std::to_string(topk) +
                    "\nmoe_token_dispatcher_type: " + dispatcher + "\n");
  };
  const Hardware part = find_hardware("MI300X", MemoryFiles());
  const auto exchange = [&](const Workload& workload) {
    const StepEstimate step = estimate_step(workload, part);
    return step.parts[static_cast<std::size_t>(TimePart::expert_exchange)];
  };
  EXPECT_GT(exchange(with("allgather", 1)), exchange(with("alltoall", 1)));
  EXPECT_DOUBLE_EQ(exchange(with("allgather", 1)), exchange(with("allgather", 8)));
  EXPECT_LT(exchange(with("alltoall", 1)), exchange(with("alltoall", 8)));
  const auto assumes = [&](const Workload& workload) {
    const MemoryDevice device = memory_device(&part);
    const std::vector<std::string> lines = memory_assumptions(workload, estimate_memory(workload, device), device);
    return std::ranges::any_of(lines, [](const std::string& line) { return line.starts_with("RCCL's all-to-all"); });
  };
  EXPECT_TRUE(assumes(with("alltoall", 1)));
  EXPECT_FALSE(assumes(with("allgather", 1)));
}

/// Whatever goes to host memory is seen in memory, in what is assumed of it, or both, and beside the step.
TEST(HostMemory, IsNeverSilent) {
  const std::vector<std::tuple<std::string, std::string>> cases{
      {"megatron", "optimizer_cpu_offload: true\nuse_precision_aware_optimizer: true\n"},
      {"megatron", "cpu_offloading: true\ncpu_offloading_num_layers: 4\n"},
      {"megatron", "fine_grained_activation_offloading: true\noffload_modules: [moe_act]\n"},
      {"torchtitan", "model: {name: llama3, flavor: 8B}\ntraining: {enable_cpu_offload: true}\n"},
      {"maxtext", "model_name: llama2-7b\nper_device_batch_size: 1\noptimizer_memory_host_offload: true\n"},
      {"maxtext", "model_name: llama2-7b\nper_device_batch_size: 1\nparameter_memory_host_offload: true\n"},
      {"maxtext",
       "model_name: llama2-7b\nper_device_batch_size: 1\nremat_policy: custom\ndecoder_layer_input: offload\n"},
      {"maxtext", "model_name: llama2-7b\nper_device_batch_size: 1\nremat_policy: minimal_offloaded\n"}};
  for (const auto& [backend, keys] : cases) {
    const Workload workload = workload_of(backend, keys);
    EXPECT_EQ(step_remarks(workload).size(), 1U) << keys;
    const std::vector<std::string> assumed = memory_assumptions(workload, estimate_memory(workload));
    EXPECT_TRUE(std::ranges::any_of(assumed, [](const std::string& one) {
      return one.find("host memory") != std::string::npos;
    })) << keys;
  }
}

TEST(HostMemory, TakesStateAndActivationsOffTheGpu) {
  const auto part_of = [](const Workload& w, MemoryPart part) { return estimate_memory(w).stages.at(0)[part]; };
  const Workload offloaded = titan("training: {enable_cpu_offload: true}\n");
  for (const MemoryPart part : {MemoryPart::weights, MemoryPart::gradients, MemoryPart::optimizer}) {
    EXPECT_GT(part_of(titan(), part), 0);
    EXPECT_EQ(part_of(offloaded, part), 0);
  }
  EXPECT_EQ(part_of(offloaded, MemoryPart::gathered_weights), part_of(titan(), MemoryPart::gathered_weights));
  const auto activations = [&](const std::string& layers) {
    return part_of(megatron("cpu_offloading: true\ncpu_offloading_num_layers: " + layers + "\n"),
                   MemoryPart::activations);
  };
  const double all = part_of(megatron(""), MemoryPart::activations);
  EXPECT_LT(activations("8"), all);
  EXPECT_LT(activations("16"), activations("8"));
  EXPECT_GT(activations("16"), 0.3 * all);
}

}  // namespace
}  // namespace primus_plan
