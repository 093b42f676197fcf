#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/config/document.h"
#include "primus_plan/config/ignore_comment.h"
#include "primus_plan/config/presets.h"

namespace primus_plan {

/// Keys at the top of every experiment that say where its results go. Source: primus/core/launcher/parser.py.
inline constexpr std::array<std::string_view, 4> experiment_folder_keys{"work_group", "user_name", "exp_name",
                                                                        "workspace"};

/// One entry of `modules:` after Primus's merges.
struct Module {
  std::string name;                   ///< "pre_trainer"
  std::string framework;              ///< "megatron", "torchtitan", …
  std::optional<std::string> config;  ///< module preset, "pre_trainer.yaml"
  std::optional<std::string> model;   ///< model preset, "llama3_8B.yaml"
  std::optional<std::string> trainer_class;
  std::vector<std::string>
      missing_files;   ///< dotted keys of params that name a file the framework opens, and it is not there
  NodePtr params;      ///< what the runtime sees: module preset + model preset + overrides + command line
  NodePtr attributes;  ///< the runtime's other keys of the module: name, framework and, where set, config, model,
                       ///< trainer_class
  Origin origin;       ///< the module's name in the experiment: where findings about absent keys point
  bool is_run =
      true;  ///< false: Primus left it as it is written and will not find it (CF209), so there is nothing to judge
};

/// A launch size written in the file's comments: `# primus-plan: world-size=64` or `nodes=8 gpus-per-node=8`.
struct Pragma {
  std::optional<std::int64_t> world_size;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus_per_node;
  Origin origin;
};

/// An experiment as Primus's runtime would hold it, every value with its history.
struct Experiment {
  std::string path;
  NodePtr exp;  ///< top-level keys after Primus's parser, without `modules`
  std::vector<Module> modules;
  std::string presets;      ///< where presets came from: a folder, or "built-in"
  bool is_snippet = false;  ///< a bare snippet: presets and a small model were assumed around it
  Pragma pragma;
  std::vector<IgnoreComment> ignores;  ///< of this file (or document), not of the files it extends
  std::vector<Finding> refusals;       ///< what stops Primus's parser and hides nothing of the modules: errors
  Remarks remarks;
  std::vector<std::shared_ptr<const Source>> sources;  ///< owners of the texts that origins point into
};

/// How a file is loaded: where presets come from, and what the command line changes.
struct ExperimentOptions {
  std::optional<std::string> primus_root;  ///< --primus-root; else environment, else above the file, else built-in
  std::vector<std::pair<std::string, std::string>> sets;  ///< --set KEY=VALUE (VALUE is YAML; dots reach into mappings)
  std::string sets_name = "--set";                        ///< what findings call the flag that `sets` came from
  std::vector<std::string> tokens;                        ///< Primus's own override tokens, after `--`
  std::optional<std::string> backend;                     ///< for snippets that several backends could own
};

/// What is wrong with one of ExperimentOptions::sets, whatever file it is for (CF212): a sentence that begins with
/// `flag`; nothing when its key is well formed. Loading asks the same.
std::optional<std::string> fault_of_set(std::string_view flag, std::string_view key, std::string_view value);

/// The loaded experiments of one file, or the findings that say why there are none.
struct LoadResult {
  std::vector<Experiment> experiments;                 ///< one, or one for each `---` document of a file of snippets
  std::vector<Finding> errors;                         ///< of rules CFxxx; not empty when `experiments` is empty
  std::vector<std::shared_ptr<const Source>> sources;  ///< owners of what `errors` point to
};

/// Loads files, sharing parsed presets between them. Safe to use from several threads.
class Loader {
 public:
  Loader(const FileReader& files, Environment environment, Limits limits = {});
  ~Loader();

  /// Never throws for bad input: everything that is wrong is in the result.
  LoadResult load(const std::string& path, const ExperimentOptions& options) const;
  /// The same for a text that is not on disk (stdin, an editor); `path` is its name in messages and its folder for
  /// lookups.
  LoadResult load_text(const std::string& path, const std::string& text, const ExperimentOptions& options) const;

  const Environment& environment() const;
  const FileReader& files() const;

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace primus_plan
