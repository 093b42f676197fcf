#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "primus_plan/estimate/estimate.h"
#include "primus_plan/planner/translate.h"
#include "primus_plan/report/translate.h"
#include "support/loaded_run.h"

namespace primus_plan {

using test::experiment_text;
using test::LoadedRun;

inline constexpr std::array frameworks{"megatron", "torchtitan", "maxtext"};

inline const std::vector<PresetShape>& presets_of(const std::string& framework) {
  static std::map<std::string, std::vector<PresetShape>> known;
  const auto found = known.find(framework);
  if (found != known.end()) return found->second;
  const MemoryFiles files;
  const Loader loader(files, {});
  return known.emplace(framework, preset_shapes(loader, {}, framework)).first->second;
}

inline Translation translation_of(const LoadedRun& run, const char* target) {
  return translate(run.module(), run.analysis(), *find_backend(target), presets_of(target));
}

inline std::string translated(const LoadedRun& run, const char* target) {
  const Translation translation = translation_of(run, target);
  return translation_to_yaml({run.experiment(), run.analysis(), translation});
}

inline std::string errors_of(const Analysis& analysis) {
  std::string out;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == Severity::error) out += std::string(finding.rule->id) + ": " + finding.message + "\n";
  }
  return out;
}

inline double parameters_of(const LoadedRun& run) {
  return estimate_run(*run.analysis().workload, &run.hardware()).parameters.total();
}

/// As many parameters within half a per cent, or a difference that the comparison tells.
inline void expect_same_size(const LoadedRun& original, const LoadedRun& translation, const std::string& what) {
  const ModelComparison models =
      compare_models(original.analysis().workload->model, translation.analysis().workload->model);
  EXPECT_NE(models.match, ModelMatch::another) << to_sentence(models) << "\n" << what;
  if (models.match == ModelMatch::same) {
    EXPECT_NEAR(parameters_of(translation) / parameters_of(original), 1, 0.005) << what;
  } else {
    EXPECT_NE(models.differences, "") << what;
  }
}

inline LoadedRun megatron_run(const char* model, const std::string& more = {}) {
  return LoadedRun(experiment_text("megatron", model,
                                   "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
                                   "4096\nmax_position_embeddings: 4096\n" +
                                       more),
                   8);
}

}  // namespace primus_plan
