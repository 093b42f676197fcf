#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/excerpt.h"
#include "report/overview_text.h"
#include "report/yaml_scalar.h"

namespace primus_plan {

namespace {

using StageChunks = std::vector<StageChunk>;

/// Whether two stages hold the same, apart from where their layers begin.
bool alike(const StageChunks& a, const StageChunks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StageChunk& x, const StageChunk& y) {
    return x.layers == y.layers && x.embedding == y.embedding && x.loss == y.loss && x.mtp_layers == y.mtp_layers;
  });
}

std::string chunk_text(const StageChunk& chunk) {
  std::string text = counted(chunk.layers, "layer");
  if (chunk.mtp_layers > 0) text += fmt::format(" + {} MTP", chunk.mtp_layers);
  if (chunk.embedding) text += " + embedding";
  if (chunk.loss) text += " + loss";
  return text;
}

/// "10-19" for the layers of a run of stages in one chunk.
std::string layer_range(const StageChunk& first, const StageChunk& last) {
  const std::int64_t end = last.first_layer + last.layers - 1;
  if (first.layers == 0) return {};
  return first.first_layer == end ? fmt::format("{}", end) : fmt::format("{}-{}", first.first_layer, end);
}

std::string stages_line(const std::vector<StageChunks>& stages, std::size_t first, std::size_t last) {
  const std::string name = first == last ? fmt::format("stage {}", first) : fmt::format("stages {}-{}", first, last);
  std::string text = fmt::format("  {:<12}", name + ":");
  for (std::size_t chunk = 0; chunk < stages[first].size(); ++chunk) {
    const StageChunk& begin = stages[first][chunk];
    const std::string range = layer_range(begin, stages[last][chunk]);
    text += chunk == 0 ? " " : " | ";
    text += chunk_text(begin) + (first == last ? "" : " each");
    if (!range.empty()) text += fmt::format(" ({})", range);
  }
  return text + '\n';
}

std::string stages_text(const std::vector<StageChunks>& stages) {
  std::string text;
  for (std::size_t first = 0; first < stages.size();) {
    std::size_t last = first;
    while (last + 1 < stages.size() && alike(stages[first], stages[last + 1])) ++last;
    text += stages_line(stages, first, last);
    first = last + 1;
  }
  return text;
}

}  // namespace

std::string details_to_text(const Analysis& analysis, const TextStyle& style) {
  std::string text = stages_text(analysis.run.stages);
  if (analysis.effective.empty()) return text;
  text += "  effective values:\n";
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  for (const auto& [key, value] : analysis.effective) {
    std::string shown = value == nullptr ? "null" : yaml_flow(*value);
    if (shown.size() > width) shown = make_excerpt(shown, 0, 0, style.width).line;
    text += fmt::format("    {}: {}\n", escape_controls(key), shown);
  }
  return text;
}

}  // namespace primus_plan
