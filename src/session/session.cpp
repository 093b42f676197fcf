#include "primus_plan/session/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "primus_plan/planner/short_names.h"
#include "primus_plan/support/text.h"
#include "session/command.h"
#include "support/lower_case.h"

namespace primus_plan::session {

namespace {

/// Steps whose judgement is kept; older ones are judged again when undo comes back to them.
constexpr std::size_t most_kept = 200;

[[noreturn]] void refuse_word(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const std::string near = hint(word, names);
  throw Refusal(fmt::format("no command {}{}; help lists them", word, near));
}

/// "tp 4" and "tp=4" are meant as "set tp 4".
bool is_setting(const Session& session, const Line& line) {
  const std::string name = line[0].substr(0, line[0].find('='));
  const std::string small = lower_case(name);
  if (line[0].find('=') != std::string::npos || find_short_name(small) != nullptr || small == "hw") return true;
  return line.count() > 1 && session.now()->module().params->at_path(name) != nullptr;
}

Result dispatch(Session& session, const Line& line) {
  if (line.count() == 0) return {};
  const Command* command = find_command(line[0]);
  if (command == nullptr && is_setting(session, line)) return run_set(session, Line("set " + line.text));
  if (command == nullptr) refuse_word(line[0]);
  const std::size_t given = line.count() - 1;
  if (given < command->least || given > command->most) {
    throw Refusal(fmt::format("usage: {}{}{}   {}", command->name, command->form.empty() ? "" : " ", command->form,
                              command->help));
  }
  return command->run(session, line);
}

/// Without the settings that are what the file has anyway.
State without_repetitions(const State& state, const Evaluation& base) {
  State out = state;
  std::erase_if(out.keys, [&base](const KeySetting& one) {
    const Node* value = base.module().params->at_path(one.key);
    return value != nullptr && to_text(*value) == one.value;
  });
  const Launch& launch = base.run().launch;
  if (out.world_size == launch.world_size) out.world_size = 0;
  if (out.nodes == launch.nodes && launch.nodes * launch.gpus_per_node == launch.world_size) out.nodes = 0;
  return out;
}

}  // namespace

Session::Session(Subject subject, Host& host) : subject_(std::move(subject)), host_(host) {
  desk.on_disk = subject_.text;
  steps_.push_back({{}, evaluate(subject_, {})});
}

bool Session::change(const State& wanted) {
  const State next = without_repetitions(wanted, *base());
  if (next == state()) return false;
  EvaluationPtr run = evaluate(subject_, next);
  steps_.resize(at_ + 1);
  steps_.push_back({next, std::move(run)});
  ++at_;
  if (at_ > most_kept) steps_[at_ - most_kept].run.reset();
  return true;
}

bool Session::go_to(std::size_t step) {
  if (step >= steps_.size()) return false;
  if (steps_[step].run == nullptr) steps_[step].run = evaluate(subject_, steps_[step].state);
  at_ = step;
  return true;
}

bool Session::undo() { return at_ > 0 && go_to(at_ - 1); }

bool Session::redo() { return go_to(at_ + 1); }

Result Session::run(const std::string& text) {
  const Line line(text);
  const EvaluationPtr before = now();
  const std::string goal_before = goal_text(desk.goal, *before);
  Result result;
  try {
    result = dispatch(*this, line);
  } catch (const std::runtime_error& refusal) {  // Refusal, SweepError, HardwareError, LoadError …
    result.ok = false;
    result.error = refusal.what();
  }
  if (line.count() > 0) result.command = line.text;
  result.before = before;
  result.after = now();
  result.goal_before = goal_before;
  result.goal_after = goal_text(desk.goal, *now());
  return result;
}

Result say(std::string text) {
  Result out;
  out.text = [text = std::move(text)](const TextStyle&) { return text + "\n"; };
  return out;
}

std::string own_key(const Evaluation& run, const std::string& word) {
  const ShortName* known = find_short_name(lower_case(word));
  if (known == nullptr || known->key == nullptr) return word;
  const RunKey& key = run.run().keys.*(known->key);
  return key.name == nullptr ? word : key.name;
}

std::string hint(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::vector<std::string_view> nearest = nearest_names(word, known, 1);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest.front());
}

}  // namespace primus_plan::session
