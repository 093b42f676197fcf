#include "primus_plan/report/translate.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/number.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  std::string target;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

/// Compares the translation with the original as both would run: what differs becomes a remark. Throws TranslateError
/// for another model.
void compare_runs(const Workload& source, const Workload& result, Translation& translation) {
  const ModelComparison models = compare_models(source.model, result.model);
  if (models.match == ModelMatch::another)
    throw TranslateError(fmt::format("{}'s {} cannot be made this model: {}", translation.framework, translation.model,
                                     to_sentence(models)));
  if (models.match == ModelMatch::told) {
    const std::string sentence = fmt::format("model: not quite the same: {}", to_sentence(models));
    say(fmt::format("primus-plan: {}\n", sentence));
    translation.remarks.insert(translation.remarks.begin(), sentence);
  }
  std::string stages = stage_difference(source, result);
  if (!stages.empty()) translation.remarks.push_back(std::move(stages));
  std::string shards = sharding_difference(source, result);
  if (!shards.empty()) translation.remarks.push_back(std::move(shards));
}

/// What `check` says of the translation; its findings are told when it has errors.
CheckedTranslation check_translation(const std::string& yaml, const Analysis& source, const Options& options,
                                     const ExperimentOptions& experiment, const Loader& loader,
                                     Translation& translation) {
  ExperimentOptions plain;
  plain.primus_root = experiment.primus_root;
  const LoadResult loaded = loader.load_text("translation.yaml", yaml, plain);
  CheckedTranslation out{.verdict = "error", .errors = loaded.errors.size()};
  if (loaded.experiments.empty()) {
    say_findings("translation.yaml", loaded.errors, options.output);
    return out;
  }
  const Environment environment = options.experiment.make_environment();
  const std::vector<Analysis> analyses =
      analyze(loaded.experiments.front(), source.run.launch, environment, {.with_workload = true});
  for (const Analysis& analysis : analyses) {
    out.verdict = to_string(analysis.verdict);
    out.errors += analysis.errors;
    if (analysis.errors > 0) say_findings("translation.yaml", analysis.findings, options.output);
    if (analysis.workload == nullptr) continue;
    compare_runs(*source.workload, *analysis.workload, translation);
  }
  return out;
}

/// A translation is a file of its own: nothing that exists is replaced.
void refuse_existing(const std::string& file) {
  std::error_code error;
  if (!file.empty() && std::filesystem::exists(std::filesystem::symlink_status(file, error))) {
    throw Trouble(fmt::format("--output {}: the file exists already; give the translation another name", file));
  }
}

int translate_to(const Backend& target, const Options& options) {
  refuse_existing(options.output.file);
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  const Setup& setup = setups.of(options.path);
  const LoadResult loaded = load_one(options.path, loader, setup.experiment, options.output);
  const Experiment& experiment = loaded.experiments.front();
  const Launch launch =
      find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
  AnalyzeOptions asked;
  asked.with_workload = true;
  std::vector<Analysis> analyses = analyze(experiment, launch, environment, asked);
  apply_choice(analyses, setup.choice(options.path));
  if (analyses.size() != 1 || loaded.experiments.size() != 1) {
    throw Trouble("an experiment of one module is translated; this file has several");
  }
  const Analysis& analysis = analyses.front();
  if (!analysis.is_judged) {
    throw Trouble(fmt::format("module {} of framework {} is not checked here", analysis.module, analysis.framework));
  }
  if (analysis.framework == target.name()) throw Trouble(fmt::format("the module is {}'s already", target.title()));
  if (analysis.errors > 0) {
    say_findings(analysis.path, analysis.findings, options.output);
    return exit_findings;
  }
  Translation translation = translate(experiment.modules.front(), analysis, target,
                                      preset_shapes(loader, setup.experiment.primus_root, target.name()));
  TranslationReport report{experiment, analysis, translation, {}};
  report.hardware = part_to_write({}, experiment, setup.settings, options.output.file, translation_to_yaml(report));
  const CheckedTranslation checked =
      check_translation(translation_to_yaml(report), analysis, options, setup.experiment, loader, translation);
  Output output = options.output.open({options.path});
  output.write(options.output.format == "json" ? translation_to_json(report, checked) : translation_to_yaml(report));
  output.finish();
  if (!translation.lost.empty() && options.output.format != "json") {
    say(fmt::format("primus-plan: {} not carried over; the comments list {}\n",
                    counted(static_cast<std::int64_t>(translation.lost.size()), "key"),
                    translation.lost.size() == 1 ? "it" : "them"));
  }
  return checked.errors > 0 ? exit_findings : exit_clean;
}

/// A run that cannot be said in the other framework is a finding, not wrong usage.
int run(const Options& options) {
  try {
    return translate_to(*find_backend(options.target), options);
  } catch (const TranslateError& error) {
    say(fmt::format("primus-plan: no translation: {}\n", error.what()));
    return exit_findings;
  }
}

}  // namespace

Run declare_translate(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_option("--to", options->target, "the framework to say it in: megatron, torchtitan or maxtext")
      ->type_name("NAME")
      ->check(one_of(backend_names()))
      ->required();
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"yaml", "json"});
  app.get_option("--output")->description("write to FILE, which must not exist, instead of standard output");
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
