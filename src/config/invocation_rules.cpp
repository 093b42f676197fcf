#include "config/experiment_rules.h"

// What the command line, the launch size and snippets can get wrong; experiment_rules.cpp has the rest and the list.

namespace primus_plan::loading {
namespace {

constexpr std::string_view good_snippet = "micro_batch_size: 2\nglobal_batch_size: 16\n";

}  // namespace

const RuleInfo override_key_type{
    .id = "CF210",
    .name = "override-key-type",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/utils/arg_utils.py:parse_cli_overrides",
    .outcome = "Python stops with a TypeError",
    .summary =
        "An override on the command line goes into something that is no mapping, or has keys that are no "
        "text.",
    .explanation =
        "Dots in the key of an override reach into mappings. Where an earlier override on the same command "
        "line has made the outer key a number, a text or a list, there is nothing to reach into. Mappings "
        "given as values, a={'b': 1} say, need text as keys.",
    .bad = {.world_size = 8, .yaml = R"(# run with: -- lora=1 lora.rank=2
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(# run with: -- lora.rank=2
micro_batch_size: 2
global_batch_size: 16
)"},
};

const RuleInfo bad_override_token{
    .id = "CF211",
    .name = "bad-override-token",
    .severity = Severity::warning,
    .stage = Stage::load,
    .runtime_site = "primus/core/utils/arg_utils.py:parse_cli_overrides",
    .outcome = "Primus prints a warning, skips the token and trains without it",
    .summary = "A token after -- is no override and is skipped.",
    .explanation =
        "Overrides are written key=value, --key=value, --key value, or --key for true. A single dash, or a "
        "word without =, is skipped; the run goes on without it, which is easily overlooked.",
    .bad = {.world_size = 8, .yaml = R"(# run with: -- micro_batch_size 1
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(# run with: -- micro_batch_size=1
micro_batch_size: 2
global_batch_size: 16
)"},
};

const RuleInfo bad_set{
    .id = "CF212",
    .name = "bad-set",
    .severity = Severity::error,
    .stage = Stage::advice,
    .summary = "--set takes KEY=VALUE, with dots in KEY to reach into mappings.",
    .explanation =
        "VALUE is read as YAML, so numbers, booleans, null, lists and JSON work: --set micro_batch_size=4, "
        "--set 'training={local_batch_size: 2}'. Unlike the tokens after --, which Primus reads by rules of "
        "its own, --set types values as a file would.\n"
        "On the command line this is wrong usage: the sentence goes to standard error and the exit code is 2. Programs "
        "that use the library get it as a finding.",
    .bad = {.world_size = 8, .yaml = R"(# run with: --set =4
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(# run with: --set micro_batch_size=1
micro_batch_size: 2
global_batch_size: 16
)"},
};

const RuleInfo bad_pragma{
    .id = "CF213",
    .name = "bad-pragma",
    .severity = Severity::warning,
    .stage = Stage::advice,
    .summary = "A `# primus-plan:` comment that this tool does not understand.",
    .explanation =
        "Such a comment gives the launch size that the experiment is meant for: `# primus-plan: "
        "world-size=64`, or `# primus-plan: nodes=8 gpus-per-node=8`; the GPU that it is meant for: `# primus-plan: "
        "hardware=MI300X`; or it silences rules: `# primus-plan: ignore[MG203] reason`. Sizes are whole numbers from 1 "
        "on, nodes must fit the world size, and the GPU is one that primus-plan hardware lists. What is not "
        "understood has no effect; of sizes that contradict each other the world size holds.",
    .bad = {.world_size = 8, .yaml = R"(# primus-plan: world_size=64
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(# primus-plan: world-size=64
micro_batch_size: 2
global_batch_size: 16
)"},
};

const RuleInfo not_an_experiment{
    .id = "CF214",
    .name = "not-an-experiment",
    .severity = Severity::error,
    .stage = Stage::load,
    .runtime_site = "primus/core/launcher/parser.py:parse_meta_info",
    .outcome = "Primus stops with an AssertionError: Failed to find key(work_group)",
    .summary = "The file is neither an experiment nor a snippet of a backend's keys.",
    .explanation =
        "An experiment has work_group, user_name, exp_name, workspace and modules. A snippet has keys of one "
        "backend: flat Megatron keys, a parallelism: or training: block of TorchTitan, or MaxText's ici_* and "
        "dcn_* keys. A snippet whose keys this tool cannot place can be read with --backend.",
    .bad = {.world_size = 8, .yaml = "hardware:\n  node_size: 8\n"},
    .good = {.world_size = 8, .yaml = good_snippet},
};

const RuleInfo snippet_backend_unknown{
    .id = "CF215",
    .name = "snippet-backend-unknown",
    .severity = Severity::error,
    .stage = Stage::advice,
    .summary = "The keys of a snippet belong to several backends, or --backend names none.",
    .explanation =
        "Some keys, num_experts say, exist in more than one framework. Say which is meant with --backend "
        "megatron, torchtitan or maxtext, or add a key that only one of them has.",
    .bad = {.world_size = 8, .yaml = "num_experts: 8\nvocab_size: 32000\n"},
    .good = {.world_size = 8, .yaml = good_snippet},
};

const RuleInfo bad_launch_size{
    .id = "CF216",
    .name = "bad-launch-size",
    .severity = Severity::error,
    .stage = Stage::advice,
    .summary = "The size of the launch is no size that a launch can have.",
    .explanation =
        "World size, nodes and GPUs per node are whole numbers from 1 to 1048576, and so is the product of "
        "the last two. They come from the flags --world-size, --nodes and --gpus-per-node, from NNODES, "
        "GPUS_PER_NODE and WORLD_SIZE (or the variables that the platform preset names), or from Slurm's "
        "variables.\n"
        "On the command line and in the environment this is wrong usage: the sentence goes to standard error and the "
        "exit code is 2. Programs that use the library get it as a finding.",
    .bad = {.world_size = 8, .yaml = R"(# run with: --world-size 0
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(# run with: --world-size 8
micro_batch_size: 2
global_batch_size: 16
)"},
};

const RuleInfo primus_root_invalid{
    .id = "CF218",
    .name = "primus-root-invalid",
    .severity = Severity::error,
    .stage = Stage::advice,
    .summary = "The folder given as the Primus tree has no primus/configs.",
    .explanation =
        "--primus-root, $PRIMUS_ROOT and $PRIMUS_PATH name a checkout of Primus: the folder that holds "
        "primus/configs. Without them this tool looks for primus/configs above the experiment and else uses "
        "its built-in presets.",
    .bad = {.world_size = 8, .yaml = R"(# run with: --primus-root no-such-folder
micro_batch_size: 2
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = good_snippet},
};

}  // namespace primus_plan::loading
