#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/estimate/unfold.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/report/topics.h"
#include "session/command.h"
#include "session/labels.h"

namespace primus_plan::session {

namespace {

using Words = std::vector<std::string>;

bool is_for(const CatalogueKey& key, const Session& session) {
  return key.backend.empty() || key.backend == session.now()->module().framework;
}

void add_flags(std::string_view flags, Words& out) {
  while (!flags.empty()) {
    const std::string_view word = flags.substr(0, flags.find(' '));
    out.emplace_back(word);
    flags.remove_prefix(std::min(word.size() + 1, flags.size()));
  }
}

void add_keys(const Session& session, const std::string& after, Words& out) {
  for (const CatalogueKey& key : key_catalogue()) {
    if (is_for(key, session)) out.push_back(key.name + after);
  }
}

void add_short_names(const std::string& after, Words& out) {
  for (const ShortName& name : short_names()) out.push_back(std::string(name.name) + after);
}

/// Powers of two up to the size of the launch.
void add_sizes(std::int64_t most, Words& out) {
  for (std::int64_t size = 1; size <= most; size *= 2) out.push_back(std::to_string(size));
}

std::string bare(const std::string& json) {
  const bool quoted = json.size() >= 2 && json.front() == '"' && json.back() == '"';
  return quoted ? json.substr(1, json.size() - 2) : json;
}

/// Values that a key or a short name takes, where they are few.
Words values_of(const Session& session, const std::string& name) {
  Words out;
  if (name == "hw") {
    for (const Hardware& part : built_in_hardware()) out.push_back(part.name);
    return out;
  }
  if (const ShortName* known = find_short_name(name)) {
    const bool is_degree = known->degree != nullptr;
    add_sizes(is_degree ? session.now()->run().launch.world_size : std::int64_t{1} << 13, out);
    return out;
  }
  for (const CatalogueKey* key : keys_named(name)) {
    if (!is_for(*key, session)) continue;
    for (const std::string& choice : key->choices) out.push_back(bare(choice));
    if (key->choices.empty() && key->type == "boolean") out.insert(out.end(), {"true", "false"});
    if (key->nullable) out.emplace_back("null");
  }
  return out;
}

void add_setting(const Session& session, const Line& line, std::size_t index, const std::string& word, Words& out) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) {
    const std::string name = word.substr(0, equals);
    for (const std::string& value : values_of(session, name)) out.push_back(fmt::format("{}={}", name, value));
  } else if (index == 2 && line[1].find('=') == std::string::npos) {
    out = values_of(session, line[1]);
  } else {
    const std::string after = index == 1 ? "" : "=";
    add_short_names(after, out);
    out.push_back("hw" + after);
    add_keys(session, after, out);
  }
}

void add_changed(const State& state, Words& out) {
  for (const KeySetting& one : state.keys) out.push_back(one.key);
  if (state.world_size > 0) out.emplace_back("world");
  if (state.nodes > 0) out.emplace_back("nodes");
  if (!state.hardware.empty()) out.emplace_back("hw");
}

void add_why(const Session& session, Words& out) {
  add_short_names("", out);
  for (std::string& label : label_names()) out.push_back(std::move(label));
  add_keys(session, "", out);
  const Evaluation& run = *session.now();
  if (!run.estimate) return;
  const Words numbers = unfoldable_numbers(*run.analysis().workload, *run.estimate, &run.part.hardware);
  out.insert(out.end(), numbers.begin(), numbers.end());
}

void add_explained(const Session& session, Words& out) {
  for (const RuleInfo* rule : all_rules()) {
    out.emplace_back(rule->id);
    out.emplace_back(rule->name);
  }
  for (const std::string_view topic : topic_names()) out.emplace_back(topic);
  add_keys(session, "", out);
}

Words candidates(const Session& session, const Line& line, std::size_t index, const std::string& word,
                 Completions& answer) {
  Words out;
  if (index == 0) {
    for (const Command& command : commands()) out.emplace_back(command.name);
    return out;
  }
  const Command* command = find_command(line[0]);
  if (command == nullptr) return out;
  add_flags(command->flags, out);
  switch (command->argument) {
    case Argument::setting:
      add_setting(session, line, index, word, out);
      break;
    case Argument::axis:
      add_short_names("=", out);
      add_keys(session, "=", out);
      break;
    case Argument::changed:
      add_changed(session.state(), out);
      break;
    case Argument::topic:
      out = show_topics();
      break;
    case Argument::why:
      add_why(session, out);
      break;
    case Argument::explain:
      add_explained(session, out);
      break;
    case Argument::saved:
      for (const auto& [name, ignored] : session.desk.saved) out.push_back(name);
      break;
    case Argument::goal:
      out = {"fits", "throughput", "throughput=", "gbs=", "none"};
      break;
    case Argument::command:
      for (const Command& known : commands()) out.emplace_back(known.name);
      break;
    case Argument::file:
      answer.files = true;
      break;
    case Argument::flag:
    case Argument::none:
      break;
  }
  return out;
}

}  // namespace

Completions complete(const Session& session, std::string_view text) {
  const Line line{std::string(text)};
  if (line.has_comment) return {.start = text.size(), .words = {}, .files = false};
  const bool fresh = text.empty() || text.back() == ' ' || text.back() == '\t' || line.count() == 0;
  const std::size_t index = fresh ? line.count() : line.count() - 1;
  const std::string word = fresh ? std::string() : line[index];
  Completions out;
  out.start = text.size() - word.size();
  for (std::string& one : candidates(session, line, index, word, out)) {
    if (one.starts_with(word)) out.words.push_back(std::move(one));
  }
  std::ranges::sort(out.words);
  out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
  return out;
}

}  // namespace primus_plan::session
