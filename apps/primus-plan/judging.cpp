#include "judging.h"

#include <algorithm>
#include <iterator>

#include "command.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/planner/repair.h"
#include "root_keys.h"

namespace primus_plan::app {

namespace {

constexpr std::string_view extends_missing = "CF111";

Judgement to_judgement(FileReport file) {
  Judgement out{.findings = std::move(file.load_errors), .sources = std::move(file.sources), .is_loaded = false};
  out.is_loaded = out.findings.empty();
  for (Analysis& module : file.modules) std::ranges::move(module.findings, std::back_inserter(out.findings));
  return out;
}

/// Each module that has errors is legal after changing one of its keys.
bool one_change_is_enough(const FileReport& file) {
  return file.load_errors.empty() && std::ranges::all_of(file.modules, [](const Analysis& module) {
           return module.errors == 0 || (!module.repairs.empty() && module.repairs.front().changes.size() == 1);
         });
}

}  // namespace

std::optional<LoadResult> Judging::load(const Chosen& chosen) const {
  const Input& input = chosen.input;
  const ExperimentOptions& options = chosen.setup->experiment;
  if (auto streamed = input.from_folder ? std::nullopt : read_stream(input.path, DiskFiles::default_max_bytes)) {
    return loader_.load_text(shown_name(input.path), *std::move(streamed), options);
  }
  if (!input.from_folder) return loader_.load(input.path, options);
  ReadFailure failure;
  const std::optional<std::string> text = files_.read(input.path, failure);
  return text ? load_text(chosen, *text) : loader_.load(input.path, options);
}

std::optional<LoadResult> Judging::load_text(const Chosen& chosen, const std::string& text) const {
  const Input& input = chosen.input;
  const ExperimentOptions& options = chosen.setup->experiment;
  if (!input.from_folder) return loader_.load_text(shown_name(input.path), text, options);
  const RootKeys keys = find_root_keys(text);
  if (!keys.may_be_experiment()) return std::nullopt;
  LoadResult loaded = loader_.load_text(input.path, text, options);
  if (keys.seem_experiment()) return loaded;
  // Its modules may come from the file it extends; if not, it is a preset, say.
  const auto lacks_its_base = [](const Finding& error) { return error.rule->id == extends_missing; };
  if (std::ranges::any_of(loaded.errors, lacks_its_base)) return loaded;
  if (!loaded.errors.empty() || loaded.experiments.front().is_snippet) return std::nullopt;
  return loaded;
}

FileReport Judging::judge(const Chosen& chosen, const LoadResult& loaded, With with) const {
  const std::string& path = chosen.input.path;
  AnalyzeOptions options;
  options.legal_worlds = legal_worlds_;
  FileReport report{.path = path, .modules = {}, .load_errors = loaded.errors, .sources = loaded.sources};
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch = find_launch(launch_.options(), environment_, experiment, chosen.setup->launch_setting(path));
    const FitTarget target = parts_.of(experiment, chosen.setup->settings);
    options.fit = &target;
    std::vector<Analysis> analyses = analyze(experiment, launch, environment_, options);
    if (with == With::repairs) add_repairs(experiment, analyses);
    std::move(analyses.begin(), analyses.end(), std::back_inserter(report.modules));
    report.sources.insert(report.sources.end(), experiment.sources.begin(), experiment.sources.end());
  }
  apply_choice(report, chosen.setup->choice(path));
  return report;
}

void Judging::add_repairs(const Experiment& experiment, std::vector<Analysis>& analyses) const {
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const Backend* backend = find_backend(experiment.modules[i].framework);
    if (backend == nullptr || analyses[i].errors == 0) continue;
    analyses[i].repairs = find_repairs(*backend, experiment.modules[i], environment_, analyses[i]);
  }
}

std::string Judging::fix(const Chosen& chosen, const FixFlags& flags, FileReport& file, std::string& remark) const {
  const std::string path = shown_name(chosen.input.path);
  if (chosen.input.path == "-" && !flags.diff)
    throw Trouble("standard input cannot be edited; add --diff to see the edits");
  const auto text = std::ranges::find(file.sources, path, [](const auto& source) { return source->path(); });
  if (text == file.sources.end()) return {};
  const std::string before = (*text)->text();
  const auto load_now = [&](const std::string& now) { return loader_.load_text(path, now, chosen.setup->experiment); };
  const Judge judge_text = [&](const std::string& now) {
    return to_judgement(judge(chosen, load_now(now), With::findings));
  };
  const Fixed fixed = fix_file(path, before, judge_text, flags, [&](const std::string& now) {
    return one_change_is_enough(now == before ? file : judge(chosen, load_now(now), With::repairs));
  });
  remark = fixed.remark;
  if (!flags.diff) file = judge(chosen, load_now(fixed.mended.text), With::repairs);
  return fixed.diff;
}

}  // namespace primus_plan::app
