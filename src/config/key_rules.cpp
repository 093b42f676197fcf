#include "config/key_rules.h"

namespace primus_plan::loading {
namespace {

constexpr std::string_view parse_module = "primus/core/launcher/parser.py:parse_trainer_module";

}  // namespace

const RuleInfo key_beside_overrides{
    .id = "CF801",
    .name = "key-beside-overrides",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = parse_module,
    .outcome = "the value of the preset, or of overrides, is used",
    .summary = "A key beside config and model does not override the module preset.",
    .explanation =
        "Primus copies keys that stand beside config and model only where the module preset has none of that name. "
        "Keys under overrides always win, over the module's own lines too: a key that stands in both places counts "
        "once.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    global_batch_size: 32
    overrides:
      micro_batch_size: 1
      global_batch_size: 64
)"},
    .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    overrides:
      micro_batch_size: 1
      global_batch_size: 32
)"},
};

const RuleInfo override_without_change{
    .id = "CF802",
    .name = "override-without-change",
    .severity = Severity::note,
    .stage = Stage::advice,
    .runtime_site = "",
    .outcome = "",
    .summary = "An override repeats a fact of the model preset.",
    .explanation =
        "The copy stays behind when model: names another preset: the new model then runs with the old one's number, "
        "and nothing says so. Take it out, unless the number is meant to stay. Settings of the run (degrees, batch, "
        "learning rate) that repeat a default are not remarked: saying them aloud helps the reader.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    overrides:
      num_layers: 32
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    overrides:
      num_layers: 16
      mock_data: true
)"},
};

const RuleInfo model_preset_loses{
    .id = "CF803",
    .name = "model-preset-loses",
    .severity = Severity::note,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_trainer_module",
    .outcome = "the module preset's value is used",
    .summary = "The model preset sets a key that the module preset sets too, and loses.",
    .explanation =
        "Primus adds the model preset to the module preset without overriding it: a key that both set keeps the "
        "module preset's value, even where it describes the model. What the model needs has to stand under overrides.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: deepseek_v4_flash.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    overrides:
      mock_data: true
)"},
};

const RuleInfo key_at_top_level{
    .id = "CF804",
    .name = "key-at-top-level",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_meta_info",
    .outcome = "Primus keeps the key beside the modules, where no framework looks",
    .summary = "A framework's key at the top level of an experiment has no effect.",
    .explanation =
        "The framework sees the keys of its module only: those of the presets and those under modules: ... overrides.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
tensor_model_parallel_size: 2
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
)"},
    .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
    overrides:
      tensor_model_parallel_size: 2
)"},
};

const RuleInfo number_read_otherwise{
    .id = "CF805",
    .name = "number-read-otherwise",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_load_yaml",
    .outcome = "PyYAML reads another number than the eye",
    .summary = "A number that YAML 1.1 reads in base 8 or 60.",
    .explanation =
        "PyYAML follows YAML 1.1: a leading zero makes a number octal, 010 is 8, and digits with colons are base 60, "
        "1:30 is 90. Write the number itself, or quote what is no number.",
    .bad = {.world_size = 8, .yaml = "micro_batch_size: 1\nglobal_batch_size: 010\n"},
    .good = {.world_size = 8, .yaml = "micro_batch_size: 1\nglobal_batch_size: 8\n"},
};

const RuleInfo variable_changes_type{
    .id = "CF806",
    .name = "variable-changes-type",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/yaml_loader.py:_try_scalar",
    .outcome = "the framework gets a value of another type than the default's",
    .summary = "A variable makes a value of another type than the default beside it.",
    .explanation =
        "Primus types what a variable says anew: digits become a number, true and false a truth value, all else is "
        "text, an empty text too. ${NAME:8} with NAME=eight or NAME= hands text to code that expects a number.",
    .bad = {.world_size = 8,
            .yaml = "micro_batch_size: 1\nglobal_batch_size: 8\nwandb_project: ${PROJECT:base}\n",
            .environment = "PROJECT=2024"},
    .good = {.world_size = 8,
             .yaml = "micro_batch_size: 1\nglobal_batch_size: 8\nwandb_project: ${PROJECT:base}\n",
             .environment = "PROJECT=large"},
};

const RuleInfo variable_exported_late{
    .id = "CF807",
    .name = "variable-exported-late",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/runtime/train_runtime.py:_initialize_environment",
    .outcome = "the size of the launch stays as torchrun was told",
    .summary = "The env: map cannot change the size of the launch.",
    .explanation =
        "Primus exports the variables of the top-level env: map when a training process starts. NNODES, GPUS_PER_NODE "
        "and WORLD_SIZE are read before that, by the script that starts torchrun.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
env:
  NNODES: "4"
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
)"},
    .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
env:
  NCCL_DEBUG: INFO
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3.1_8B.yaml
)"},
};

std::span<const RuleInfo* const> key_rules() {
  static constexpr const RuleInfo* list[] = {
      &key_beside_overrides,  &override_without_change, &model_preset_loses,     &key_at_top_level,
      &number_read_otherwise, &variable_changes_type,   &variable_exported_late,
  };
  return list;
}

}  // namespace primus_plan::loading
