#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/new_experiment.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

/// Overrides, a line each, indented by the caller.
using Lines = std::vector<std::string>;

constexpr std::int64_t usual_sequence = 8192;
constexpr std::int64_t sequence_where_unknown = 4096;
constexpr std::int64_t usual_vocabulary = 128'000;

struct Plan {
  const NewExperimentRequest& request;
  const GuessTask& task;
  const FirstGuess& guess;
};

template <class... Args>
void add(Lines& lines, fmt::format_string<Args...> text, Args&&... values) {
  lines.push_back(fmt::format(text, std::forward<Args>(values)...));
}

/// Layers of the last stage where they do not split evenly; 0 where they do, or where that cannot help.
std::int64_t layers_of_last_stage(std::int64_t layers, std::int64_t stages) {
  if (layers % stages == 0) return 0;
  const std::int64_t others = (layers + stages - 1) / stages;
  return std::max<std::int64_t>(0, layers - others * (stages - 1));
}

Lines megatron_lines(const Plan& e) {
  const FirstGuess& g = e.guess;
  Lines out;
  add(out, "tensor_model_parallel_size: {}", g.tensor);
  add(out, "pipeline_model_parallel_size: {}", g.pipeline);
  add(out, "context_parallel_size: {}", g.context);
  if (e.task.model.experts > 0) {
    add(out, "expert_model_parallel_size: {}", g.expert);
    add(out, "expert_tensor_parallel_size: 1");
  }
  add(out, "sequence_parallel: {}", g.tensor > 1);
  if (const std::int64_t last = layers_of_last_stage(e.task.model.layers, g.pipeline); last > 0) {
    add(out, "decoder_last_pipeline_num_layers: {}", last);
  }
  add(out, "");
  add(out, "micro_batch_size: {}", g.micro_batch);
  add(out, "global_batch_size: {}", g.global_batch);
  add(out, "seq_length: {}", e.task.sequence_length);
  add(out, "max_position_embeddings: {}", e.task.sequence_length);
  add(out, "train_iters: 1000");
  add(out, "");
  if (g.recompute) {
    out.insert(out.end(), {"recompute_granularity: full", "recompute_method: uniform", "recompute_num_layers: 1", ""});
  }
  const bool replicas = g.data * g.context > 1;
  add(out, "use_distributed_optimizer: {}", replicas);
  add(out, "overlap_grad_reduce: {}", replicas);
  add(out, "overlap_param_gather: {}", replicas);
  out.insert(out.end(),
             {"", "lr: 1.5e-4", "min_lr: 1.5e-5", "lr_warmup_iters: 100", "", "mock_data: true", "finetune: false"});
  return out;
}

Lines torchtitan_lines(const Plan& e) {
  const FirstGuess& g = e.guess;
  Lines out = {"parallelism:"};
  add(out, "  tensor_parallel_degree: {}", g.tensor);
  add(out, "  pipeline_parallel_degree: {}", g.pipeline);
  add(out, "  context_parallel_degree: {}", g.context);
  add(out, "  expert_parallel_degree: {}", g.expert);
  add(out, "  data_parallel_replicate_degree: {}", g.data * g.context / g.shards);
  add(out, "  data_parallel_shard_degree: {}", g.shards / g.context);
  add(out, "");
  add(out, "training:");
  // A pipeline cuts each local batch into its micro-batches and needs as many as it has stages.
  const std::int64_t local = g.pipeline > 1 ? g.micro_batch * 4 * g.pipeline : g.micro_batch;
  add(out, "  local_batch_size: {}", local);
  add(out, "  global_batch_size: {}", std::max<std::int64_t>(1, g.global_batch / (local * g.data)) * local * g.data);
  add(out, "  seq_len: {}", e.task.sequence_length);
  add(out, "  steps: 1000");
  out.insert(out.end(), {"", "optimizer:", "  lr: 1.5e-4", "", "lr_scheduler:", "  warmup_steps: 100", ""});
  add(out, "activation_checkpoint:");
  add(out, "  mode: {}", g.recompute ? "full" : "selective");
  if (g.context > 1) out.insert(out.end(), {"", "primus_turbo:", "  use_turbo_attention: false"});
  return out;
}

Lines maxtext_lines(const Plan& e) {
  const FirstGuess& g = e.guess;
  const std::int64_t nodes = (e.task.gpus + e.task.gpus_per_node - 1) / e.task.gpus_per_node;
  const std::int64_t on_node = e.task.gpus / nodes;
  const bool shares_over_nodes = g.shards * g.tensor > on_node;
  Lines out;
  add(out, "ici_fsdp_parallelism: {}", on_node / (g.tensor * g.context * g.expert));
  add(out, "ici_tensor_parallelism: {}", g.tensor);
  if (g.context > 1) add(out, "ici_context_parallelism: {}", g.context);
  if (g.expert > 1) add(out, "ici_expert_parallelism: {}", g.expert);
  add(out, "dcn_data_parallelism: {}", shares_over_nodes ? 1 : nodes);
  add(out, "dcn_fsdp_parallelism: {}", shares_over_nodes ? nodes : 1);
  add(out, "");
  add(out, "per_device_batch_size: {}", static_cast<double>(g.micro_batch) / static_cast<double>(g.tensor * g.context));
  add(out, "max_target_length: {}", e.task.sequence_length);
  // The ring of context parallel takes no packed samples.
  if (g.context > 1) add(out, "packing: false");
  add(out, "remat_policy: {}", g.recompute ? "full" : "minimal");
  if (e.task.model.experts > 0) add(out, "megablox: false");
  out.insert(out.end(), {"", "steps: 1000", "dataset_type: synthetic", "enable_checkpointing: false",
                         "async_checkpointing: false"});
  return out;
}

