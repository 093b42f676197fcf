#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/session/session.h"

namespace primus_plan::session {

/// A line taken apart: words stand between blanks, but for those inside quotes and brackets. A byte order mark at its
/// beginning and a comment, a # after a blank and outside of quotes, are no part of it.
struct Line {
  struct Word {
    std::string text;
    std::size_t at = 0;  ///< where it begins in the line
  };
  std::string text;  ///< without comment and blanks at the end
  std::vector<Word> words;
  bool has_comment = false;

  explicit Line(std::string line);
  std::size_t count() const { return words.size(); }
  const std::string& operator[](std::size_t index) const { return words[index].text; }
  /// Everything from a word on, as it stands.
  std::string from(std::size_t index) const;
};

/// A file or a name as a word gives it, in quotes or without. Throws Refusal for none and for quotes that do not stand
/// around it; `what` begins the sentence ("the name of the file").
std::string without_quotes(const std::string& word, std::string_view what);

/// What a command's words are, for completion.
enum class Argument : std::uint8_t {
  none,
  setting,  ///< KEY VALUE, NAME=VALUE …
  axis,     ///< NAME=VALUES
  changed,  ///< a key that was set
  topic,    ///< of show
  why,      ///< a key or a number
  explain,  ///< a rule or a key
  saved,    ///< a name that was saved
  goal,
  flag,  ///< words of the command's own
  file,
  command,
};

struct Command {
  std::string_view name;
  std::string_view form;   ///< its words: "KEY VALUE"
  std::string_view help;   ///< one line
  std::string_view more;   ///< further lines, for `help NAME`; may be empty
  std::string_view group;  ///< heading in the help
  Argument argument = Argument::none;
  std::size_t least = 0;   ///< words that it needs
  std::size_t most = 0;    ///< words that it takes
  std::string_view flags;  ///< for completion, with blanks between
  Result (*run)(Session& session, const Line& line) = nullptr;
};

/// All of them, in the order of the help.
std::span<const Command> commands();
/// By name, other name, or a beginning that no other has, in small or capital letters; null when there is none.
const Command* find_command(std::string_view as_typed);

inline constexpr std::size_t any_number = 1000;

// change.cpp
Result run_set(Session& session, const Line& line);
Result run_unset(Session& session, const Line& line);
Result run_undo(Session& session, const Line& line);
Result run_redo(Session& session, const Line& line);
// show.cpp
Result run_show(Session& session, const Line& line);
// ask.cpp
Result run_why(Session& session, const Line& line);
Result run_explain(Session& session, const Line& line);
// try.cpp, plan.cpp, goal.cpp
Result run_try(Session& session, const Line& line);
Result run_plan(Session& session, const Line& line);
Result run_apply(Session& session, const Line& line);
Result run_goal(Session& session, const Line& line);
// keep.cpp
Result run_save(Session& session, const Line& line);
Result run_load(Session& session, const Line& line);
Result run_diff(Session& session, const Line& line);
Result run_compare(Session& session, const Line& line);
// write.cpp
Result run_write(Session& session, const Line& line);
// help.cpp
Result run_script(Session& session, const Line& line);
Result run_help(Session& session, const Line& line);
Result run_quit(Session& session, const Line& line);

/// Runs `work`, which searches, with its control; whether it was the user who ended it. The host hears of the end
/// however it comes.
template <class Work>
bool search_with(Host& host, const std::string& noun, Work&& work) {
  const PlanControl control = host.begin_search(noun);
  try {
    work(control);
  } catch (...) {
    host.end_search();
    throw;
  }
  return host.end_search();
}

/// A result that says a fixed text.
Result say(std::string text);
/// The words that `show` takes.
std::vector<std::string> show_topics();
/// The framework's own key for a short name, as the run has it; the word itself for anything else.
std::string own_key(const Evaluation& run, const std::string& word);
/// `word` with "; did you mean …?" for the nearest of some names; empty when none is near.
std::string hint(std::string_view word, const std::vector<std::string>& names);

}  // namespace primus_plan::session
