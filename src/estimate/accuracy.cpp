#include "primus_plan/estimate/accuracy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "primus_plan/config/hardware.h"

namespace primus_plan {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The number before a unit in a note; 0 when there is none.
double number_before(std::string_view text, std::string_view unit) {
  const std::size_t end = text.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  double value = 0;
  std::from_chars(text.data() + begin, text.data() + end, value);
  return value;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) out[order[i]] = static_cast<double>(first + last - 1) / 2;
    first = last;
  }
  return out;
}

}  // namespace

std::optional<Hardware> hardware_of_row(const MeasuredRow& row) {
  const MemoryFiles no_files;
  try {
    Hardware out = find_hardware(row.gpu, no_files);
    if (const double bits = number_before(row.note, " Gb/s inter-node"); bits > 0)
      out.nic_bytes_per_second = bits * 1e9 / 8 / out.gpus_per_node;
    return out;
  } catch (const HardwareError&) {
    return std::nullopt;
  }
}

std::optional<StepEstimate> step_of_row(const MeasuredRow& row, const Workload& workload) {
  const bool trained_all = !has(row.note, "OOM") && !has(row.note, "LoRA") && !has(row.note, "SFT");
  if (!row.complete || row.step_seconds <= 0 || !trained_all || !workload.unknown.empty()) return std::nullopt;
  const auto hardware = hardware_of_row(row);
  if (!hardware) return std::nullopt;
  const StepEstimate out = estimate_step(workload, *hardware);
  return out.seconds > 0 ? std::optional(out) : std::nullopt;
}

ErrorStatistics error_statistics(std::span<const double> errors) {
  ErrorStatistics out;
  out.count = errors.size();
  if (errors.empty()) return out;
  std::vector<double> sorted(errors.begin(), errors.end());
  std::sort(sorted.begin(), sorted.end());
  out.bias = median_of_sorted(sorted);
  for (double& error : sorted) error = std::fabs(error);
  std::sort(sorted.begin(), sorted.end());
  out.median = median_of_sorted(sorted);
  out.ninth_tenth = sorted[std::min(sorted.size() - 1, sorted.size() * 9 / 10)];
  out.worst = sorted.back();
  return out;
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double both = 0;
  double own_x = 0;
  double own_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean) * (y[i] - mean);
    own_x += (x[i] - mean) * (x[i] - mean);
    own_y += (y[i] - mean) * (y[i] - mean);
  }
  return own_x > 0 && own_y > 0 ? both / std::sqrt(own_x * own_y) : 0;
}

}  // namespace primus_plan
