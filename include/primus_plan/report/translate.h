#pragma once

#include <string>

#include "primus_plan/planner/translate.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A translated module and where it came from.
struct TranslationReport {
  const Experiment& experiment;
  const Analysis& analysis;  ///< of the source
  const Translation& translation;
  std::string hardware = {};  ///< the part that the launch comment names; empty where it need not
};

/// The translation as an experiment that `check` reads, with the launch size, the remarks and the lost keys as
/// comments.
std::string translation_to_yaml(const TranslationReport& report);

/// What the translation comes to, against the source: null until it was checked.
struct CheckedTranslation {
  std::string verdict;
  std::size_t errors = 0;
};

/// {"framework", "model", "yaml", "remarks": [...], "lost": [{"key", "value"}], "check": {"verdict", "errors"}}
std::string translation_to_json(const TranslationReport& report, const CheckedTranslation& checked);

}  // namespace primus_plan
