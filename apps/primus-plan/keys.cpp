#include "primus_plan/report/keys.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/report/explain_key.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string pattern;
  std::string backend;
  OutputFlags output;
};

int run(const Options& options) {
  const auto keys = find_keys(options.backend, options.pattern);
  if (keys.empty()) {
    const std::string nearest = nearest_catalogue_keys(options.pattern);
    throw Trouble(fmt::format("no key is called {}{}", options.pattern,
                              nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest)));
  }
  Output output = options.output.open({});
  const TextStyle style = options.output.style(output.is_terminal());
  const std::string& format = options.output.format;
  output.write(format == "json"       ? keys_to_json(keys)
               : format == "markdown" ? keys_to_markdown(keys)
                                      : keys_to_text(keys, style));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_keys(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("PATTERN", options->pattern, "a part of the name, or a whole name with * and ?");
  std::vector<std::string> owners = backend_names();
  owners.emplace_back("experiment");
  app.add_option("--backend", options->backend, "only keys that modules of this framework take")
      ->type_name("NAME")
      ->check(one_of(owners));
  options->output.declare(app, {"text", "json", "markdown"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
