#include "primus_plan/report/models.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string pattern;
  std::string backend;
  std::string primus_root;
  OutputFlags output;
};

[[noreturn]] void refuse(const std::string& pattern, const std::vector<ListedModel>& models) {
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const ListedModel& model : models) names.push_back(model.name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto nearest = nearest_names(pattern, known, 1);
  throw Trouble(fmt::format("no model is called {}{}", pattern,
                            nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest.front())));
}

int run(const Options& options) {
  const DiskFiles files;
  const Loader loader(files, Environment::of_process());
  const auto root = options.primus_root.empty() ? std::nullopt : std::optional(options.primus_root);
  std::vector<ListedModel> models = list_models(loader, root, options.backend);
  std::vector<ListedModel> chosen;
  for (const ListedModel& model : models) {
    if (model.preset.find(options.pattern) != std::string::npos) chosen.push_back(model);
  }
  if (chosen.empty()) refuse(options.pattern, models);
  Output output = options.output.open({});
  const TextStyle style = options.output.style(output.is_terminal());
  const std::string& format = options.output.format;
  output.write(format == "json"       ? models_to_json(chosen, models_root(loader, root))
               : format == "markdown" ? models_to_markdown(chosen)
                                      : models_to_text(chosen, style));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_models(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("PATTERN", options->pattern, "a part of the name");
  app.add_option("--backend", options->backend, "only models of this framework")
      ->type_name("NAME")
      ->check(one_of(backend_names()));
  app.add_option("--primus-root", options->primus_root, "a Primus checkout to take presets from")->type_name("DIR");
  options->output.declare(app, {"text", "json", "markdown"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
