#include <algorithm>
#include <array>

#include "session/command.h"
#include "support/lower_case.h"

namespace primus_plan::session {

namespace {

constexpr std::string_view changing = "change the run";
constexpr std::string_view looking = "look at it";
constexpr std::string_view searching = "search";
constexpr std::string_view keeping = "keep it";
constexpr std::string_view session_group = "this session";

constexpr std::array<Command, 19> table{{
    {"set", "KEY VALUE", "change a key or a size: set tp 4, set tp=4 nodes=32, set recompute_granularity full",
     "Short names that mean the same in every framework: tp, pp, cp, ep, etp, vpp, mbs (micro-batch), gbs (global\n"
     "batch), seq (sequence length), world (GPUs), nodes, hw (the GPU: MI300X, MI300X:nic_gbs=25, or a file).\n"
     "Every other name is a key of the framework, its value YAML. The word set may be left out: tp 4, tp=4.\n"
     "A change that the framework would refuse is kept all the same: it says why, and what is near.",
     changing, Argument::setting, 1, any_number, "", run_set},
    {"unset", "KEY|all", "back to what the file has", "", changing, Argument::changed, 1, any_number, "all", run_unset},
    {"undo", "", "one step back", "", changing, Argument::none, 0, 0, "", run_undo},
    {"redo", "", "one step forward again", "", changing, Argument::none, 0, 0, "", run_redo},
    {"show", "[TOPIC]", "the numbers, or keys, layout, memory, stages, schedule, findings",
     "show            degrees, batch, memory, speed, verdict\n"
     "show keys       what is changed, before and after\n"
     "show layout     nodes and GPUs with their coordinates; show layout 37: rank 37 and its peers; show layout ep: "
     "the\n"
     "                groups of that kind\n"
     "show memory     what fills the fullest GPU\n"
     "show stages     layers and memory of each pipeline stage\n"
     "show schedule   the passes of the pipeline over time, and its bubble; show schedule memory: with its memory\n"
     "show findings   every finding with its place, reason and way out",
     looking, Argument::topic, 0, 2, "", run_show},
    {"why", "KEY|NUMBER", "where a value or a number comes from: why tp, why memory, why step.bubble", "", looking,
     Argument::why, 1, 1, "", run_why},
    {"explain", "RULE|KEY", "what a rule or a key is about", "", looking, Argument::explain, 1, 1, "", run_explain},
    {"diff", "", "all that differs from the file", "", looking, Argument::none, 0, 0, "", run_diff},
    {"try", "NAME=VALUES ...", "a table over values: try tp=1,2,4,8, try nodes=1:16, try tp=2,4 mbs=1,2",
     "VALUES is a list (1,2,4), A:B (doubling from A to B) or A:B:STEP (adding STEP). Nothing is changed.\n"
     "Ctrl-C ends the table early.",
     searching, Argument::axis, 1, 6, "", run_try},
    {"plan", "[--top N] [--long]", "search the layouts that are legal and fit, best first",
     "For the GPUs, the batch and the sequence length as they are here; goal says what is looked for.\n"
     "--top N shows N plans (5), --long the whole report with its reasons. Ctrl-C ends the search early.",
     searching, Argument::flag, 0, 4, "--top --long", run_plan},
    {"apply", "N", "take plan N of the last search over", "", searching, Argument::none, 1, 1, "", run_apply},
    {"goal", "[fits|throughput|gbs=N]", "what plan looks for; the panel says whether it is met",
     "goal fits         plans that change the fewest keys first\n"
     "goal throughput   the fastest plans first, as without a goal; throughput=9000 is met at so many tokens/s/GPU\n"
     "goal gbs=512      plans with this global batch\n"
     "goal none         no goal. Several words together are one goal.",
     searching, Argument::goal, 0, 3, "", run_goal},
    {"save", "NAME", "keep this state under a name", "", keeping, Argument::saved, 1, 1, "", run_save},
    {"load", "NAME", "come back to a saved state", "", keeping, Argument::saved, 1, 1, "", run_load},
    {"compare", "NAME", "all that differs from a saved state", "", keeping, Argument::saved, 1, 1, "", run_compare},
    {"write", "[FILE]", "write the changes down: into the experiment after a yes, or into FILE",
     "write              shows the overrides and, after a yes, puts them into the experiment; its comments stay\n"
     "write --yes        the same without asking, for scripts\n"
     "write FILE         only the overrides, into a file of their own\n"
     "write --copy FILE  a copy of the experiment with the changes\n"
     "The text from before the first write stays beside the experiment as NAME.orig. A file that somebody else\n"
     "changed meanwhile is left alone.",
     keeping, Argument::file, 0, 3, "--yes --copy", run_write},
    {"script", "FILE", "run the commands in a file; # begins a comment",
     "A # after a blank begins a comment everywhere, but not in quotes. Names of files with blanks stand in quotes.",
     session_group, Argument::file, 1, 1, "", run_script},
    {"help", "[COMMAND]", "this list, or more about a command", "", session_group, Argument::command, 0, 1, "",
     run_help},
    {"quit", "", "leave (Ctrl-D does, too)", "", session_group, Argument::none, 0, 0, "", run_quit},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> other_names{
    {{"exit", "quit"}, {"q", "quit"}, {"?", "help"}, {"h", "help"}}};

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view as_typed) {
  const std::string typed = lower_case(std::string(as_typed));
  std::string_view word = typed;
  for (const auto& [other, name] : other_names) {
    if (word == other) word = name;
  }
  const auto exact = std::ranges::find(table, word, &Command::name);
  if (exact != table.end()) return &*exact;
  const Command* found = nullptr;
  for (const Command& command : table) {
    if (word.empty() || !command.name.starts_with(word)) continue;
    if (found != nullptr) return nullptr;
    found = &command;
  }
  return found;
}

}  // namespace primus_plan::session
