#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/make_finding.h"
#include "config/preset_cache.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/presets.h"

namespace primus_plan {

/// What the steps that make one experiment share: where to read, and where to put what is found.
struct Loading {
  PresetCache& presets;
  const FileReader& files;
  const Limits& limits;
  PresetRoot root;

  std::vector<Finding> errors = {};
  std::vector<Finding> refusals = {};
  Remarks remarks = {};
  std::vector<std::shared_ptr<const Source>> sources = {};

  /// Nothing can be merged.
  void fail(Finding finding) { errors.push_back(std::move(finding)); }
  /// Primus stops, but what it would have merged is plain.
  void refuse(Finding finding) { refusals.push_back(std::move(finding)); }
  /// Beyond `most_remarks` all but errors are dropped.
  void remark(Finding finding) {
    if (remarks.size() < most_remarks || finding.severity == Severity::error) remarks.push_back(std::move(finding));
  }
  void own(const std::vector<std::shared_ptr<const Source>>& more) {
    sources.insert(sources.end(), more.begin(), more.end());
  }
};

/// A folder below configs/ that presets of one kind are in.
enum class PresetKind : std::uint8_t { module, model, platform };

/// The root of the preset that `name` (an entry of the experiment) asks for, null when that failed; faults are put into
/// `loading` and point to the entry as well as to the place in the preset.
/// Source: primus/core/config/preset_loader.py:PresetLoader.load; platforms: launcher/parser.py:parse_platform.
NodePtr load_preset(Loading& loading, PresetKind kind, const std::string& framework, const Entry& name);

/// The platform of an experiment with its overrides; null when that failed.
NodePtr load_platform(Loading& loading, const Node& experiment);

/// A module as written, before any preset.
struct ModuleDraft {
  std::string name;
  Origin origin;  ///< of the name
  std::string framework;
  Entry config;  ///< module preset
  Entry model;   ///< model preset
  Entry framework_entry;
  NodePtr attributes;  ///< other keys beside config and model; may be null
  NodePtr overrides;   ///< may be null
};

/// The module preset with the attributes and the model preset added, before overrides; null when a preset failed. Where
/// neither attributes nor overrides touch them, the module's framework and model are left out: what remains is shared
/// by all experiments on these presets, and make_module adds the two.
NodePtr merge_presets(Loading& loading, const ModuleDraft& draft);

/// The runtime's shape of a merged module: params, and the few keys that stay outside of them.
/// Source: primus/core/config/primus_config.py:_normalize_module_for_runtime.
Module make_module(const ModuleDraft& draft, const NodePtr& merged);

/// One entry of `modules:`; nothing when it cannot be a module.
std::optional<Module> load_module(Loading& loading, const Entry& entry);

/// Whether a document was meant to be an experiment: it has `modules` or one of the names of the output folder.
bool looks_like_experiment(const Node& root);

/// Fills exp and modules from a document that looks like an experiment.
void build_experiment(Loading& loading, const NodePtr& root, Experiment& experiment);

/// Fills the experiment with one module around the keys of a bare snippet.
void build_snippet(Loading& loading, const NodePtr& root, const std::optional<std::string>& backend,
                   Experiment& experiment);

/// Override tokens, then --set, merged into the params of the module that Primus's command line would run: pre_trainer,
/// else post_trainer, else the first.
void apply_command_line(Loading& loading, const ExperimentOptions& options, Experiment& experiment);

}  // namespace primus_plan
