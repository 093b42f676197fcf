#include <fmt/core.h>

#include <cmath>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "session/command.h"
#include "support/lower_case.h"
#include "support/whole_number.h"

namespace primus_plan::session {

namespace {

std::int64_t read_positive(const std::string& word) {
  const std::string text = word.substr(word.find('=') + 1);
  const auto value = whole_number(text);
  if (!value || *value < 1 || *value > (std::int64_t{1} << 40))
    throw Refusal(fmt::format("{}: expected a whole number of 1 or more", word));
  return *value;
}

void read_goal(const std::string& word, Goal& goal) {
  if (word == "fits") {
    goal.fits = true;
  } else if (word == "throughput") {
    goal.throughput = true;
  } else if (word.starts_with("throughput=")) {
    goal.throughput = true;
    goal.least_throughput = static_cast<double>(read_positive(word));
  } else if (word.starts_with("gbs=")) {
    goal.global_batch = read_positive(word);
  } else if (word == "none") {
    goal = {};
  } else {
    throw Refusal(fmt::format("no goal {}{}; there are fits, throughput, throughput=N (tokens/s/GPU), gbs=N, none",
                              word, hint(word, {"fits", "throughput", "gbs=", "none"})));
  }
}

std::string name_of(const Goal& goal) {
  std::vector<std::string> names;
  if (goal.fits) names.emplace_back("fits");
  if (goal.throughput) {
    names.push_back(goal.least_throughput > 0
                        ? fmt::format("throughput={}", with_commas(std::llround(goal.least_throughput)))
                        : "throughput");
  }
  if (goal.global_batch > 0) names.push_back(fmt::format("gbs={}", goal.global_batch));
  return join(names, " ");
}

}  // namespace

std::string goal_text(const Goal& goal, const Evaluation& run) {
  if (!goal.is_set()) return {};
  std::vector<std::string> missing;
  if (!run.is_legal()) missing.emplace_back("it will not start");
  if (run.is_legal() && !run.fits()) missing.emplace_back("it does not fit");
  if (goal.global_batch > 0 && run.run().batch.global != goal.global_batch)
    missing.push_back(fmt::format("gbs is {}", run.run().batch.global));
  const double speed = run.estimate ? run.estimate->step.tokens_per_second_per_gpu : 0;
  if (run.is_legal() && speed < goal.least_throughput)
    missing.push_back(fmt::format("{} tokens/s/GPU", with_commas(std::llround(speed))));
  return fmt::format("{}: {}", name_of(goal), missing.empty() ? "met" : "not met, " + join(missing, ", "));
}

Result run_goal(Session& session, const Line& line) {
  Goal goal = line.count() > 1 ? Goal{} : session.desk.goal;
  for (std::size_t i = 1; i < line.count(); ++i) read_goal(lower_case(line[i]), goal);
  session.desk.goal = goal;
  if (!goal.is_set()) return say("no goal; goal fits, goal throughput or goal gbs=512 sets one, and plan looks for it");
  return say(fmt::format("goal {}; plan looks for it", goal_text(goal, *session.now())));
}

}  // namespace primus_plan::session
