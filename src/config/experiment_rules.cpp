#include "config/experiment_rules.h"

#include <array>

// What the files themselves can get wrong. invocation_rules.cpp has what the command line and snippets can.

namespace primus_plan::loading {
namespace {

constexpr std::string_view good_experiment = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)";

}  // namespace

const RuleInfo missing_key{
    .id = "CF201",
    .name = "missing-key",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:PrimusParser",
    .outcome = "Primus stops with an AssertionError that names the first missing key",
    .summary = "An experiment must have work_group, user_name, exp_name, workspace and modules.",
    .explanation =
        "Primus looks for these top-level keys before anything else, because the output folder is made of the first "
        "four and the run of the last. Their values may come from variables, ${PRIMUS_TEAM:local} say. All that are "
        "missing are listed at once.",
    .bad = {.world_size = 8, .yaml = R"(user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo wrong_shape{
    .id = "CF202",
    .name = "wrong-shape",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:PrimusParser",
    .outcome = "Primus stops with an AttributeError, TypeError or ValueError of Python",
    .summary = "A part of an experiment has the wrong type.",
    .explanation =
        "modules, each module, its overrides, and platform are mappings; the names of presets and frameworks, "
        "and the four names that make up the output folder, are text. Quote a name that looks like a number, "
        "and note that ${USER_ID:1000} becomes a number as well. A framework is a plain name: with ./megatron Primus "
        "finds presets, but no backend.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides: mock_data
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo key_not_text{
    .id = "CF203",
    .name = "key-not-text",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/utils/yaml_utils.py:dict_to_nested_namespace",
    .outcome = "Primus stops with a TypeError: keywords must be strings",
    .summary = "Every key of an experiment or preset must be text.",
    .explanation =
        "Primus turns mappings into Python namespaces, and those take only text as names. YAML reads keys "
        "such as 1, 1.5, true, yes, on or null as numbers, booleans or null; quote them.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
      on: 1
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo preset_not_found{
    .id = "CF204",
    .name = "preset-not-found",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/preset_loader.py:load",
    .outcome = "Primus stops with a FileNotFoundError",
    .summary = "A preset that the experiment names must exist.",
    .explanation =
        "config is looked up in primus/configs/modules/<framework>, model in "
        "primus/configs/models/<framework>, platform.config in primus/configs/platforms; .yaml is added to "
        "the first two when they do not end in .yaml or .yml. The report says where presets come from: "
        "--primus-root, $PRIMUS_ROOT, $PRIMUS_PATH, a primus/configs above the experiment, or the presets "
        "built into this tool, which hold only the frameworks that it checks.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: lama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo path_traversal{
    .id = "CF205",
    .name = "path-traversal",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/preset_loader.py:load",
    .outcome = "Primus stops with a ValueError: path traversal detected",
    .summary = "The name of a preset must not lead out of primus/configs.",
    .explanation =
        "config and model are names of files below primus/configs. A name with .. or an absolute path that "
        "ends outside of that folder is refused, whether or not the file exists. Put the preset into the "
        "folder, or its keys into overrides.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: ../../../../llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo unsupported_module{
    .id = "CF206",
    .name = "unsupported-module",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_modules",
    .outcome = "Primus stops with a ValueError: Unsupported module",
    .summary = "The name of a module must contain 'trainer'.",
    .explanation =
        "Primus knows only trainer modules and tells them by name. The commands `train pretrain` and `train "
        "posttrain` ask for pre_trainer and post_trainer.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pretrain:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo framework_missing{
    .id = "CF207",
    .name = "framework-missing",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_trainer_module",
    .outcome = "Primus stops with an AssertionError: Failed to find key(framework)",
    .summary = "A module must say which framework runs it.",
    .explanation =
        "framework picks the folder that the module's presets come from and the backend that trains: "
        "megatron, torchtitan, maxtext and others.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo config_without_model{
    .id = "CF208",
    .name = "config-without-model",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_trainer_module",
    .outcome = "Primus stops with an AssertionError: Failed to find key(model)",
    .summary = "A module that names a module preset (config) must name a model preset (model) too.",
    .explanation =
        "Primus merges the two presets and takes neither alone. Use a base preset of the framework, "
        "language_model.yaml for Megatron say, when no model fits, and set the rest in overrides.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo module_without_config{
    .id = "CF209",
    .name = "module-without-config",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/config/primus_config.py:get_module_config",
    .outcome =
        "the runtime stops: it finds no module of that name, because Primus renames only modules that it has "
        "merged",
    .summary = "A module without a module preset (config) is not merged and cannot be run.",
    .explanation =
        "Without config Primus leaves the module as it is written, on the assumption that it was exported by "
        "an earlier run: presets are not loaded and overrides are not applied. It also keeps the internal "
        "name exp.modules.<name>, under which the runtime does not find it. Add config, pre_trainer.yaml say.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo platform_incomplete{
    .id = "CF217",
    .name = "platform-incomplete",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_platform",
    .outcome = "Primus stops with an AssertionError that names the first missing key",
    .summary = "A platform preset lacks keys that Primus needs.",
    .explanation =
        "A platform has name, num_nodes_env_key, node_rank_env_key, master_addr_env_key, master_port_env_key, "
        "gpus_per_node_env_key, master_sink_level and workspace; null is a value. platform.overrides may add "
        "what the file lacks.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
platform:
  config: ../modules/megatron/pre_trainer.yaml
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

const RuleInfo module_not_run{
    .id = "CF219",
    .name = "module-not-run",
    .severity = Severity::warning,
    .stage = Stage::runtime,
    .runtime_site = "primus/core/runtime/train_runtime.py:_initialize_configuration",
    .outcome = "the runtime stops with an AssertionError: Missing required module",
    .summary = "No module has a name that Primus's commands ask for.",
    .explanation =
        "`train pretrain` runs the module pre_trainer, `train posttrain` the module post_trainer; each takes "
        "the other's when its own is absent. Other modules are loaded but never run.",
    .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: example
workspace: ./output
modules:
  sft_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama3_8B.yaml
    overrides:
      mock_data: true
)"},
    .good = {.world_size = 8, .yaml = good_experiment},
};

std::span<const RuleInfo* const> experiment_rules() {
  static constexpr std::array list = {
      &missing_key,       &wrong_shape,          &key_not_text,
      &preset_not_found,  &path_traversal,       &unsupported_module,
      &framework_missing, &config_without_model, &module_without_config,
      &override_key_type, &bad_override_token,   &bad_set,
      &bad_pragma,        &not_an_experiment,    &snippet_backend_unknown,
      &bad_launch_size,   &platform_incomplete,  &primus_root_invalid,
      &module_not_run,
  };
  return list;
}

}  // namespace primus_plan::loading
