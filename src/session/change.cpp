#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/run/launch.h"
#include "primus_plan/support/text.h"
#include "session/command.h"
#include "session/yaml_value.h"
#include "support/lower_case.h"
#include "support/whole_number.h"

namespace primus_plan::session {

namespace {

struct Asked {
  std::string name;
  std::string value;
};

/// "set tp=4 nodes=32", or "set KEY VALUE" with a value up to the end of the line.
std::vector<Asked> read_settings(const Line& line) {
  if (line[1].find('=') == std::string::npos) {
    if (line.count() < 3) throw Refusal(fmt::format("set {} to what? set {} VALUE", line[1], line[1]));
    return {{line[1], line.from(line[2] == "=" ? 3 : 2)}};
  }
  std::vector<Asked> out;
  for (std::size_t i = 1; i < line.count(); ++i) {
    const std::size_t equals = line[i].find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == line[i].size())
      throw Refusal(fmt::format("{}: expected NAME=VALUE, as in set tp=4 nodes=32", line[i]));
    out.push_back({line[i].substr(0, equals), line[i].substr(equals + 1)});
  }
  return out;
}

std::int64_t read_size(const Asked& asked) {
  const auto value = whole_number(asked.value);
  const bool is_launch = asked.name == "world" || asked.name == "nodes";
  const std::int64_t most = is_launch ? largest_launch : std::int64_t{1} << 40;
  if (!value || *value < 1 || *value > most) {
    throw Refusal(fmt::format("{} takes a whole number{}, not {}", asked.name,
                              is_launch ? fmt::format(" from 1 to {}", largest_launch) : " of 1 or more", asked.value));
  }
  return *value;
}

/// The full name of a key of a section that is named without it, where there is just one.
std::string full_name(const Evaluation& run, const std::string& key) {
  if (run.module().params->at_path(key) != nullptr || key.find('.') != std::string::npos) return key;
  std::vector<std::string> found;
  for (const CatalogueKey* known : keys_named(key)) {
    if (known->backend.empty() || known->backend == run.module().framework) found.push_back(known->name);
  }
  return found.size() == 1 ? found.front() : key;
}

/// Refuses a key that is given twice, be it once by its short name.
void require_distinct(const Evaluation& run, const std::vector<Asked>& settings) {
  std::vector<std::string> seen;
  const auto asks_for = [&](std::string_view name) {
    return std::ranges::any_of(settings, [&](const Asked& one) { return lower_case(one.name) == name; });
  };
  if (asks_for("world") && asks_for("nodes"))
    throw Refusal("world and nodes both say how many GPUs there are: give one of them; nothing is changed");
  for (const Asked& one : settings) {
    std::string key = full_name(run, own_key(run, one.name));
    if (find_short_name(lower_case(key)) != nullptr) key = lower_case(key);
    if (std::ranges::find(seen, key) != seen.end())
      throw Refusal(fmt::format("{} is given twice; nothing is changed", one.name));
    seen.push_back(std::move(key));
  }
}

/// A wish for degrees and batch, with the names that it is made of.
struct SizeWish {
  Wish wish;
  std::string names;
  bool has_keys = false;
};

void set_launch(State& state, const std::string& name, std::int64_t value) {
  (name == "world" ? state.world_size : state.nodes) = value;
  (name == "world" ? state.nodes : state.world_size) = 0;
}

void set_one(const Session& session, const Asked& asked, State& state, SizeWish& sizes) {
  const std::string name = lower_case(asked.name);
  const ShortName* known = find_short_name(name);
  if (name == "hw") {
    state.hardware = without_quotes(asked.value, "the value of hw");
  } else if (known == nullptr) {
    state.set({full_name(*session.now(), asked.name), tidy_value(asked.value), {}});
  } else if (known->key == nullptr) {
    set_launch(state, name, read_size({name, asked.value}));
  } else {
    ask_for(sizes.wish, *known, read_size({name, asked.value}));
    sizes.names += name + " ";
    sizes.has_keys = true;
  }
}

/// Which of the short names a key was set for: the one whose own it is, else all.
std::string asked_by(const Evaluation& run, const std::string& names, const std::string& key) {
  for (const ShortName& one : short_names()) {
    const std::string name(one.name);
    const bool was_asked = (" " + names).find(" " + name + " ") != std::string::npos;
    if (was_asked && own_key(run, name) == key) return name + " ";
  }
  return names;
}

/// Turns degrees and batch into the framework's own keys, on top of what else was asked for.
void set_sizes(const Session& session, const SizeWish& sizes, State& state) {
  const bool from_here = state == session.state();
  const EvaluationPtr run = from_here ? session.now() : evaluate(session.subject(), state);
  const auto keys = trials_from(session.subject(), *run).keys_for(sizes.wish);
  if (!keys) throw Refusal(fmt::format("{} has no key for {}here", run->module().framework, sizes.names));
  for (const KeyValue& one : *keys) state.set({one.key, to_text(*one.value), asked_by(*run, sizes.names, one.key)});
}

/// Takes off what a word set: a key, or all that a short name did.
bool take_off(State& state, const Evaluation& run, const std::string& word) {
  const std::string name = lower_case(word);
  const State before = state;
  if (name == "world" || name == "nodes") state.world_size = state.nodes = 0;
  if (name == "hw") state.hardware.clear();
  const std::string key = own_key(run, name);
  std::erase_if(state.keys, [&](const KeySetting& one) {
    return one.key == word || one.key == key || (" " + one.asked).find(" " + name + " ") != std::string::npos ||
           one.key.ends_with("." + word);
  });
  return !(state == before);
}

std::vector<std::string> changed_names(const State& state) {
  std::vector<std::string> out;
  for (const KeySetting& one : state.keys) out.push_back(one.key);
  if (state.world_size > 0) out.emplace_back("world");
  if (state.nodes > 0) out.emplace_back("nodes");
  if (!state.hardware.empty()) out.emplace_back("hw");
  return out;
}

}  // namespace

Result run_set(Session& session, const Line& line) {
  State next = session.state();
  SizeWish sizes;
  const std::vector<Asked> settings = read_settings(line);
  require_distinct(*session.now(), settings);
  for (const Asked& asked : settings) set_one(session, asked, next, sizes);
  if (sizes.has_keys) set_sizes(session, sizes, next);
  return session.change(next) ? Result{} : say("it is so already");
}

Result run_unset(Session& session, const Line& line) {
  State next = session.state();
  for (std::size_t i = 1; i < line.count(); ++i) {
    if (lower_case(line[i]) == "all") {
      next = {};
    } else if (!take_off(next, *session.now(), line[i])) {
      const std::vector<std::string> names = changed_names(session.state());
      const std::string what = names.empty() ? "nothing is changed" : "changed are " + join(names, ", ");
      throw Refusal(fmt::format("{} is as the file has it; {}", line[i], what));
    }
  }
  return session.change(next) ? Result{} : say("nothing is changed");
}

Result run_undo(Session& session, const Line& /*line*/) {
  if (!session.undo()) throw Refusal("nothing to undo: this is the file as it is");
  return {};
}

Result run_redo(Session& session, const Line& /*line*/) {
  if (!session.redo()) throw Refusal("nothing to redo");
  return {};
}

}  // namespace primus_plan::session
