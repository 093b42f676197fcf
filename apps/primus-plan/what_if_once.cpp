#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "load_one.h"
#include "part.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/what_if.h"
#include "primus_plan/session/evaluation.h"
#include "primus_plan/support/text.h"
#include "what_if.h"

namespace primus_plan::app {

namespace {

/// What --set asks for in short names, and the flags without these.
struct Asked {
  Wish wish;
  bool sizes = false;  ///< degrees or batch
  std::vector<std::string> names;
  std::string hardware;
  ExperimentFlags flags;
};

std::int64_t read_size(const std::string& set, std::string_view value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc{} && end == value.data() + value.size() && number >= 1 && number <= (std::int64_t{1} << 40))
    return number;
  throw Trouble(fmt::format("--set {}: expected a whole number of 1 or more", set));
}

Asked read_short_names(const ExperimentFlags& flags) {
  Asked out{.wish = {}, .sizes = false, .names = {}, .hardware = {}, .flags = flags};
  out.flags.sets.clear();
  for (const std::string& set : flags.sets) {
    const std::size_t equals = std::min(set.find('='), set.size());
    const std::string name = set.substr(0, equals);
    const std::string_view value = std::string_view(set).substr(std::min(equals + 1, set.size()));
    const ShortName* known = find_short_name(name);
    if (equal_ignoring_case(name, "hw")) {
      out.hardware = value;
    } else if (known != nullptr) {
      ask_for(out.wish, *known, read_size(set, value));
      out.sizes = out.sizes || known->key != nullptr;
      out.names.push_back(name);
    } else {
      out.flags.sets.push_back(set);
    }
  }
  return out;
}

/// One side: the analyses of a file's modules, with the loaded experiments that they point into.
struct Side {
  LoadResult loaded;
  std::vector<Analysis> modules;
  std::vector<std::optional<Estimate>> estimates;
  std::vector<std::string> parts;  ///< what each estimate is for
};

class Judge {
 public:
  Judge(const WhatIfOptions& options, const Setup& setup, const Loader& loader, const GivenFile& file)
      : options_(options), setup_(setup), loader_(loader), file_(file) {}

  /// `assumed`: see analyze_nodes.
  Side side(const ExperimentOptions& experiment, const LaunchOptions& launch, const Wish& wish,
            const std::string& hardware, std::int64_t assumed = 0) const {
    Side out{
        .loaded = load_given(file_, loader_, experiment, options_.output), .modules = {}, .estimates = {}, .parts = {}};
    AnalyzeOptions asked;
    asked.with_workload = true;
    for (const Experiment& one : out.loaded.experiments) {
      Launch size = find_launch(launch, loader_.environment(), one, setup_.launch_setting(options_.path));
      size = changed_launch(size, wish.world_size, wish.nodes);
      const GpuPart part = find_gpu_part(hardware, one, setup_.settings, loader_.files());
      for (Analysis& analysis : analyze_nodes(one, size, loader_.environment(), asked, assumed)) {
        out.estimates.push_back(estimate(analysis, part.hardware));
        out.parts.push_back(fmt::format("{} ({})", part.hardware.name, part.source));
        out.modules.push_back(std::move(analysis));
      }
    }
    apply_choice(out.modules, setup_.choice(options_.path));
    return out;
  }

  /// The framework's own keys for degrees and batch, by the module that --set reaches.
  void add_sizes(const Asked& asked, const LaunchOptions& launch, ExperimentOptions& experiment) const {
    const Side as_given = side(experiment, launch, asked.wish, {});
    const Experiment& one = as_given.loaded.experiments.front();
    const std::size_t at = session::find_module(one, {});
    const Backend* backend = find_backend(one.modules[at].framework);
    if (backend == nullptr)
      throw Trouble(
          fmt::format("--set {}: framework {} is not known here", join(asked.names, " "), one.modules[at].framework));
    const Trials trials(*backend, one.modules[at], loader_.environment(), as_given.modules[at], nullptr);
    const auto keys = trials.keys_for(asked.wish);
    if (!keys) throw Trouble(fmt::format("--set: {} has no key for {} here", backend->title(), join(asked.names, " ")));
    for (const KeyValue& key : *keys) experiment.sets.emplace_back(key.key, to_text(*key.value));
  }

 private:
  static std::optional<Estimate> estimate(const Analysis& analysis, const Hardware& part) {
    const Workload* workload = analysis.workload.get();
    if (workload == nullptr || analysis.errors > 0 || workload->model.kinds.empty()) return std::nullopt;
    return estimate_run(*workload, &part);
  }

  const WhatIfOptions& options_;
  const Setup& setup_;
  const Loader& loader_;
  const GivenFile& file_;
};

const Estimate* pointer(const std::optional<Estimate>& estimate) { return estimate ? &*estimate : nullptr; }

}  // namespace

int run_what_if_once(const WhatIfOptions& options) {
  const Asked asked = read_short_names(options.experiment);
  const GivenFile file = open_given(options.path);
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(asked.flags, options.choice, files, environment);
  const Setup& setup = setups.of(options.path);
  const Judge judge(options, setup, loader, file);
  ExperimentOptions unchanged = setup.experiment;
  unchanged.sets.clear();
  unchanged.tokens.clear();
  ExperimentOptions changed = setup.experiment;
  const LaunchOptions launch = options.launch.options();
  if (asked.sizes) judge.add_sizes(asked, launch, changed);
  const std::string& hardware = asked.hardware.empty() ? options.hardware : asked.hardware;
  Side before = judge.side(unchanged, {}, {}, options.hardware);
  Side after = judge.side(changed, launch, asked.wish, hardware);
  if (const std::int64_t world = common_world(before.modules, after.modules); world > 0) {
    Side both_before = judge.side(unchanged, {}, {}, options.hardware, world);
    Side both_after = judge.side(changed, launch, asked.wish, hardware, world);
    if (errors_of(both_before.modules) <= errors_of(before.modules) &&
        errors_of(both_after.modules) <= errors_of(after.modules)) {
      before = std::move(both_before);
      after = std::move(both_after);
    }
  }

  Output output = options.output.open({options.path});
  const TextStyle style = options.output.style(output.is_terminal());
  const bool json = options.output.format == "json";
  std::vector<std::string> answers;
  bool errors = false;
  for (std::size_t i = 0; i < std::min(before.modules.size(), after.modules.size()); ++i) {
    if (!options.module.empty() && after.modules[i].module != options.module) continue;
    const bool same_part = before.parts[i] == after.parts[i];
    const Change change{before.modules[i], after.modules[i], pointer(before.estimates[i]), pointer(after.estimates[i]),
                        same_part ? after.parts[i] : fmt::format("{}, then {}", before.parts[i], after.parts[i])};
    answers.push_back(json ? change_to_json(change) : change_to_text(change, style));
    errors = errors || change.after.errors > 0;
  }
  if (answers.empty()) throw Trouble(fmt::format("{} has no module {}", options.path, options.module));
  output.write(joined_answers(answers, json));
  output.finish();
  return errors ? exit_findings : exit_clean;
}

}  // namespace primus_plan::app
