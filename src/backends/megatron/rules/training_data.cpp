#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

void dataloader_unknown(const MegatronRun& run, Findings& out) {
  const std::string_view type = *run.config.dataloader_type;
  if (type == "single" || type == "cyclic" || type == "external") return;
  out.add(run.config.dataloader_type, [&](Message& m) {
    m.say("dataloader_type {} is none of single, cyclic, external", type);
    offer_word(m, run.config.dataloader_type, "single|cyclic|external");
  });
}

/// Primus's diffusion models bring data loaders of their own; what its fine-tuning brings is not judged.
void external_dataloader(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool builds_dataset =
      (*config.model_type == "gpt" || *config.model_type == "mamba") && !*config.sft && *config.stage != "sft";
  if (*config.dataloader_type != "external" || !builds_dataset || *config.skip_train) return;
  out.add(config.dataloader_type, [&](Message& m) {
    m.say("dataloader_type external takes the dataset for a data loader, which the one of pre-training is not");
    m.help("cyclic and single build a data loader; external is for programs that bring their own");
    m.fix("take the preset's", config.dataloader_type, "cyclic");
  });
}

void two_data_sources(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool any = config.data_path.value != nullptr;
  const Raw* split = nullptr;
  for (const Raw* path : {&config.train_data_path, &config.valid_data_path, &config.test_data_path}) {
    if (path->value != nullptr) split = path;
  }
  if (!any || split == nullptr || *config.mock_data) return;
  out.add(config.data_path, [&](Message& m) {
    m.say("data_path and {} are both set: data comes from one source", split->key);
    m.also(*split);
    m.help("keep data_path (with split), or the paths for each split, or mock_data: true");
  });
}

void dataset_threads(const MegatronRun& run, Findings& out) {
  const auto threads = run.config.num_dataset_builder_threads.value;
  if (threads && *threads > 0) return;
  out.add(run.config.num_dataset_builder_threads, [&](Message& m) {
    m.say("num_dataset_builder_threads must be 1 or more");
    m.fix("set it to 1", run.config.num_dataset_builder_threads, "1");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG228",
      .name = "dataloader-type",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/datasets/data_samplers.py:build_pretraining_data_loader",
      .outcome = "Megatron stops when it builds the data loader (Exception)",
      .summary = "dataloader_type is single, cyclic or external.",
      .explanation =
          "null means single. Primus's pre_trainer preset takes cyclic. external is for programs that bring a loader.",
      .bad = {.world_size = 8, .yaml = "dataloader_type: batch\n"},
      .good = {.world_size = 8, .yaml = "dataloader_type: cyclic\n"}},
     dataloader_unknown},
    {{.id = "MG240",
      .name = "external-dataloader",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/training/datasets/data_samplers.py:build_pretraining_data_loader",
      .outcome = "Megatron stops at the first step (TypeError: the dataset is not an iterator)",
      .summary = "Pre-training builds its data loader itself: single or cyclic.",
      .explanation = "external hands on what the program made as its dataset, to take batches from. The pre-training "
                     "programs make an indexed dataset, which gives samples by number only.",
      .bad = {.world_size = 8, .yaml = "dataloader_type: external\n"},
      .good = {.world_size = 8, .yaml = "dataloader_type: single\n"}},
     external_dataloader},
    {{.id = "MG229",
      .name = "two-data-sources",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Data comes from one source.",
      .explanation = "data_path (with split), or train_data_path, valid_data_path, test_data_path, or mock_data. "
                     "Primus clears all paths when mock_data is on.",
      .bad = {.world_size = 8,
              .yaml = "mock_data: false\n"
                      "data_path: a\n"
                      "train_data_path: b\n"},
      .good = {.world_size = 8,
               .yaml = "mock_data: true\n"
                       "data_path: a\n"
                       "train_data_path: b\n"}},
     two_data_sources},
    {{.id = "MG230",
      .name = "dataset-builder-threads",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "num_dataset_builder_threads is 1 or more.",
      .explanation = "Each thread builds part of the dataset index.",
      .bad = {.world_size = 8, .yaml = "num_dataset_builder_threads: 0\n"},
      .good = {.world_size = 8, .yaml = "num_dataset_builder_threads: 1\n"}},
     dataset_threads},
};

}  // namespace

RuleList training_data_rules() { return rules; }

}  // namespace primus_plan::megatron
