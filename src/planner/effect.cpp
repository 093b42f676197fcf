#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "primus_plan/planner/compare.h"

namespace primus_plan {
namespace {

/// Whole keys that their words would put elsewhere.
constexpr std::array trains_keys{std::string_view("training.dataset_path"),
                                 std::string_view("data_path"),
                                 std::string_view("train_data_path"),
                                 std::string_view("hf_path"),
                                 std::string_view("hf_data_dir"),
                                 std::string_view("tokenizer_path"),
                                 std::string_view("model.hf_assets_path"),
                                 std::string_view("load"),
                                 std::string_view("pretrained_checkpoint"),
                                 std::string_view("checkpoint.initial_load_path"),
                                 std::string_view("load_parameters_path"),
                                 std::string_view("load_full_state_path"),
                                 std::string_view("gradient_clipping_threshold"),
                                 std::string_view("global_batch_size_to_train_on")};
constexpr std::array runs_keys{std::string_view("micro_batch_size"),
                               std::string_view("training.local_batch_size"),
                               std::string_view("per_device_batch_size"),
                               std::string_view("gradient_accumulation_steps"),
                               std::string_view("padded_vocab_size"),
                               std::string_view("num_target_devices"),
                               std::string_view("micro_batch_size_to_train_on"),
                               std::string_view("global_batch_size_to_load"),
                               std::string_view("world_size"),
                               std::string_view("num_microbatches"),
                               std::string_view("num_slices"),
                               std::string_view("pp_algorithm"),
                               std::string_view("attention"),
                               std::string_view("optimizer.implementation")};

/// Words of keys that say how a run computes.
constexpr std::array runs_words{
    std::string_view("parallel"),    std::string_view("parallelism"),  std::string_view("recompute"),
    std::string_view("overlap"),     std::string_view("pipeline"),     std::string_view("fsdp"),
    std::string_view("fsdp2"),       std::string_view("ddp"),          std::string_view("offload"),
    std::string_view("bucket"),      std::string_view("buffer"),       std::string_view("buffers"),
    std::string_view("comm"),        std::string_view("p2p"),          std::string_view("sharding"),
    std::string_view("shard"),       std::string_view("reshard"),      std::string_view("gather"),
    std::string_view("distributed"), std::string_view("fusion"),       std::string_view("fused"),
    std::string_view("graph"),       std::string_view("graphs"),       std::string_view("compile"),
    std::string_view("remat"),       std::string_view("dispatcher"),   std::string_view("deepep"),
    std::string_view("turbo"),       std::string_view("ici"),          std::string_view("dcn"),
    std::string_view("mesh"),        std::string_view("gloo"),         std::string_view("nccl"),
    std::string_view("rccl"),        std::string_view("microbatches"), std::string_view("microbatch"),
    std::string_view("virtual"),     std::string_view("stage"),        std::string_view("stages"),
    std::string_view("workers"),     std::string_view("gc"),           std::string_view("backend"),
    std::string_view("checkpoint"),  std::string_view("collective"),   std::string_view("flash"),
    std::string_view("impl"),        std::string_view("permute"),      std::string_view("scan"),
    std::string_view("xla"),         std::string_view("hardware"),     std::string_view("accumulation"),
    std::string_view("sync"),        std::string_view("stream"),       std::string_view("streams"),
    std::string_view("layout")};

/// Words of keys that say what a run writes down.
constexpr std::array tells_words{
    std::string_view("log"),         std::string_view("logging"),  std::string_view("logger"),
    std::string_view("tensorboard"), std::string_view("wandb"),    std::string_view("mlflow"),
    std::string_view("profile"),     std::string_view("profiler"), std::string_view("profiling"),
    std::string_view("metrics"),     std::string_view("timing"),   std::string_view("timeout"),
    std::string_view("save"),        std::string_view("ckpt"),     std::string_view("checkpointing"),
    std::string_view("sink"),        std::string_view("snapshot"), std::string_view("eval"),
    std::string_view("evaluation"),  std::string_view("exp"),      std::string_view("workspace"),
    std::string_view("dump"),        std::string_view("debug"),    std::string_view("throughput"),
    std::string_view("name"),        std::string_view("output"),   std::string_view("timers"),
    std::string_view("memory"),      std::string_view("interval"), std::string_view("validation")};

/// Sections whose keys all have one effect.
constexpr std::array tells_sections{
    std::string_view("metrics."),           std::string_view("profiling."), std::string_view("checkpoint."),
    std::string_view("validation."),        std::string_view("comm."),      std::string_view("debug."),
    std::string_view("memory_estimation."), std::string_view("job.")};
constexpr std::array runs_sections{std::string_view("parallelism."), std::string_view("activation_checkpoint."),
                                   std::string_view("compile."), std::string_view("fault_tolerance.")};

bool any_prefix(std::string_view key, std::span<const std::string_view> sections) {
  return std::ranges::any_of(sections, [&](std::string_view section) { return key.starts_with(section); });
}

bool any_word(std::string_view key, std::span<const std::string_view> words) {
  while (!key.empty()) {
    const std::size_t end = std::min(key.find_first_of("._"), key.size());
    if (std::ranges::find(words, key.substr(0, end)) != words.end()) return true;
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return false;
}

bool contains(std::span<const std::string_view> list, std::string_view key) {
  return std::ranges::find(list, key) != list.end();
}

}  // namespace

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::trains:
      return "trains";
    case Effect::runs:
      return "runs";
    case Effect::tells:
      return "tells";
    case Effect::unread:
      return "unread";
  }
  return "";
}

Effect effect_of(std::string_view key) {
  if (contains(trains_keys, key)) return Effect::trains;
  if (contains(runs_keys, key)) return Effect::runs;
  if (any_prefix(key, tells_sections)) return Effect::tells;
  if (any_prefix(key, runs_sections)) return Effect::runs;
  // model_name, dataset_name and optimizer.name are about the training.
  const std::string_view last = key.substr(key.rfind('.') == std::string_view::npos ? 0 : key.rfind('.') + 1);
  const bool names_training = last == "model_name" || key == "model.name" || key == "optimizer.name" ||
                              last == "dataset_name" || last == "tokenizer_name";
  if (names_training) return Effect::trains;
  if (any_word(key, runs_words)) return Effect::runs;
  return any_word(key, tells_words) ? Effect::tells : Effect::trains;
}

}  // namespace primus_plan
