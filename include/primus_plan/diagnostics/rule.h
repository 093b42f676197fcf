#pragma once

#include <cstdint>
#include <string_view>

namespace primus_plan {

/// error: the run stops, hangs, drops layers, or cannot be judged. warning: it runs, not as meant. note: advice.
enum class Severity : std::uint8_t { note, warning, error };

/// When the run would meet the problem, in the order of a real start-up.
enum class Stage : std::uint8_t {
  load,                ///< Primus reads and merges the YAML
  arguments,           ///< the framework checks its arguments
  model_parallel,      ///< process groups are built
  transformer_config,  ///< the model's configuration object is built
  model_build,         ///< layers, wrappers, optimizer are built
  schedule,            ///< the pipeline schedule starts
  runtime,             ///< first or later step
  advice,              ///< none: the run would not notice; errors are about what this tool was given
};

/// "note", "warning", "error".
std::string_view to_string(Severity severity);
/// "load", "arguments", "model-parallel", …: the words of the JSON report.
std::string_view to_string(Stage stage);

/// A world size that cannot be left out: a rule without an example does not compile.
struct WorldSize {
  int value;
  constexpr WorldSize(int ranks) : value(ranks) {}  // NOLINT(google-explicit-constructor)
};

/// The smallest YAML that shows a rule, as a file that `check` reads (a snippet or an experiment).
struct Example {
  WorldSize world_size;
  std::string_view yaml;
  std::string_view environment = {};  ///< exported variables: "NAME=value" words, split by spaces
};

/// What is known of a rule without running it. Everything is static text.
struct RuleInfo {
  std::string_view id;    ///< "MG203": backend letters and number; never reused for another meaning
  std::string_view name;  ///< "global-batch-not-divisible"; usable wherever the id is
  Severity severity = Severity::error;
  Stage stage = Stage::arguments;
  std::string_view runtime_site;  ///< "megatron/training/arguments.py:validate_args"; empty for advice
  std::string_view outcome;       ///< what the runtime does, for the "= runtime:" line: a clause without a full stop
  std::string_view summary;       ///< one line
  std::string_view explanation;   ///< why, what the runtime does, how to fix; paragraphs split by '\n'
  Example bad;                    ///< fires exactly this rule at this severity
  Example good;                   ///< the same, fixed; silent
};

class Findings;

/// A rule of one backend: data plus one pure function that reports into the findings.
template <class Run>
struct Rule {
  RuleInfo info;
  void (*check)(const Run& run, Findings& out);
};

}  // namespace primus_plan
