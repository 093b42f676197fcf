#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/planner/plan.h"
#include "primus_plan/report/report.h"
#include "primus_plan/session/evaluation.h"

namespace primus_plan::session {

/// What commands need of the world around a session. Functions throw Refusal for what cannot be done.
class Host {
 public:
  virtual ~Host() = default;
  /// A yes or no of the user; nothing when nobody can be asked.
  virtual std::optional<bool> confirm(const std::string& question) = 0;
  virtual std::string read(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// Whether two names are of one file.
  virtual bool is_same_file(const std::string& a, const std::string& b) = 0;
  /// A new file, whole or not at all; never in the place of another unless `over` is set.
  virtual void create(const std::string& path, const std::string& text, bool over) = 0;
  /// Takes away a file that `create` made; says nothing where that fails.
  virtual void remove(const std::string& path) = 0;
  /// Puts `after` in the place of a file whose text is `before`; says why not where it was left alone.
  virtual std::string replace(const std::string& path, const std::string& before, const std::string& after) = 0;
  /// For a search that begins now: when to stop, and whom to tell how far it is. `noun`: of what it counts.
  virtual PlanControl begin_search(const std::string& noun) = 0;
  /// The search is over; whether it was the user who ended it.
  virtual bool end_search() = 0;
};

/// What came of a command. Texts are made when they are asked for.
struct Result {
  std::string command;  ///< as it was given
  bool ok = true;
  bool ends = false;         ///< the session is over
  bool was_stopped = false;  ///< the user ended its search: nothing that was to follow should be run unasked
  std::string error;         ///< a sentence, where it is not ok
  EvaluationPtr before;      ///< before the command
  EvaluationPtr after;       ///< after it; the same one where nothing was changed
  std::string goal_before;   ///< how the goal stood ("not met: …"); empty without one
  std::string goal_after;
  std::function<std::string(const TextStyle&)> text;  ///< what the command itself has to say; may be empty
  std::function<std::string()> json;                  ///< the same as a JSON value; may be empty
  std::vector<Result> inner;                          ///< of a script's commands

  bool moved() const { return before != after; }
};

/// What a plan shall reach.
struct Goal {
  bool fits = false;
  bool throughput = false;
  double least_throughput = 0;    ///< tokens/s/GPU; 0: as much as there is
  std::int64_t global_batch = 0;  ///< 0: as it is

  bool is_set() const { return fits || throughput || global_batch > 0; }
};

/// A search that was made, with the state it started from.
struct Planned {
  PlanRequest request;
  PlanResult result;
  State state;
  bool was_stopped = false;
};

/// What a session keeps beside its history.
struct Desk {
  std::map<std::string, State> saved;
  Goal goal;
  std::shared_ptr<const Planned> planned;
  std::string on_disk;  ///< the text of the file as this session knows it
  bool has_way_back = false;
  int script_depth = 0;
};

/// An experiment, what was changed of it, and how it came there. Reads, writes and asks through its Host alone.
class Session {
 public:
  /// Throws Refusal when the experiment cannot be loaded.
  Session(Subject subject, Host& host);

  /// Runs a line. Never throws for what it says: wrong input changes nothing. Empty lines and comments (#) do nothing.
  Result run(const std::string& text);

  const Subject& subject() const { return subject_; }
  Host& host() { return host_; }
  const EvaluationPtr& base() const { return steps_.front().run; }  ///< the file as it is
  const EvaluationPtr& now() const { return steps_[at_].run; }
  const State& state() const { return steps_[at_].state; }

  /// One step on; what was undone is forgotten. False where that is the state already. Throws Refusal and stays.
  bool change(const State& wanted);
  bool undo();
  bool redo();

  Desk desk;

 private:
  struct Step {
    State state;
    EvaluationPtr run;  ///< null: to be judged again
  };

  bool go_to(std::size_t step);

  Subject subject_;
  Host& host_;
  std::vector<Step> steps_;
  std::size_t at_ = 0;
};

/// Whether a line is more than blanks and a comment.
bool is_command(const std::string& line);
/// Why a script's command that follows a stopped search was not run.
inline constexpr std::string_view not_run = "not run, nor what follows it: the search before it was stopped";

/// What changed and what the command says, for a terminal or a pipe.
std::string result_to_text(const Result& result, const TextStyle& style);
/// {"command", "ok", "error", "changes": [{"name", "before", "after"}], "numbers": {…}, "findings": [all that there are
/// now], "new": […], "gone": […], "output": the command's own value or null}
std::string result_to_json(const Result& result);

/// What the panel shows of a moment.
struct Panel {
  EvaluationPtr run;
  std::size_t changes = 0;
  std::string goal;
};
Panel panel_of(const Session& session);
/// Degrees, batch, memory against the GPU's, speed and verdict in a few lines, as narrow as the terminal.
std::string panel_to_text(const Panel& panel, const TextStyle& style);

/// How the goal stands: "met", "not met: …"; empty without one.
std::string goal_text(const Goal& goal, const Evaluation& run);

/// Words that may stand where the last word of `line` begins.
struct Completions {
  std::size_t start = 0;           ///< where that word begins
  std::vector<std::string> words;  ///< whole words that begin like it, sorted
  bool files = false;              ///< names of files, too
};
Completions complete(const Session& session, std::string_view text);

}  // namespace primus_plan::session
