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
  const bool of_reports = options.what == "report";
  if (of_reports && !options.backend.empty()) throw Trouble("--backend is for the schema of experiments");
  Output output(options.file.empty() ? std::nullopt : std::optional(options.file));
  output.write(of_reports ? report_schema() : experiment_schema(options.backend));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_schema(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("WHAT", options->what, "experiment (default), or report: what check --format json prints")
      ->check(CLI::IsMember({"experiment", "report"}));
  app.add_option("--backend", options->backend, "only modules of this framework")
      ->type_name("NAME")
      ->check(CLI::IsMember({"megatron", "torchtitan", "maxtext"}));
  app.add_option("--output", options->file, "write to FILE instead of standard output")->type_name("FILE");
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
