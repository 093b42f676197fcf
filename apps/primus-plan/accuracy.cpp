#include "primus_plan/report/accuracy.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "inputs.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/config/files.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string path;
  OutputFlags output;
};

/// The text of the table. Throws Trouble when it cannot be read or is no such table.
std::string read_table(const std::string& path) {
  require_path(path);
  std::optional<std::string> text = read_stream(path, DiskFiles::default_max_bytes);
  if (!text) {
    ReadFailure failure;
    text = DiskFiles().read(path, failure);
    if (!text) throw Trouble(fmt::format("cannot read {}: {}", path, failure.reason));
  }
  if (const auto fault = fault_of_measured(*text)) {
    throw Trouble(fmt::format("{} is no table of measurements: {}", shown_name(path), *fault));
  }
  return *std::move(text);
}

int run(const Options& options) {
  const bool built_in = options.path.empty();
  const Accuracy accuracy =
      measure_accuracy(read_measured(built_in ? published_measurements() : read_table(options.path)));
  const std::string table = built_in ? "published measurements" : shown_name(options.path);
  Output output = options.output.open(built_in ? std::vector<std::string>() : std::vector{options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  output.write(options.output.format == "json"       ? accuracy_to_json(accuracy, table)
               : options.output.format == "markdown" ? accuracy_to_markdown(accuracy, style)
                                                     : accuracy_to_text(accuracy, table, style));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_accuracy(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("CSV", options->path,
                 "measurements, as presets/measurements/published.csv has them, or - for standard input; default: "
                 "the published ones inside the program");
  options->output.declare(app, {"text", "json", "markdown"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
