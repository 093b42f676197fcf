#include "primus_plan/report/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/wrap.h"
#include "session/command.h"
#include "session/draw.h"
#include "session/yaml_value.h"
#include "support/whole_number.h"

namespace primus_plan::session {

namespace {

constexpr std::size_t usual_top = 5;
constexpr std::size_t most_plans = 1000;

struct PlanWords {
  std::size_t top = usual_top;
  bool is_long = false;
};

std::size_t read_count(const std::string& word, std::string_view what) {
  const auto value = whole_number(word);
  if (value && *value >= 1 && std::cmp_less_equal(*value, most_plans)) return static_cast<std::size_t>(*value);
  throw Refusal(fmt::format("{} takes a whole number from 1 to {}, not {}", what, most_plans, word));
}

PlanWords read_words(const Line& line) {
  PlanWords out;
  for (std::size_t i = 1; i < line.count(); ++i) {
    if (line[i] == "--long") {
      out.is_long = true;
    } else if (line[i].starts_with("--top=")) {
      out.top = read_count(line[i].substr(6), "--top");
    } else if (line[i] == "--top" && i + 1 < line.count()) {
      out.top = read_count(line[++i], "--top");
    } else if (line[i] == "--top") {
      throw Refusal("--top needs a number");
    } else {
      throw Refusal(fmt::format(
          "plan does not know {}; in a session it takes --top N and --long, and searches around the state as it is; "
          "primus-plan plan FILE has --pin, --allow and all else that bounds a search",
          line[i]));
    }
  }
  return out;
}

PlanRequest make_request(const Session& session, std::size_t top) {
  const Evaluation& run = *session.now();
  const Goal& goal = session.desk.goal;
  PlanRequest out;
  out.worlds = {run.run().launch.world_size};
  out.task.gpus_per_node = run.run().launch.gpus_per_node;
  out.task.global_batch = goal.global_batch > 0 ? goal.global_batch : run.run().batch.global;
  out.task.sequence_length = run.run().batch.sequence_length;
  out.hardware = run.part.hardware;
  out.min_change = goal.fits && !goal.throughput;
  out.top = top;
  out.jobs = session.subject().jobs;
  if (out.task.global_batch < 1) throw Refusal("the global batch is not known: set gbs N first, or goal gbs=N");
  if (out.task.sequence_length < 1) throw Refusal("the sequence length is not known: set seq N first");
  if (out.hardware.memory_bytes <= 0) throw Refusal(fmt::format("{}: its memory is not known", out.hardware.name));
  return out;
}

PlanReport report_of(const Planned& planned, const Evaluation& run) {
  return {.request = planned.request,
          .result = planned.result,
          .subject = run.experiment().path,
          .framework = std::string(find_backend(run.module().framework)->title()),
          .hardware_source = run.part.from,
          .batch_source = "as it is here",
          .is_file = true};
}

/// Two lines a plan, so that it reads in a narrow terminal.
std::string plan_lines(const ProposedPlan& plan, std::size_t number, double now, const Planned& planned,
                       const TextStyle& style) {
  const Paint paint(style.color);
  const PlanPoint& point = plan.point;
  std::string speed = count_text(point.tokens_per_second_per_gpu) + " tokens/s/GPU";
  if (now > 0) {
    const double gain = 100 * (point.tokens_per_second_per_gpu / now - 1);
    const std::string text = fmt::format("{:+.1f} %", gain);
    speed += " " + (gain >= 0 ? paint.good(text) : paint.bad(text));
  }
  const std::string memory =
      fmt::format("{:.0f} of {:.0f} GiB{}", point.memory.expected / gib, planned.request.hardware.memory_bytes / gib,
                  point.fit == Fit::tight ? " (tight)" : "");
  std::string settings = settings_text(point.candidate, planned.result.always_recomputes);
  if (plan.warnings > 0) settings += ", " + counted(static_cast<std::int64_t>(plan.warnings), "warning");
  settings += plan.is_present ? " (as it stands)"
                              : fmt::format(" ({} changed)", counted(static_cast<std::int64_t>(plan.changes), "key"));
  return flow(fmt::format("  {:>2}", number),
              {paint.bold(layout_text(point.candidate)), fmt::format("DP {}", plan.run.degrees.data), speed, memory},
              style.width) +
         wrapped("        " + settings, 8, style) + "\n";
}

/// How much was searched and what of it can be used.
std::string searched_text(const PlanResult& result) {
  const auto number = [](std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); };
  if (result.complete)
    return one_is_singular(
        fmt::format("{} of {} candidates are legal and fit", number(result.points.size()), number(result.space)));
  return fmt::format("stopped: {} of {} candidates were judged, {} of these are legal and fit", number(result.judged),
                     number(result.space), number(result.points.size()));
}

std::string plans_text(const Planned& planned, const Evaluation& run, const TextStyle& style) {
  const PlanResult& result = planned.result;
  if (result.points.empty() && !result.complete && result.trouble.empty())
    return wrapped(searched_text(result), 2, style) + "\n";
  if (result.points.empty()) return wrapped_lines(explain_no_plan(report_of(planned, run)), style) + "\n";
  // What does not fit has no speed to compare with.
  const double now = run.fits() ? run.estimate->step.tokens_per_second_per_gpu : 0;
  std::string text;
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    text += plan_lines(result.plans[i], i + 1, now, planned, style);
  }
  return text + wrapped(searched_text(result) + "; apply N takes a plan over, plan --long says why", 2, style) + "\n";
}

}  // namespace

Result run_plan(Session& session, const Line& line) {
  const PlanWords words = read_words(line);
  const EvaluationPtr run = session.now();
  auto planned = std::make_shared<Planned>();
  planned->request = make_request(session, words.top);
  planned->state = session.state();
  planned->request.count_warnings = [&](const CandidateOverrides& overrides,
                                        std::int64_t) -> std::optional<std::size_t> {
    State next = session.state();
    for (const auto& [key, value] : overrides) next.set({key, tidy_value(value), {}});
    return evaluate(session.subject(), next)->analysis().warnings;
  };
  const auto prepared = prepare(run->module(), session.subject().loader->environment());
  planned->was_stopped = search_with(session.host(), "group of candidates", [&](const PlanControl& control) {
    planned->result = make_plan(*prepared, planned->request, control);
  });
  session.desk.planned = planned;
  Result out;
  out.was_stopped = planned->was_stopped;
  out.text = [planned, run, words](const TextStyle& style) {
    return words.is_long ? plan_to_text(report_of(*planned, *run), style) : plans_text(*planned, *run, style);
  };
  out.json = [planned, run] { return plan_to_json(report_of(*planned, *run)); };
  return out;
}

Result run_apply(Session& session, const Line& line) {
  const std::size_t number = read_count(line[1], "apply");
  const auto& planned = session.desk.planned;
  if (planned == nullptr) throw Refusal("no plan to apply yet; plan looks for some");
  const std::vector<ProposedPlan>& plans = planned->result.plans;
  if (plans.empty()) throw Refusal("the last search found no plan");
  if (number > plans.size()) throw Refusal(fmt::format("no plan {}; there are 1 to {}", number, plans.size()));
  State next = planned->state;
  for (const auto& [key, value] : plans[number - 1].differences) next.set({key, tidy_value(value), {}});
  if (session.change(next)) return {};
  return say(fmt::format("plan {} is how things stand", number));
}

}  // namespace primus_plan::session
