#include <fmt/core.h>

#include <utility>

#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/explain.h"
#include "primus_plan/report/why.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/json_writer.h"
#include "report/wrap.h"
#include "session/command.h"
#include "session/draw.h"
#include "session/labels.h"
#include "support/lower_case.h"

namespace primus_plan::session {

namespace {

/// Text that is made when it is asked for, and the same as one JSON string.
Result telling(std::function<std::string(const TextStyle&)> text) {
  Result out;
  out.json = [text] { return json_string(text({})); };
  out.text = std::move(text);
  return out;
}

const Workload& estimated_workload(const Evaluation& run) {
  const Workload* workload = run.analysis().workload.get();
  if (workload == nullptr || !run.estimate)
    throw Refusal("nothing is estimated of a run that will not start; see show findings");
  return *workload;
}

Result why_number(const EvaluationPtr& run, const std::string& name) {
  const Workload& workload = estimated_workload(*run);
  const Hardware* hardware = &run->part.hardware;
  const auto number = unfold_number(workload, *run->estimate, hardware, name);
  if (!number) {
    throw Refusal(fmt::format("no number {} here; there are {}", name,
                              join(unfoldable_numbers(workload, *run->estimate, hardware), ", ")));
  }
  return telling([run, number](const TextStyle& style) { return why_to_text(*number, run->analysis(), style); });
}

/// A word of the panel: what it is, then the number behind it, where that is more than 0.
Result why_label(const Session& session, const Label& label) {
  const EvaluationPtr& run = session.now();
  std::optional<UnfoldedNumber> number;
  if (!label.number.empty()) {
    const Workload& workload = estimated_workload(*run);
    if (run->estimate->step.seconds <= 0)
      throw Refusal("step time unknown: " + reason_without_step(workload, run->part.hardware));
    number = unfold_number(workload, *run->estimate, &run->part.hardware, label.number);
  }
  return telling([run, number, sentence = label.sentence(session)](const TextStyle& style) {
    const std::string text = wrapped(escape_controls(sentence), 2, style) + "\n";
    return number ? text + why_to_text(*number, run->analysis(), style) : text;
  });
}

/// A size that the framework has no key for: what it is, and what sets it.
Result why_size(const Session& session, const ShortName& name) {
  const EvaluationPtr& run = session.now();
  const RunDescription& is = run->run();
  const std::int64_t value = name.degree != nullptr         ? is.degrees.*name.degree
                             : name.member == &Wish::global ? is.batch.global
                                                            : 0;
  Wish wish;
  const std::int64_t doubled = saturating_multiply(std::max<std::int64_t>(value, 1), 2);
  ask_for(wish, name, doubled);
  std::vector<std::string> names;
  const auto keys = trials_from(session.subject(), *run).keys_for(wish);
  for (const KeyValue& one : keys.value_or(std::vector<KeyValue>{})) names.push_back(one.key);
  const std::string set = names.empty() ? fmt::format("{} has no key for it", run->module().framework)
                                        : fmt::format("nothing sets a key for it; set {} {} sets {}", name.name,
                                                      doubled, join(names, ", "));
  const std::string text =
      fmt::format("{} {} ({}): {}", name.name, value > 0 ? std::to_string(value) : "?", name.about, set);
  return telling([text](const TextStyle& style) { return wrapped(text, 2, style) + "\n"; });
}

[[noreturn]] void refuse_why(const Evaluation& run, const std::string& word, const std::string& key) {
  const std::string near = join(nearest_keys(run.experiment(), run.analyses, key), ", ");
  if (!near.empty()) throw Refusal(fmt::format("nothing sets a key {}; did you mean {}?", word, near));
  if (can_explain(key)) throw Refusal(fmt::format("nothing sets a key {}; explain {} says what it is", word, word));
  std::vector<std::string> labels = label_names();
  std::erase_if(labels, [](const std::string& one) { return find_short_name(one) != nullptr; });
  throw Refusal(fmt::format("nothing sets a key {}; why takes a key, {}, {}, memory, parameters, flops or step", word,
                            short_names_text(), join(labels, ", ")));
}

}  // namespace

Result run_why(Session& session, const Line& line) {
  const EvaluationPtr& run = session.now();
  const std::string key = own_key(*run, line[1]);
  std::vector<FoundKey> found = find_key(run->experiment(), run->analyses, key);
  const std::string small = lower_case(key);
  if (found.empty() && is_number_name(small)) return why_number(run, small);
  const Label* label = find_label(key);
  if (found.empty() && label != nullptr) return why_label(session, *label);
  const ShortName* size = find_short_name(lower_case(line[1]));
  if (found.empty() && size != nullptr) return why_size(session, *size);
  if (found.empty()) refuse_why(*run, line[1], key);
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
