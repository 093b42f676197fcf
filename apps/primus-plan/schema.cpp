#include "primus_plan/report/schema.h"

#include <memory>

#include "command.h"
#include "options.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string what = "experiment";
  std::string backend;
  std::string file;
};

int run(const Options& options) {
  const std::string_view of_output = output_schema(options.what);
  if (!of_output.empty() && !options.backend.empty()) throw Trouble("--backend is for the schema of experiments");
  Output output(options.file.empty() ? std::nullopt : std::optional(options.file));
  output.write(of_output.empty() ? experiment_schema(options.backend) : std::string(of_output));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_schema(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option(
         "WHAT", options->what,
         "experiment (default), report (what check --format json prints) or plan (what plan --format json prints)")
      ->check(one_of({"experiment", "report", "plan"}));
  app.add_option("--backend", options->backend, "only modules of this framework")
      ->type_name("NAME")
      ->check(one_of(backend_names()));
  app.add_option("--output", options->file, "write to FILE instead of standard output")->type_name("FILE");
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
