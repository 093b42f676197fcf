#pragma once

#include <string>

#include "backends/common/say.h"
#include "backends/maxtext/run.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::maxtext {

/// Phrases that several rules share. All of them are made only when somebody reads the text.

/// "ici_tensor_parallelism 3 x ici_fsdp_parallelism -1": the degrees of the mesh's axes that are not 1.
std::string degrees_text(const MaxTextRun& run, Count MaxTextConfig::*AxisInfo::*keys);
/// "data 2 x fsdp 8": axes of the resolved mesh with their sizes, those of size 1 left out.
std::string axes_text(const MaxTextRun& run, AxisSet set);
/// The degree to point at: the largest that a file sets among the mesh's axes.
const Count& largest_degree(const MaxTextRun& run, Count MaxTextConfig::*AxisInfo::*keys);

/// How the devices of a slice came about.
void because_of_slices(Message& message, const MaxTextRun& run);
/// Which of MaxText's own files a value comes from, when no file of the experiment sets it.
template <class T>
void because_of_model_file(Message& message, const MaxTextRun& run, const Sourced<T>& value) {
  if (value.is_explicit) return;
  if (run.layers.model_file != nullptr) {
    for (const Setting& setting : run.layers.model_file->settings) {
      if (setting.key != value.key) continue;
      message.because("{} comes from MaxText's model file {}.yml", value.key, run.layers.model_file->name);
      return;
    }
  }
  message.because("{} has MaxText's own default (base.yml)", value.key);
}

/// A fix that sets two keys, or none: one without the other would be another experiment.
template <class A, class B>
void fix_both(Message& m, const Sourced<A>& first, const std::string& first_value, const Sourced<B>& second,
              const std::string& second_value) {
  const auto own = [](const Origin& where) { return where && is_written(where) && where.layer != Layer::command_line; };
  const bool second_is_editable = !second.origin || is_preset(second.origin.layer) || own(second.origin);
  if (!own(first.origin) || !second_is_editable) return;
  const std::string title = fmt::format("set {} to {} and {} to {}", first.key, first_value, second.key, second_value);
  m.fix(title, first, first_value).fix(title, second, second_value);
}

/// A share in lowest terms: "3/4", and "2" for a whole number of them.
std::string fraction_text(Int part, Int whole);

/// A number as it stands in YAML: 12, 0.5.
std::string number_text(double value);

}  // namespace primus_plan::maxtext
