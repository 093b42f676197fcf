#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

/// What is below is no measurement: no step takes a nanosecond, no GPU holds a byte.
constexpr double least_figure = 1e-9;

constexpr double good_correlation = 0.9;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Every row's group of one section.
class Groups {
 public:
  void add(const std::string& name, const Comparison& comparison) {
    Members& members = by_name_[name];
    members.errors.push_back(comparison.error());
    if (comparison.is_inside()) ++members.inside;
  }

  /// Those with most rows first.
  AccuracySection section(std::string title) const {
    AccuracySection out{std::move(title), {}};
    for (const auto& [name, members] : by_name_) {
      out.groups.push_back({name, error_statistics(members.errors), members.inside});
    }
    std::ranges::stable_sort(
        out.groups, [](const AccuracyGroup& a, const AccuracyGroup& b) { return a.errors.count > b.errors.count; });
    return out;
  }

 private:
  struct Members {
    std::vector<double> errors;
    std::size_t inside = 0;
  };
  std::map<std::string, Members> by_name_;
};

/// How memory was read, in the words of the reports; publications put remarks behind theirs.
std::string reading_of(const MeasuredRow& row) {
  const std::string_view kind = row.memory_kind;
  if (has(kind, "activations only")) return "activations of the layers, by formula";
  if (has(kind, "params+grads")) return "weights, gradients and optimizer, by formula";
  if (has(kind, "planned")) return "XLA's own plan";
  if (has(kind, "allocated")) return "torch max allocated";
  if (has(kind, "reserved")) return "torch max reserved";
  return "whole device (rocm-smi, nvidia-smi, shares of it)";
}

/// "Megatron-LM 0.8" and "Megatron-LM, NGC 24.03" are one framework.
std::string framework_of(const MeasuredRow& row) {
  const std::string name = row.framework.substr(0, row.framework.find_first_of(" ,(/"));
  return name.empty() ? "not named" : name;
}

/// Why step_of_row has nothing to say.
std::string reason_of_row(const MeasuredRow& row, const Workload& workload) {
  if (has(row.note, "OOM")) return "the run did not finish";
  if (has(row.note, "LoRA") || has(row.note, "SFT")) return "not all weights were trained";
  if (!workload.unknown.empty()) return fmt::format("not stated: {}", join(workload.unknown, ", "));
  if (!row.complete) return "marked as incomplete";
  const auto hardware = hardware_of_row(row);
  if (!hardware) return fmt::format("no facts of {}", row.gpu.empty() ? "an unnamed part" : row.gpu);
  return reason_without_step(workload, *hardware);
}

std::string reason_without_memory(const Workload& workload) {
  return workload.unknown.empty() ? "the layers cannot be placed"
                                  : fmt::format("not stated: {}", join(workload.unknown, ", "));
}

/// Tables may state a throughput alone.
void derive_step(MeasuredRow& row) {
  if (row.step_seconds > 0 || row.tokens_per_second_per_gpu <= 0 || row.gpus <= 0) return;
  row.step_seconds = static_cast<double>(row.global_batch) * static_cast<double>(row.sequence_length) /
                     (row.tokens_per_second_per_gpu * static_cast<double>(row.gpus));
}

void compare_memory(Accuracy& out, std::size_t index, const Workload& workload) {
  const MeasuredRow& row = out.rows[index];
  if (row.memory_gib < least_figure) return;
  const auto range = estimate_of_row(row, workload);
  if (!range || range->expected <= 0) {
    out.left_out.push_back({index, Figure::memory, reason_without_memory(workload)});
    return;
  }
  out.comparisons.push_back({index, Figure::memory, row.memory_gib * gib, range->low, range->expected, range->high});
}

void compare_step(Accuracy& out, std::size_t index, const Workload& workload) {
  const MeasuredRow& row = out.rows[index];
  if (row.step_seconds < least_figure) return;
  const auto step = step_of_row(row, workload);
  if (!step) {
    out.left_out.push_back({index, Figure::step, reason_of_row(row, workload)});
    return;
  }
  out.comparisons.push_back(
      {index, Figure::step, row.step_seconds, step->low_seconds, step->seconds, step->high_seconds});
}

/// Tokens a second of one GPU, from the seconds of a step.
double throughput(const MeasuredRow& row, double seconds) {
  return static_cast<double>(row.global_batch) * static_cast<double>(row.sequence_length) /
         (seconds * static_cast<double>(std::max<std::int64_t>(1, row.gpus)));
}

void rank_models(Accuracy& out) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> models;
  for (const Comparison& c : out.comparisons) {
    if (c.figure != Figure::step) continue;
    auto& [estimated, measured] = models[out.rows[c.row].model];
    estimated.push_back(throughput(out.rows[c.row], c.expected));
    measured.push_back(throughput(out.rows[c.row], c.measured));
  }
  std::vector<double> correlations;
  for (const auto& [model, values] : models) {
    if (values.first.size() < least_ranked_rows) continue;
    const double correlation = rank_correlation(values.first, values.second);
    out.rankings.push_back({model, values.first.size(), correlation});
    correlations.push_back(correlation);
    if (correlation >= good_correlation) ++out.well_ranked;
  }
  std::ranges::stable_sort(out.rankings, [](const ModelRanking& a, const ModelRanking& b) { return a.rows > b.rows; });
  out.median_correlation = error_statistics(correlations).bias;  // the median with its sign
}

}  // namespace

std::string_view to_string(Figure figure) { return figure == Figure::memory ? "memory" : "step time"; }

Accuracy measure_accuracy(std::vector<MeasuredRow> rows) {
  Accuracy out;
  out.rows = std::move(rows);
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    derive_step(out.rows[i]);
    const Workload workload = workload_of_row(out.rows[i]);
    compare_memory(out, i, workload);
    compare_step(out, i, workload);
  }
  Groups memory;
  Groups step;
  Groups hardware;
  Groups framework;
  for (const Comparison& c : out.comparisons) {
    const MeasuredRow& row = out.rows[c.row];
    if (c.figure == Figure::memory) {
      memory.add(reading_of(row), c);
      continue;
    }
    step.add(row.experts > 0 ? "mixture of experts" : "dense", c);
    hardware.add(row.gpu, c);
    framework.add(framework_of(row), c);
  }
  out.memory = memory.section("memory, by how it was read");
  out.step = step.section("step time");
  out.hardware = hardware.section("step time, by part");
  out.framework = framework.section("step time, by framework");
  rank_models(out);
  return out;
}

}  // namespace primus_plan
