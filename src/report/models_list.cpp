#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "primus_plan/report/models.h"
#include "primus_plan/support/text.h"
#include "report/json_parts.h"
#include "report/paint.h"
#include "report/table.h"

namespace primus_plan {
namespace {

constexpr double billion = 1e9;

std::int64_t whole(double count) { return static_cast<std::int64_t>(std::llround(count)); }

std::string number(std::int64_t value) { return value > 0 ? std::to_string(value) : "-"; }

/// "8.03B"; of a mixture of experts how many a token meets, too. What the count has that the model's published size
/// has not, or the other way round, is said.
std::string parameters_text(const ModelSize& size) {
  if (size.layers == 0) return "-";
  std::vector<std::string> more;
  if (size.experts > 0) more.push_back(fmt::format("{:.3g}B active", size.active_parameters / billion));
  if (size.prediction_parameters > 0)
    more.push_back(fmt::format("{:.3g}B without MTP", size.parameters_without_prediction() / billion));
  if (size.vocabulary == 0) more.emplace_back("vocabulary not known");
  const double all = size.parameters() / billion;
  const std::string count = size.experts == 0 ? fmt::format("{:.3g}B", all) : fmt::format("{:.4g}B", all);
  return more.empty() ? count : fmt::format("{} ({})", count, join(more, ", "));
}

std::string heads_text(const ModelSize& size) {
  if (size.heads == 0) return "-";
  return size.kv_heads == size.heads ? number(size.heads) : fmt::format("{} / {}", size.heads, size.kv_heads);
}

std::string experts_text(const ModelSize& size) {
  return size.experts == 0 ? "-" : fmt::format("{} of {}", size.experts_per_token, size.experts);
}

}  // namespace

std::string models_to_text(const std::vector<ListedModel>& models, const TextStyle& style) {
  using enum Table::Side;
  const Paint paint(style.color);
  std::string out;
  for (std::size_t first = 0; first < models.size();) {
    const std::string& framework = models[first].framework;
    Table rows({framework, "parameters", "layers", "hidden", "heads / kv", "experts"},
               {left, left, right, right, right, left});
    for (; first < models.size() && models[first].framework == framework; ++first) {
      const ListedModel& model = models[first];
      const ModelSize& size = model.size;
      rows.add({model.name(), parameters_text(size), number(size.layers), number(size.hidden), heads_text(size),
                experts_text(size)});
    }
    out += (out.empty() ? "" : "\n") + rows.text(paint, style);
  }
  return out;
}

std::string models_to_markdown(const std::vector<ListedModel>& models) {
  std::string out =
      "| backend | model | parameters | layers | hidden | heads / kv | experts |\n|---|---|---|---|---|---|---|\n";
  for (const ListedModel& model : models) {
    const ModelSize& size = model.size;
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} |\n", model.framework, model.preset, parameters_text(size),
                       number(size.layers), number(size.hidden), heads_text(size), experts_text(size));
  }
  return out;
}

std::string models_to_json(const std::vector<ListedModel>& models, const std::string& presets) {
  JsonWriter json;
  json.begin_object().key("presets").string(presets).key("models").begin_array();
  for (const ListedModel& model : models) {
    const ModelSize& size = model.size;
    json.begin_object(JsonWriter::Layout::one_line);
    json.key("backend").string(model.framework).key("model").string(model.name()).key("preset").string(model.preset);
    write_count(json, "parameters", whole(size.parameters()));
    write_count(json, "active_parameters", whole(size.active_parameters));
    write_count(json, "prediction_parameters", whole(size.prediction_parameters));
    write_count(json, "layers", size.layers);
    write_count(json, "hidden", size.hidden);
    write_count(json, "heads", size.heads);
    write_count(json, "kv_heads", size.kv_heads);
    write_count(json, "experts", size.experts);
    write_count(json, "experts_per_token", size.experts_per_token);
    write_count(json, "max_sequence_length", size.longest_sequence);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take() + '\n';
}

}  // namespace primus_plan
