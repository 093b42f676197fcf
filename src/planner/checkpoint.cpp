#include <fmt/core.h>

#include <array>
#include <utility>

#include "primus_plan/planner/compare.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// The final value of a key: what the runtime made of it, else what was written. Null when neither.
const Node* value_of(const ComparedRun& run, std::string_view key) {
  for (const auto& [name, value] : run.analysis.effective) {
    if (name == key) return value.get();
  }
  return run.module.params != nullptr ? run.module.params->at_path(key) : nullptr;
}

bool flag(const ComparedRun& run, std::string_view key, bool fallback) {
  const Node* value = value_of(run, key);
  return value != nullptr && value->kind == Kind::boolean ? value->boolean : fallback;
}

std::string word(const ComparedRun& run, std::string_view key, std::string_view fallback) {
  const Node* value = value_of(run, key);
  return value != nullptr && value->is_string() ? value->text : std::string(fallback);
}

struct Degree {
  std::string_view name;
  std::int64_t Degrees::*member;
};

/// "TP 8 and 4, PP 1 and 2": the degrees that differ.
std::string changed(const ComparedRun& before, const ComparedRun& after, std::span<const Degree> degrees) {
  std::vector<std::string> out;
  for (const Degree& degree : degrees) {
    const std::int64_t a = before.analysis.run.degrees.*degree.member;
    const std::int64_t b = after.analysis.run.degrees.*degree.member;
    if (a != b) out.push_back(fmt::format("{} {} and {}", degree.name, a, b));
  }
  return join(out, ", ");
}

constexpr std::array model_parallel{Degree{"TP", &Degrees::tensor}, Degree{"PP", &Degrees::pipeline}};
constexpr std::array weight_parallel{Degree{"TP", &Degrees::tensor}, Degree{"PP", &Degrees::pipeline},
                                     Degree{"VPP", &Degrees::virtual_pipeline}, Degree{"EP", &Degrees::expert},
                                     Degree{"ETP", &Degrees::expert_tensor}};
constexpr std::array data_parallel{Degree{"DP", &Degrees::data}};
constexpr std::array any_parallel{
    Degree{"TP", &Degrees::tensor},  Degree{"PP", &Degrees::pipeline}, Degree{"VPP", &Degrees::virtual_pipeline},
    Degree{"CP", &Degrees::context}, Degree{"EP", &Degrees::expert},   Degree{"ETP", &Degrees::expert_tensor},
    Degree{"DP", &Degrees::data}};

CheckpointAnswer megatron_torch(const ComparedRun& before, const ComparedRun& after) {
  const std::string weights = changed(before, after, weight_parallel);
  if (!changed(before, after, model_parallel).empty()) {
    return {Resumes::no,
            {fmt::format("ckpt_format torch keeps a file for each TP and PP rank and Megatron compares both when it "
                         "loads ({}); convert the checkpoint, or save with ckpt_format torch_dist",
                         weights)}};
  }
  if (!weights.empty()) {
    return {Resumes::no,
            {fmt::format("ckpt_format torch keeps each rank's own layers and experts in its file ({}); save with "
                         "ckpt_format torch_dist",
                         weights)}};
  }
  const std::string replicas = changed(before, after, data_parallel);
  const bool sharded = flag(before, "use_distributed_optimizer", false);
  if (!replicas.empty() && sharded) {
    return {Resumes::yes,
            {fmt::format("ckpt_format torch gathers the distributed optimizer's states on one rank of each "
                         "data-parallel group and deals them out again ({})",
                         replicas)}};
  }
  return {Resumes::yes, {"the files of ckpt_format torch hold what each rank needs"}};
}

CheckpointAnswer megatron_torch_dist(const ComparedRun& before, const ComparedRun& after) {
  const std::string weights = changed(before, after, weight_parallel);
  if (weights.empty()) {
    const std::string replicas = changed(before, after, data_parallel);
    if (replicas.empty()) return {Resumes::yes, {"same parallel sizes"}};
    if (!flag(before, "ckpt_fully_parallel_save", true) && flag(before, "use_distributed_optimizer", false)) {
      return {Resumes::partly,
              {fmt::format("weights load; Megatron warns that without ckpt_fully_parallel_save the distributed "
                           "optimizer's states do not follow another parallelism ({}); no_load_optim: true leaves "
                           "them out",
                           replicas)}};
    }
    return {Resumes::yes,
            {fmt::format("ckpt_format torch_dist deals weights and optimizer states out again ({})", replicas)}};
  }
  if (!flag(before, "use_distributed_optimizer", false)) {
    return {Resumes::yes,
            {fmt::format("ckpt_format torch_dist reshards weights and the optimizer's states ({}); random states are "
                         "not restored",
                         weights)}};
  }
  if (flag(before, "dist_ckpt_optim_fully_reshardable", false)) {
    return {Resumes::yes,
            {fmt::format("dist_ckpt_optim_fully_reshardable keeps the optimizer's states by weight, so that they "
                         "reshard with the weights ({}); random states are not restored",
                         weights)}};
  }
  return {
      Resumes::partly,
      {fmt::format("weights reshard ({}), the distributed optimizer's states do not: they are kept by data-parallel "
                   "shard, and Megatron stops when it loads them with another TP or PP",
                   weights),
       "save with dist_ckpt_optim_fully_reshardable: true, or load with no_load_optim: true and start the "
       "optimizer anew"}};
}

