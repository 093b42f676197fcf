#include <fmt/core.h>

#include <utility>

#include "primus_plan/report/explain.h"
#include "primus_plan/report/why.h"
#include "primus_plan/support/text.h"
#include "report/json_writer.h"
#include "session/command.h"

namespace primus_plan::session {

namespace {

/// Text that is made when it is asked for, and the same as one JSON string.
Result telling(std::function<std::string(const TextStyle&)> text) {
  Result out;
  out.json = [text] { return json_string(text({})); };
  out.text = std::move(text);
  return out;
}

Result why_number(const EvaluationPtr& run, const std::string& name) {
  const Workload* workload = run->analysis().workload.get();
  if (workload == nullptr || !run->estimate)
    throw Refusal("nothing is estimated of a run that will not start; see show findings");
  const Hardware* hardware = &run->part.hardware;
  const auto number = unfold_number(*workload, *run->estimate, hardware, name);
  if (!number) {
    throw Refusal(fmt::format("no number {} here; there are {}", name,
                              join(unfoldable_numbers(*workload, *run->estimate, hardware), ", ")));
  }
  return telling([run, number](const TextStyle& style) { return why_to_text(*number, run->analysis(), style); });
}

}  // namespace

Result run_why(Session& session, const Line& line) {
  const EvaluationPtr run = session.now();
  const std::string key = own_key(*run, line[1]);
  std::vector<FoundKey> found = find_key(run->experiment(), run->analyses, key);
  if (found.empty() && is_number_name(key)) return why_number(run, key);
  if (found.empty()) {
    const std::string near = join(nearest_keys(run->experiment(), run->analyses, key), ", ");
    throw Refusal(
        fmt::format("nothing sets a key {}{}", line[1], near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  return telling([run, found](const TextStyle& style) {
    std::string text;
    for (const FoundKey& one : found) text += why_to_text(one, style);
    return text;
  });
}

Result run_explain(Session& session, const Line& line) {
  const std::string word = own_key(*session.now(), line[1]);
  if (!can_explain(word)) {
    const std::string near = nearest_explained(word);
    throw Refusal(
        fmt::format("no topic, rule or key {}{}", word, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  Result out;
  out.text = [word](const TextStyle& style) { return explain(word, "text", style).value_or(""); };
  out.json = [word] { return explain(word, "json", {}).value_or("null"); };
  return out;
}

}  // namespace primus_plan::session
