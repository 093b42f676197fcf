#include <memory>

#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/report/node_text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  ExperimentFlags experiment;
  OutputFlags output;
  bool origins = false;
  bool document = false;
};

/// A missing file is the loader's to report, as any file that Primus's parser refuses.
std::string resolved_document(const Options& options) {
  const DiskFiles files;
  const Document document =
      load_document(options.path, Layer::experiment, files, options.experiment.make_environment());
  if (options.output.format == "json") return document_to_json(*document.root);
  return node_to_yaml(*document.root, {.origins = options.origins});
}

std::string resolved_experiments(const Options& options) {
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, {}, files, environment);
  const LoadResult loaded = load_one(options.path, loader, setups.of(options.path).experiment, options.output);
  for (const Experiment& experiment : loaded.experiments) {
    if (experiment.refusals.empty()) continue;
    say_findings(experiment.path, experiment.refusals, options.output);
    throw NotLoaded{};
  }
  if (options.output.format == "json") {
    std::vector<std::string> answers;
    for (const Experiment& experiment : loaded.experiments) answers.push_back(experiment_to_json(experiment));
    return joined_answers(answers, true);
  }
  std::string text;
  for (const Experiment& experiment : loaded.experiments) {
    if (!text.empty()) text += "---\n";
    text += experiment_to_yaml(experiment, {.origins = options.origins});
  }
  return text;
}

int run(const Options& options) {
  try {
    const std::string text = options.document ? resolved_document(options) : resolved_experiments(options);
    Output output = options.output.open({options.path});
    output.write(text);
    output.finish();
    return exit_clean;
  } catch (const LoadError& error) {
    say_findings(options.path, {error.finding()}, options.output);
    throw NotLoaded{};
  }
}

}  // namespace

Run declare_resolve(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILE", options->path, "an experiment, or - for standard input")->required();
  app.add_flag("--origins", options->origins, "a comment on each line: the file and line that set it, and the layer");
  app.add_flag("--document", options->document, "resolve one YAML file by itself: ${…} and extends, no presets");
  options->experiment.declare(app, tokens);
  options->output.declare(app, {"yaml", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