CheckpointAnswer megatron(const ComparedRun& before, const ComparedRun& after) {
  const std::string format = word(before, "ckpt_format", "torch_dist");
  const std::string reads = word(after, "ckpt_format", "torch_dist");
  // Between torch and torch_dist Megatron takes the format from the checkpoint itself.
  const auto is_megatrons = [](const std::string& name) { return name == "torch" || name == "torch_dist"; };
  if (format != reads && !(is_megatrons(format) && is_megatrons(reads))) {
    return {Resumes::no, {fmt::format("the checkpoint has ckpt_format {} and the run reads {}", format, reads)}};
  }
  if (format == "torch") return megatron_torch(before, after);
  if (format == "torch_dist") return megatron_torch_dist(before, after);
  const std::string sizes = changed(before, after, any_parallel);
  if (sizes.empty()) return {Resumes::yes, {"same parallel sizes"}};
  return {Resumes::yes,
          {fmt::format("ckpt_format {} keeps distributed tensors, which reshard when they are loaded ({})", format,
                       sizes)}};
}

CheckpointAnswer torchtitan(const ComparedRun& before, const ComparedRun& after) {
  CheckpointAnswer out{Resumes::yes,
                       {"TorchTitan's distributed checkpoint reshards weights and optimizer states to any degrees"}};
  const std::string replicas = changed(before, after, data_parallel);
  if (!replicas.empty()) {
    out.resumes = Resumes::partly;
    out.reasons.push_back(
        fmt::format("the data loader's state is kept by data-parallel rank and its number is compared ({}): put "
                    "dataloader into checkpoint.exclude_from_loading",
                    replicas));
  }
  if (!flag(before, "checkpoint.enable", false)) {
    out.reasons.emplace_back("the first run writes no checkpoints: checkpoint.enable is false");
  }
  return out;
}

CheckpointAnswer maxtext(const ComparedRun& before, const ComparedRun& after) {
  constexpr std::array stages{Degree{"PP", &Degrees::pipeline}, Degree{"VPP", &Degrees::virtual_pipeline}};
  const std::string pipeline = changed(before, after, stages);
  if (!pipeline.empty()) {
    return {
        Resumes::no,
        {fmt::format("MaxText's pipeline makes stages and repeats axes of the weights ({}), so the shapes that orbax "
                     "restores differ; keep them, or convert the checkpoint",
                     pipeline)}};
  }
  const bool scans_before = flag(before, "scan_layers", true);
  const bool scans_after = flag(after, "scan_layers", true);
  if (scans_before != scans_after) {
    return {Resumes::no, {"scan_layers stacks the layers' weights and differs; convert the checkpoint"}};
  }
  CheckpointAnswer out{Resumes::yes, {"orbax restores weights and optimizer states to any mesh of the same stages"}};
  if (!flag(before, "enable_checkpointing", false)) {
    out.reasons.emplace_back("the first run writes no checkpoints: enable_checkpointing is false");
  }
  return out;
}

struct Format {
  std::string_view framework;
  CheckpointAnswer (*answer)(const ComparedRun& before, const ComparedRun& after);
};
constexpr std::array formats{Format{"megatron", megatron}, Format{"torchtitan", torchtitan},
                             Format{"maxtext", maxtext}};

}  // namespace

std::string_view to_string(Resumes resumes) {
  switch (resumes) {
    case Resumes::yes:
      return "yes";
    case Resumes::partly:
      return "in part";
    case Resumes::no:
      return "no";
    case Resumes::unknown:
      return "unknown";
  }
  return "";
}

CheckpointAnswer checkpoint_loads(const ComparedRun& before, const ComparedRun& after) {
  const std::string& framework = before.analysis.framework;
  if (framework != after.analysis.framework) {
    return {Resumes::no,
            {fmt::format("{} does not read {}'s checkpoints; convert the weights, through Hugging Face's format say",
                         after.analysis.framework, framework)}};
  }
  if (before.analysis.errors > 0 || after.analysis.errors > 0) {
    return {Resumes::unknown, {"a run that does not start writes and reads nothing"}};
  }
  const auto& a = before.analysis.workload;
  const auto& b = after.analysis.workload;
  if (a != nullptr && b != nullptr) {
    const std::vector<std::string> differences = model_differences(a->model, b->model);
    if (!differences.empty()) {
      return {Resumes::no, {fmt::format("the models differ: {}", join(differences, ", "))}};
    }
    if (a->model.vocabulary != b->model.vocabulary && (a->model.vocabulary == 0 || b->model.vocabulary == 0)) {
      return {Resumes::unknown, {"the vocabulary of one of them is not stated, and the embedding has its size"}};
    }
  }
  for (const Format& format : formats) {
    if (format.framework == framework) return format.answer(before, after);
  }
  return {};
}

}  // namespace primus_plan
