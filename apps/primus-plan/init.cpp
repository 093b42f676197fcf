#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "command.h"
#include "options.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/new_experiment.h"
#include "primus_plan/support/text.h"
#include "primus_plan/support/word_match.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string model;
  std::string backend;
  std::string hardware = "MI300X";
  std::string primus_root;
  std::int64_t gpus = 8;
  std::int64_t gpus_per_node = 8;
  std::int64_t sequence_length = 0;
  OutputFlags output;
};

[[noreturn]] void refuse_model(const Options& options, const std::vector<ListedModel>& models) {
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const ListedModel& model : models) names.push_back(model.name());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<std::string_view> nearest = nearest_names(options.model, known, 3);
  if (nearest.empty()) nearest = names_with_words(options.model, known, 3);
  const std::string of = options.backend.empty() ? std::string() : fmt::format(" for {}", options.backend);
  throw Trouble(fmt::format(
      "no model preset {}{}; {}", options.model, of,
      nearest.empty() ? "primus-plan models lists them" : fmt::format("did you mean {}?", join(nearest, ", "))));
}

/// The preset of this name; the first framework's where several have one.
ListedModel find_model(const Options& options, const Loader& loader, const std::optional<std::string>& root) {
  const std::vector<ListedModel> models = list_models(loader, root, options.backend);
  const auto found = std::ranges::find_if(models, [&](const ListedModel& model) {
    return equal_ignoring_case(model.preset, options.model) || equal_ignoring_case(model.name(), options.model);
  });
  if (found == models.end()) refuse_model(options, models);
  return *found;
}

int run(const Options& options) {
  const std::string& file = options.output.file;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    throw Trouble(fmt::format("{} is there already; init never replaces a file", file));
  }
  const DiskFiles files;
  const Loader loader(files, Environment::of_process());
  const auto root = options.primus_root.empty() ? std::nullopt : std::optional(options.primus_root);
  NewExperimentRequest request;
  request.hardware = find_hardware(options.hardware, files);
  request.model = find_model(options, loader, root);
  request.gpus = options.gpus;
  request.gpus_per_node = options.gpus_per_node;
  request.sequence_length = options.sequence_length;
  request.jobs = std::max(1U, std::thread::hardware_concurrency());
  ExperimentOptions loading;
  loading.primus_root = root;
  const NewExperiment made = make_experiment(request, loader, loading);
  if (made.text.empty()) throw Trouble(made.reason);
  if (!made.reason.empty()) say(fmt::format("primus-plan: check will warn: {}\n", made.reason));
  Output output = options.output.open({});
  output.write(made.text);
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_init(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("--model", options->model, "a model preset, as `primus-plan models` lists them")
      ->type_name("NAME")
      ->required();
  app.add_option("--gpus", options->gpus, "GPUs of the run; default: 8")
      ->type_name("N")
      ->check(whole_number(1, largest_launch));
  app.add_option("--hardware", options->hardware,
                 "accelerator, for its memory: a part that `primus-plan hardware` lists, or a file; default: MI300X")
      ->type_name("NAME");
  app.add_option("--backend", options->backend, "framework; default: the first that has the model")
      ->type_name("NAME")
      ->check(one_of(backend_names()));
  app.add_option("--gpus-per-node", options->gpus_per_node, "default: 8")
      ->type_name("N")
      ->check(whole_number(1, largest_launch));
  app.add_option("--seq", options->sequence_length, "tokens of a sample; default: up to 8192")
      ->type_name("N")
      ->check(whole_number(1, 1 << 30));
  app.add_option("--primus-root", options->primus_root, "a Primus checkout to take presets from")->type_name("DIR");
  options->output.declare_style(app);
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
