#include <cmath>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

void ramp_up_start(const MaxTextRun& run, Findings& out) {
  if (!*run.config.enable_rampup_batch_size) return;
  const double size = *run.config.per_device_batch_size;
  const Number& start = run.config.per_device_batch_size_start;
  const Number& step = run.config.per_device_batch_size_increment;
  if (size <= *start) {
    out.add(start, [&](Message& m) {
      m.say("the batch cannot grow from per_device_batch_size_start {} to per_device_batch_size {}",
            number_text(*start), number_text(size));
      m.also(run.config.per_device_batch_size);
      because_of_model_file(m, run, start);
      m.help("start below {}", number_text(size));
    });
  } else if (*step == 0 || std::fmod(size - *start, *step) != 0) {
    out.add(step, [&](Message& m) {
      m.say("per_device_batch_size_increment {} does not lead from {} to {}", number_text(*step), number_text(*start),
            number_text(size));
      m.because("{} - {} = {} is not a multiple of it", number_text(size), number_text(*start),
                number_text(size - *start));
      m.also(start).also(run.config.per_device_batch_size);
    });
  }
}

void expansion_factor(const MaxTextRun& run, Findings& out) {
  const Number& factor = run.config.expansion_factor_real_data;
  if (*factor <= 1 || *run.config.dataset_type == "synthetic") return;
  out.add(factor, [&](Message& m) {
    m.say("expansion_factor_real_data {} loads on {} of {} nodes: MaxText stops when the mesh makes other nodes load",
          number_text(*factor), static_cast<Int>(static_cast<double>(run.launch.nodes) / *factor), run.launch.nodes);
    m.because("it asserts that exactly nodes // factor hosts load; the batch to load is {}, {} of it is trained on",
              run.batch_sizes.load, run.batch_sizes.train);
    m.help("-1 lets every node load");
    m.fix("set expansion_factor_real_data to -1", factor, "-1");
  });
}

/// What a data pipeline asks for and does not have.
struct Missing {
  const Word* key = nullptr;
  std::string_view text;
};

Missing missing_of_grain(const MaxTextConfig& config) {
  const bool parquet = !config.hf_path.value.empty() && *config.grain_file_type == "parquet";
  if (config.grain_train_files.value.empty() && config.grain_train_mixture_config_path.value.empty() && !parquet) {
    return {&config.grain_train_files,
            "set grain_train_files, grain_train_mixture_config_path, or hf_path with grain_file_type: parquet"};
  }
  if (*config.eval_interval > 0 && config.grain_eval_files.value.empty() && !parquet) {
    return {&config.grain_eval_files, "eval_interval asks for evaluation: set grain_eval_files, or eval_interval: -1"};
  }
  return {};
}

Missing missing_of(const MaxTextConfig& config) {
  const std::string_view type = *config.dataset_type;
  if (type == "hf" && config.hf_path.value.empty()) return {&config.hf_path, "set hf_path, or dataset_type: synthetic"};
  if (type == "hf" && *config.eval_interval > 0 && config.hf_eval_split.value.empty()) {
    return {&config.hf_eval_split,
            "eval_interval asks for evaluation: set hf_eval_split or hf_eval_files, or eval_interval: -1"};
  }
  if (type == "grain") return missing_of_grain(config);
  if (type == "tfds" && config.dataset_name.value.empty()) return {&config.dataset_name, "set dataset_name"};
  if (type == "tfds" && *config.eval_interval > 0 && config.eval_split.value.empty()) {
    return {&config.eval_split, "eval_interval asks for evaluation: set eval_split, or eval_interval: -1"};
  }
  return {};
}

void dataset_incomplete(const MaxTextRun& run, Findings& out) {
  const Missing missing = missing_of(run.config);
  if (missing.key == nullptr) return;
  out.add(*missing.key, [&](Message& m) {
    m.say("dataset_type: {} needs {}, which is empty", *run.config.dataset_type, missing.key->key);
    m.also(run.config.dataset_type);
    m.help("{}", missing.text);
  });
}

void workers_duplicate_data(const MaxTextRun& run, Findings& out) {
  const Count& workers = run.config.grain_worker_count;
  if (*run.config.dataset_type != "hf" || *workers <= 1) return;
  out.add(workers, [&](Message& m) {
    m.say("grain_worker_count {} with dataset_type: hf: more than one worker would read the same data", *workers);
    m.also(run.config.dataset_type);
    m.fix("set grain_worker_count to 1", workers, "1");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX209",
      .name = "batch-ramp-up-does-not-arrive",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/utils/rampup_batch.py:_verify_inputs",
      .outcome = "MaxText stops when it sets the ramp-up up (ValueError)",
      .summary = "The batch grows from per_device_batch_size_start in whole increments.",
      .explanation = "enable_rampup_batch_size starts at per_device_batch_size_start (4 unless you set it) and adds "
                     "per_device_batch_size_increment (2) until per_device_batch_size is reached, which must lie above "
                     "the start by a multiple.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nenable_rampup_batch_size: true\nper_device_batch_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\nenable_rampup_batch_size: true\nper_device_batch_size: 8\n"}},
     ramp_up_start},
    {{.id = "MX210",
      .name = "expansion-factor-and-hosts",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/input_pipeline/input_pipeline_interface.py:create_process_specific_iterator",
      .outcome = "MaxText stops when another number of hosts loads (AssertionError)",
      .summary = "expansion_factor_real_data above 1 fits the number of nodes that load data.",
      .explanation = "Fewer hosts load more data each. MaxText works out from the mesh which hosts load and demands "
                     "nodes // factor of them. Only the loaded batch changes, not the trained one. Checked in "
                     "upstream's code, not tried on the ROCm fork.",
      .bad = {.world_size = 16, .yaml = "per_device_batch_size: 1\nexpansion_factor_real_data: 4\n"},
      .good = {.world_size = 16, .yaml = "per_device_batch_size: 1\nexpansion_factor_real_data: -1\n"}},
     expansion_factor},
    {{.id = "MX211",
      .name = "dataset-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "The dataset type has the keys that it needs.",
      .explanation =
          "hf needs hf_path, grain its files, tfds a name; an eval_interval above 0 needs data for evaluation as well.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nhf_path: \"\"\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nhf_path: allenai/c4\n"}},
     dataset_incomplete},
    {{.id = "MX212",
      .name = "workers-duplicate-data",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "The Hugging Face pipeline has one worker.",
      .explanation =
          "With dataset_type: hf every worker would read all data, so MaxText refuses grain_worker_count above 1.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\ngrain_worker_count: 4\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\ngrain_worker_count: 1\n"}},
     workers_duplicate_data},
};

}  // namespace

RuleList data_rules() { return rules; }

}  // namespace primus_plan::maxtext
