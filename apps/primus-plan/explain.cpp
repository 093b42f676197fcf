#include "primus_plan/report/explain.h"

#include <fmt/core.h>

#include <memory>

#include "command.h"
#include "options.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::vector<std::string> words;
  OutputFlags output;
};

[[noreturn]] void refuse(const std::string& word) {
  const std::string near = nearest_explained(word);
  const std::string hint =
      near.empty()
          ? fmt::format("primus-plan rules lists the rules, primus-plan keys '*{}*' the keys with this in their name",
                        word)
          : fmt::format("did you mean {}?", near);
  throw Trouble(fmt::format("no topic, rule or key {}; {}", word, hint));
}

int run(const Options& options) {
  Output output = options.output.open({});
  const TextStyle style = options.output.style(output.is_terminal());
  std::vector<std::string> pages;
  for (const std::string& word : options.words) {
    auto page = explain(word, options.output.format, style);
    if (!page) refuse(word);
    pages.push_back(*std::move(page));
  }
  output.write(joined_answers(pages, options.output.format == "json"));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_explain(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("WORD", options->words,
                 "parallelism, batch or choosing; ids or names of rules (MG203, global-batch-not-divisible); keys "
                 "(tensor_model_parallel_size)")
      ->required();
  options->output.declare(app, {"text", "markdown", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