struct Writer {
  std::string_view framework;
  StateLayout state;
  double shared_bytes_of_parameter;  ///< see GuessTask; MaxText's presets hold everything in bf16
  bool pipelines;                    ///< a first layout may have them
  bool context_needs_keys;           ///< see GuessTask
  bool splits_within_node;           ///< see GuessTask
  Lines (*lines)(const Plan&);
};

constexpr std::array writers = {
    Writer{.framework = "megatron",
           .state = StateLayout::optimizer_shards,
           .shared_bytes_of_parameter = 0,
           .pipelines = true,
           .context_needs_keys = false,
           .splits_within_node = false,
           .lines = megatron_lines},
    Writer{.framework = "torchtitan",
           .state = StateLayout::weight_shards,
           .shared_bytes_of_parameter = 16,
           .pipelines = true,
           .context_needs_keys = true,
           .splits_within_node = false,
           .lines = torchtitan_lines},
    Writer{.framework = "maxtext",
           .state = StateLayout::weight_shards,
           .shared_bytes_of_parameter = 8,
           .pipelines = false,
           .context_needs_keys = true,
           .splits_within_node = true,
           .lines = maxtext_lines},
};

const Writer* find_writer(std::string_view framework) {
  for (const Writer& writer : writers) {
    if (writer.framework == framework) return &writer;
  }
  return nullptr;
}

/// "683B parameters (671B without multi-token prediction)".
std::string size_text(const ModelSize& size) {
  std::string out = fmt::format("{:.3g}B parameters", size.parameters() / 1e9);
  if (size.prediction_parameters > 0)
    out += fmt::format(" ({:.3g}B without multi-token prediction)", size.parameters_without_prediction() / 1e9);
  if (size.vocabulary == 0) out += " without the vocabulary, which is not known";
  return out;
}

std::string_view recompute_reason(const FirstGuess& guess) {
  if (!guess.recompute) return "activations fit beside the states without full recompute";
  if (guess.recompute_is_choice) return "layers are recomputed, which leaves memory to spare";
  return "layers are recomputed, for their activations do not fit beside the states";
}

std::string reasons(const Plan& e) {
  const FirstGuess& g = e.guess;
  std::string split = fmt::format("TP {}", g.tensor);
  if (e.task.pipelines) split += fmt::format(", PP {}", g.pipeline);
  if (g.context > 1) split += fmt::format(", CP {}", g.context);
  if (e.task.model.experts > 0) split += fmt::format(", EP {}", g.expert);
  const std::int64_t sharers = e.task.state == StateLayout::weight_shards ? g.shards : g.data * g.context;
  const std::string shared = sharers == 1 ? "nothing is shared"
                             : e.task.state == StateLayout::weight_shards
                                 ? fmt::format("{} GPUs share the weights", sharers)
                                 : fmt::format("Adam's states over {} ranks", sharers);
  return fmt::format(
      "# {}: {}; {}; about {:.0f} of {:.0f} GiB on {}, as estimated.\n"
      "# DP {}; {}. A start: measure, then change.\n",
      size_text(e.request.model.size), split, shared, g.bytes / gib, e.task.memory_bytes / gib, e.request.hardware.name,
      g.data, recompute_reason(g));
}

}  // namespace

GuessTask guess_task(const NewExperimentRequest& request) {
  const ModelSize& size = request.model.size;
  GuessTask task;
  task.model = size;
  if (size.vocabulary == 0) {  // of a tokenizer that is in no table: a rough count needs some
    task.model.vocabulary = usual_vocabulary;
    task.model.dense_parameters += 2 * static_cast<double>(usual_vocabulary) * static_cast<double>(size.hidden);
  }
  task.gpus = request.gpus;
  task.gpus_per_node = std::min(request.gpus_per_node, request.gpus);
  task.memory_bytes = request.hardware.memory_bytes;
  task.sequence_length = request.sequence_length;
  if (task.sequence_length == 0) {
    task.sequence_length =
        size.longest_sequence > 0 ? std::min(size.longest_sequence, usual_sequence) : sequence_where_unknown;
  }
  if (const Writer* writer = find_writer(request.model.framework)) {
    task.state = writer->state;
    task.shared_bytes_of_parameter = writer->shared_bytes_of_parameter;
    task.pipelines = writer->pipelines;
    task.context_needs_keys = writer->context_needs_keys;
    task.splits_within_node = writer->splits_within_node;
  }
  return task;
}

std::string experiment_text(const NewExperimentRequest& request, const GuessTask& task, const FirstGuess& guess) {
  const Writer* writer = find_writer(request.model.framework);
  if (writer == nullptr) return {};
  const Plan plan{request, task, guess};
  const std::string why = reasons(plan);
  const auto hint = guess_hardware("", why);
  const std::string_view part = hint ? std::string_view() : built_in_name(request.hardware.name);
  const LaunchComment comment{
      .world_size = task.gpus, .gpus_per_node = request.gpus_per_node, .hardware = std::string(part)};
  std::string text = fmt::format("# primus-plan: {}\n{}", to_words(comment), why);
  text += fmt::format(
      "work_group: team\nuser_name: user\nexp_name: {}-{}gpu\nworkspace: ./output\n\nmodules:\n  pre_trainer:\n"
      "    framework: {}\n    config: pre_trainer.yaml\n    model: {}\n    overrides:\n",
      request.model.name(), task.gpus, request.model.framework, request.model.preset);
  for (const std::string& line : writer->lines(plan)) text += line.empty() ? "\n" : fmt::format("      {}\n", line);
  return text;
}

}  // namespace primus_plan
