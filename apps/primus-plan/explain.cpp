#include "primus_plan/report/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::vector<std::string> words;
  OutputFlags output;
};

/// Whether ids of rules begin with this: MG, mg2.
bool begins_rules(std::string_view word) {
  return !word.empty() && std::ranges::any_of(all_rules(), [word](const RuleInfo* rule) {
    return equal_ignoring_case(rule->id.substr(0, word.size()), word);
  });
}

[[noreturn]] void refuse(const std::string& word) {
  const std::string near = nearest_explained(word);
  const std::string hint =
      begins_rules(word) ? fmt::format("primus-plan rules {} lists the rules whose ids begin so", word)
      : near.empty()
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
