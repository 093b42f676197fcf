#include <fmt/core.h>

#include <memory>
#include <utility>

#include "primus_plan/planner/compare.h"
#include "primus_plan/report/diff.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "session/command.h"
#include "session/draw.h"

namespace primus_plan::session {

namespace {

/// The name that a state is kept under.
std::string name_of(const Line& line) { return without_quotes(line[1], "the name"); }

const State& saved_state(const Session& session, const std::string& name) {
  const auto found = session.desk.saved.find(name);
  if (found != session.desk.saved.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, ignored] : session.desk.saved) names.push_back(known);
  if (names.empty()) throw Refusal(fmt::format("nothing is saved yet; save {} keeps the state under that name", name));
  throw Refusal(fmt::format("nothing is saved as {}; there are {}", name, join(names, ", ")));
}

/// Two runs side by side; owns what the comparison points into.
struct Pair {
  EvaluationPtr a;
  EvaluationPtr b;
  std::string a_name;
  std::string b_name;
  std::optional<RankLayout> a_layout;
  std::optional<RankLayout> b_layout;
  Comparison comparison;

  DiffReport report() const {
    return {.before = a->analysis(),
            .after = b->analysis(),
            .comparison = comparison,
            .before_name = a_name,
            .after_name = b_name,
            .hardware = a->part.hardware.name == b->part.hardware.name
                            ? b->part.hardware.name
                            : fmt::format("{} and {}", a->part.hardware.name, b->part.hardware.name)};
  }
};

ComparedRun compared(const Evaluation& run, const std::optional<RankLayout>& layout) {
  return {run.analysis(), run.module(), run.estimated(), layout ? &*layout : nullptr};
}

Result comparison(const Session& session, EvaluationPtr a, std::string a_name, std::string b_name) {
  auto pair = std::make_shared<Pair>();
  pair->a = std::move(a);
  pair->b = session.now();
  pair->a_name = std::move(a_name);
  pair->b_name = std::move(b_name);
  if (pair->a->is_legal()) pair->a_layout = layout_of(session.subject(), *pair->a);
  if (pair->b->is_legal()) pair->b_layout = layout_of(session.subject(), *pair->b);
  pair->comparison = compare_runs(compared(*pair->a, pair->a_layout), compared(*pair->b, pair->b_layout));
  Result out;
  out.text = [pair](const TextStyle& style) { return diff_to_text(pair->report(), style); };
  out.json = [pair] { return diff_to_json(pair->report()); };
  return out;
}

}  // namespace

Result run_save(Session& session, const Line& line) {
  const std::string name = name_of(line);
  const bool again = session.desk.saved.contains(name);
  session.desk.saved[name] = session.state();
  return say(fmt::format("saved as {}{}; load {} comes back to it, compare {} compares with it", name,
                         again ? " (in the place of an earlier one)" : "", line[1], line[1]));
}

Result run_load(Session& session, const Line& line) {
  const std::string name = name_of(line);
  if (session.change(saved_state(session, name))) return {};
  return say(fmt::format("{} is how things stand", name));
}

Result run_diff(Session& session, const Line& /*line*/) {
  if (session.state().is_empty()) return say("nothing is changed");
  return comparison(session, session.base(), "the file", "now");
}

Result run_compare(Session& session, const Line& line) {
  const std::string name = name_of(line);
  return comparison(session, evaluate(session.subject(), saved_state(session, name)), name, "now");
}

}  // namespace primus_plan::session
