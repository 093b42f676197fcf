#include "support/reports.h"

#include <string>

namespace primus_plan::test {
namespace {

constexpr RuleInfo batch_rule{.id = "MG203",
                              .name = "global-batch-not-divisible",
                              .severity = Severity::error,
                              .stage = Stage::arguments,
                              .runtime_site = "megatron/core/num_microbatches_calculator.py:__init__",
                              .outcome = "Megatron stops on every rank (AssertionError)",
                              .summary = "The global batch must split evenly.",
                              .explanation = "There is no key for gradient accumulation.\nTake a multiple.",
                              .bad = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 100\n"},
                              .good = {.world_size = 16, .yaml = "micro_batch_size: 2\nglobal_batch_size: 96\n"}};
constexpr RuleInfo preset_rule{.id = "MG801",
                               .name = "key-without-effect",
                               .severity = Severity::warning,
                               .stage = Stage::runtime,
                               .runtime_site = "",
                               .outcome = "the key is ignored",
                               .summary = "The key does nothing.",
                               .explanation = "It is read with a capacity factor alone.",
                               .bad = {.world_size = 16, .yaml = "moe_pad_expert_input_to_capacity: true\n"},
                               .good = {.world_size = 16, .yaml = "{}\n"}};
constexpr RuleInfo advice_rule{.id = "MG901",
                               .name = "pipeline-bubble",
                               .severity = Severity::note,
                               .stage = Stage::advice,
                               .runtime_site = "",
                               .outcome = "",
                               .summary = "The pipeline idles.",
                               .explanation = "More micro-batches keep the stages busy.",
                               .bad = {.world_size = 16, .yaml = "pipeline_model_parallel_size: 4\n"},
                               .good = {.world_size = 16, .yaml = "pipeline_model_parallel_size: 1\n"}};
constexpr RuleInfo syntax_rule{.id = "CF101",
                               .name = "yaml-syntax",
                               .severity = Severity::error,
                               .stage = Stage::load,
                               .runtime_site = "primus/core/config/yaml_loader.py:parse_yaml",
                               .outcome = "",
                               .summary = "The file must be YAML.",
                               .explanation = "Usual causes: an unclosed bracket or quote.",
                               .bad = {.world_size = 16, .yaml = "a: [1\n"},
                               .good = {.world_size = 16, .yaml = "a: [1]\n"}};

constexpr std::string_view experiment_text =
    "modules:\n"
    "  pre_trainer:\n"
    "    framework: megatron\n"
    "    overrides:\n"
    "      micro_batch_size: 2\n"
    "      global_batch_size: 100  # größer\n";

constexpr std::string_view preset_text = "# preset\nmoe_pad_expert_input_to_capacity:\ttrue\n";

Analysis llama() {
  Analysis module;
  module.path = "examples/llama3_70B.yaml";
  module.module = "pre_trainer";
  module.framework = "megatron";
  module.presets = "built-in";
  module.run.launch = {.world_size = 64, .nodes = 8, .gpus_per_node = 8, .source = "--world-size", .assumed = false};
  module.run.degrees = {.tensor = 8, .pipeline = 2, .data = 4, .data_replicate = 4, .data_shard = 1, .expert_data = 4};
  module.run.batch = {.micro = 1, .global = 512, .accumulation_steps = 128, .sequence_length = 8192};
  module.run.stages = {{{.first_layer = 0, .layers = 40, .embedding = true}},
                       {{.first_layer = 40, .layers = 40, .loss = true}}};
  return module;
}

Finding batch_finding(const Source& source) {
  Finding finding;
  finding.rule = &batch_rule;
  finding.severity = Severity::error;
  finding.message = "global_batch_size 100 is not a multiple of micro_batch_size x DP = 2 x 16 = 32";
  finding.primary = {{&source, 6, 26, 3, Layer::experiment}, "set here"};
  finding.related = {{{&source, 5, 25, 1, Layer::experiment}, "micro-batch"}};
  finding.because = {"DP 16 = world 64 / (TP 4 x PP 1 x CP 1)"};
  finding.help = {"nearest legal values: 96, 128"};
  finding.fixes = {{"set global_batch_size to 96", {{finding.primary.origin, "96", false}}, false}};
  return finding;
}

Finding preset_finding(const Source& preset, const Source& experiment) {
  Finding finding;
  finding.rule = &preset_rule;
  finding.severity = Severity::warning;
  finding.message = "moe_pad_expert_input_to_capacity has no effect without moe_expert_capacity_factor";
  finding.primary = {{&preset, 2, 35, 4, Layer::model_preset}, ""};
  finding.related = {{{&experiment, 3, 16, 8, Layer::experiment}, "this framework"}};
  return finding;
}

Finding advice_finding() {
  Finding finding;
  finding.rule = &advice_rule;
  finding.severity = Severity::note;
  finding.message = "the pipeline idles 27% of each step";
  finding.primary.text = "pipeline_model_parallel_size is not set here";
  finding.help = {"raise the number of micro-batches"};
  return finding;
}

}  // namespace

FileReport clean_report() {
  FileReport report;
  report.path = "examples/llama3_70B.yaml";
  report.modules = {llama()};
  return report;
}

FileReport broken_report() {
  const auto source = std::make_shared<const Source>("exp.yaml", std::string(experiment_text));
  const auto preset = std::make_shared<const Source>("configs/models/megatron/moe.yaml", std::string(preset_text));
  Analysis module = llama();
  module.path = "exp.yaml";
  module.origin = {source.get(), 2, 3, 11, Layer::experiment};
  module.presets = "../Primus";
  module.verdict = Verdict::error;
  module.run.launch.source = "the smallest legal one";
  module.run.launch.assumed = true;
  module.run.degrees = {.tensor = 4,
                        .pipeline = 4,
                        .virtual_pipeline = 2,
                        .context = 1,
                        .expert = 8,
                        .expert_tensor = 1,
                        .data = 16,
                        .data_replicate = 2,
                        .data_shard = 8,
                        .expert_data = 0};
  module.run.batch = {.micro = 2, .global = 100, .accumulation_steps = 0, .sequence_length = 4096};
  module.run.stages = {{{0, 2, true, false, 0}, {8, 2, false, false, 0}},
                       {{2, 2, false, false, 0}, {10, 2, false, false, 0}},
                       {{4, 2, false, false, 0}, {12, 2, false, false, 0}},
                       {{6, 2, false, false, 0}, {14, 1, false, true, 1}}};
  module.effective = {{"sequence_parallel", make_boolean(false)},
                      {"lr", make_real(1e-5)},
                      {"moe_layer_freq", make_sequence({make_integer(0), make_integer(1)})},
                      {"tokenizer_type", make_null()}};
  module.rewrites = {{"sequence_parallel", "true", "false", "TP is 1", true},
                     {"kv_channels", "null", "128", "unset", false},
                     {"b", "1", "2", "", true},
                     {"c", "1", "2", "why not", true},
                     {"d", "1", "2", "", true}};
  module.notes = {"DP by the guide's formula would be 2"};
  module.findings = {batch_finding(*source), preset_finding(*preset, *source), advice_finding()};
  module.errors = 1;
  module.warnings = 1;
  module.legal_worlds = {{1, 8, 2, 25}, {2, 16, 4, 0}};
  FileReport report;
  report.path = "exp.yaml";
  report.modules = {std::move(module)};
  report.sources = {source, preset};
  return report;
}

FileReport unloadable_report() {
  const auto source = std::make_shared<const Source>("bad\x1b.yaml", std::string("modules: [1, \x1b[31m2\n"));
  Finding finding;
  finding.rule = &syntax_rule;
  finding.message = "the list that begins here has no end";
  finding.primary = {{source.get(), 1, 10, 1, Layer::experiment}, "begins here"};
  FileReport report;
  report.path = source->path();
  report.load_errors = {std::move(finding)};
  report.sources = {source};
  return report;
}

FileReport unchecked_report() {
  Analysis module;
  module.path = "flux.yaml";
  module.module = "pre_trainer";
  module.framework = "diffusion";
  module.presets = "built-in";
  module.verdict = Verdict::not_checked;
  module.run.degrees = {
      .tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0};
  module.notes = {"framework diffusion has no checker here: loaded and merged, not checked"};
  FileReport report;
  report.path = "flux.yaml";
  report.modules = {std::move(module)};
  return report;
}

FileReport hostile_report() {
  const std::string evil =
      "::error::boo %0A <script>alert(1)</script> ]]> | a|b ```x``` *y* &lt; $z$ \xff\x1b[31m\n# h";
  const auto source = std::make_shared<const Source>("a|b,c:d <e> %0A #1.yaml", "k: \"" + evil.substr(0, 80) + "\"\n");
  Analysis module = llama();
  module.path = source->path();
  module.module = "<b>|m";
  module.origin = {source.get(), 1, 1, 1, Layer::experiment};
  module.verdict = Verdict::error;
  Finding finding;
  finding.rule = &batch_rule;
  finding.message = evil;
  finding.primary = {{source.get(), 1, 4, 80, Layer::experiment}, evil};
  finding.related = {{{source.get(), 1, 1, 1, Layer::experiment}, evil}};
  finding.because = {evil};
  finding.help = {evil};
  finding.fixes = {{evil, {{finding.primary.origin, evil, true}}, true}};
  module.findings = {finding, finding};
  FileReport report;
  report.path = source->path();
  report.modules = {std::move(module)};
  report.sources = {source};
  return report;
}

ToolInfo some_tool() { return {.version = "0.1.0", .pins = {{"megatron", "Megatron-LM d3528a21"}}}; }

}  // namespace primus_plan::test
