#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/report/plan.h"
#include "primus_plan/support/text.h"
#include "report/json_writer.h"
#include "report/wrap.h"
#include "session/command.h"
#include "session/section.h"

namespace primus_plan::session {

namespace {

struct WriteWords {
  bool yes = false;
  bool copy = false;
  std::string file;
};

WriteWords read_words(const Line& line) {
  WriteWords out;
  for (std::size_t i = 1; i < line.count(); ++i) {
    if (line[i] == "--yes") {
      out.yes = true;
    } else if (line[i] == "--copy") {
      out.copy = true;
    } else if (line[i].starts_with("--")) {
      throw Refusal(fmt::format("write does not know {}; it takes --yes, --copy and a FILE", line[i]));
    } else if (out.file.empty()) {
      out.file = without_quotes(line[i], "the name of the file");
    } else {
      throw Refusal("write takes one FILE; quotes hold a name with blanks together");
    }
  }
  if (out.copy && out.file.empty()) throw Refusal("write --copy needs a FILE for the changed copy");
  return out;
}

CandidateOverrides overrides_of(const State& state) {
  CandidateOverrides out;
  for (const KeySetting& one : state.keys) out.emplace_back(one.key, one.value);
  return out;
}

/// What is changed beside keys.
LaunchComment comment_of(const Session& session) {
  const State& state = session.state();
  const Launch& launch = session.now()->run().launch;
  const bool sized = state.world_size > 0 || state.nodes > 0;
  return {.world_size = sized ? launch.world_size : 0,
          .gpus_per_node = launch.gpus_per_node,
          .hardware = std::string(built_in_name(state.hardware))};
}

/// The same as comments above the block.
std::string remarks(const Session& session) {
  const std::string words = to_words(comment_of(session));
  return words.empty() ? words : fmt::format("# primus-plan: {}\n", words);
}

std::string block(const Session& session) {
  return remarks(session) + overrides_block(overrides_of(session.state()), 0);
}

/// The text with overrides in the module where it has none. Throws Refusal where there is no place for them.
std::string with_section(const std::string& text, const std::string& module, const CandidateOverrides& overrides) {
  const WithSection out = add_section(text, module, overrides);
  if (out.was == Section::there) return text;
  if (out.was == Section::missing) return out.text;
  throw Refusal(
      fmt::format("{} has no overrides that keys could be put under; give it a line \"overrides:\" with "
                  "nothing behind it, or put in by hand the block that write FILE makes",
                  module));
}

/// The experiment with the changes in it, its comments and all other bytes as they were. Throws Refusal where a key
/// cannot be edited where it stands, or where the text would not come to what the session shows.
std::string changed_text(const Session& session) {
  const State& state = session.state();
  const Evaluation& base = *session.base();
  std::string text = with_launch_comment(session.subject().text, base.experiment().pragma.origin, comment_of(session));
  const CandidateOverrides overrides = overrides_of(state);
  if (!overrides.empty() && !base.experiment().is_snippet) text = with_section(text, base.module().name, overrides);
  const WrittenPlan written = write_plan_into(text, base.module().name, base.experiment().is_snippet, overrides);
  const std::string by_hand = "; write prints the block to put in by hand";
  if (!written.left_out.empty())
    throw Refusal(fmt::format("{} cannot be edited where it stands{}", join(written.left_out, ", "), by_hand));
  Subject again = session.subject();
  again.text = written.text;
  const NodePtr params = changed_params(again, {});
  for (const KeySetting& one : state.keys) {
    const Node* value = params->at_path(one.key);
    if (value == nullptr || to_text(*value) != one.value)
      throw Refusal(fmt::format("{} would not become {} in the file{}", one.key, one.value, by_hand));
  }
  return written.text;
}

/// Where the text goes that the session began with: beside the file, under a name that is free.
std::string way_back(Session& session, const std::string& path) {
  std::string name = path + ".orig";
  for (int i = 2; session.host().exists(name); ++i) name = fmt::format("{}.orig.{}", path, i);
  session.host().create(name, session.subject().text, false);
  return name;
}

/// Replaces the file's text and says where the one from before is kept, where that is new. Throws Refusal, with nothing
/// left behind.
std::string replace_text(Session& session, const std::string& path, const std::string& text) {
  std::string kept = session.desk.has_way_back ? std::string() : way_back(session, path);
  try {
    const std::string refused = session.host().replace(path, session.desk.on_disk, text);
    if (!refused.empty()) {
      throw Refusal(fmt::format(
          "{} was left alone: {}; write FILE puts the changes elsewhere, and this session goes on", path, refused));
    }
  } catch (...) {
    if (!kept.empty()) session.host().remove(kept);
    throw;
  }
  session.desk.has_way_back = true;
  session.desk.on_disk = text;
  return kept;
}

/// What of the changes is no key of an experiment, with the way to keep it; empty where there is nothing of that kind.
std::string not_written(const Session& session) {
  const std::string& part = session.state().hardware;
  if (part.empty() || !built_in_name(part).empty()) return {};
  return fmt::format(
      "hw {} is no key of the experiment and is not in it: hardware: {} in .primus-plan.yaml or "
      "--hardware {} keeps it",
      part, part, part);
}

Result block_result(const Session& session, std::string text, std::string note) {
  Result out;
  out.json = [text] { return json_string(text); };
  out.text = [text = std::move(text), note = std::move(note), more = not_written(session)](const TextStyle& style) {
    const std::string last = more.empty() ? more : wrapped(escape_controls(more), 2, style) + "\n";
    return text + wrapped(note, 2, style) + "\n" + last;
  };
  return out;
}

Result write_into_file(Session& session, bool sure) {
  const std::string& path = session.subject().path;
  const std::string text = changed_text(session);
  const std::string& known = session.desk.on_disk;
  if (text == known) return block_result(session, {}, fmt::format("{} holds that already", escape_controls(path)));
  const std::string errors = session.now()->is_legal() ? "" : " although the run would not start";
  const std::string shown = block(session);
  const std::string question = shown.empty()
                                   ? fmt::format("put the text that the session began with back into {}?", path)
                                   : fmt::format("{}put this into {}{} (comments stay)?", shown, path, errors);
  const std::optional<bool> answer = sure ? true : session.host().confirm(question);
  if (!answer) {
    return block_result(session, shown,
                        fmt::format("(write --yes puts this into {}; write FILE puts it into a file of its own)",
                                    escape_controls(path)));
  }
  if (!*answer) return say("nothing was written");
  const std::string kept = replace_text(session, path, text);
  return block_result(session, sure ? shown : std::string(),
                      fmt::format("written into {}{}; undo and write take it back", escape_controls(path),
                                  kept.empty() ? "" : fmt::format(" (the text before: {})", escape_controls(kept))));
}

Result write_elsewhere(Session& session, const WriteWords& words) {
  const std::string text = words.copy ? changed_text(session) : block(session);
  bool over = false;
  if (session.host().exists(words.file)) {
    const std::optional<bool> answer =
        words.yes ? true : session.host().confirm(fmt::format("{} is there; replace it?", words.file));
    if (!answer) throw Refusal(fmt::format("{} is there; write --yes {} replaces it", words.file, words.file));
    if (!*answer) return say("nothing was written");
    over = true;
  }
  session.host().create(words.file, text, over);
  return block_result(
      session, words.copy ? std::string() : text,
      fmt::format("written to {}{}", escape_controls(words.file), words.copy ? ", a changed copy" : ""));
}

}  // namespace

Result run_write(Session& session, const Line& line) {
  const WriteWords words = read_words(line);
  const std::string& path = session.subject().path;
  const bool into = words.file.empty() || session.host().is_same_file(words.file, path);
  const bool is_file = session.host().exists(path);
  const bool is_new = session.desk.on_disk == session.subject().text;
  if (session.state().is_empty() && (is_new || !into)) return say("nothing is changed, so there is nothing to write");
  const bool only_hardware = session.state().keys.empty() && remarks(session).empty();
  if (only_hardware && !session.state().hardware.empty() && (is_new || !into))
    return say("nothing to write: " + not_written(session));
  if (into && !is_file)
    return block_result(session, block(session), "(there is no file to write into; write FILE makes one)");
  return into ? write_into_file(session, words.yes) : write_elsewhere(session, words);
}

}  // namespace primus_plan::session
