#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"

namespace primus_plan::html {

namespace {

/// One factor of a product.
struct Factor {
  std::string_view name;   ///< "TP"
  std::string_view about;  ///< "tensor parallel"
  std::string_view path;   ///< in the module's JSON
  std::int64_t value = 0;
  const RunKey* key = nullptr;  ///< null where it follows from others
};

/// The factor that the launch decides.
constexpr std::string_view launched = "world size";

std::int64_t product_of(const std::vector<Factor>& factors) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) product = saturating_multiply(product, factor.value);
  return product;
}

void write_factor(Markup& out, const View& view, const Factor& factor) {
  out.open("span", {{"class", "factor"}}).open("span", {{"class", "value"}});
  factor.value > 0 ? count(out, view, factor.path, factor.value) : void(out.text("?"));
  out.close().element("span", factor.name, {{"class", "name"}, {"title", factor.about}});
  const bool has_key = factor.key != nullptr && factor.key->name != nullptr;
  if (has_key && has_history(view, factor.key->name)) {
    out.element("a", factor.key->name, {{"class", "key"}, {"href", "#" + key_id(view, factor.key->name)}});
  } else {
    out.element("span",
                has_key                    ? factor.key->name
                : factor.about == launched ? "launch"
                                           : "derived",
                {{"class", "key"}});
  }
  out.close();
}

/// "1,024 GPUs = TP 8 x PP 4 x DP 32"; with other signs where the product is another number.
void write_product(Markup& out, const View& view, const Factor& whole, const std::vector<Factor>& factors) {
  out.open("div", {{"class", "product"}});
  write_factor(out, view, whole);
  // What could not be derived keeps its place.
  const bool is_open = std::ranges::any_of(factors, [](const Factor& factor) { return factor.value < 1; });
  const bool holds = is_open || product_of(factors) == whole.value;
  std::string_view sign = holds ? "=" : "from";
  for (const Factor& factor : factors) {
    out.element("span", sign, {{"class", "sign"}});
    write_factor(out, view, factor);
    sign = holds ? "x" : "and";
  }
  out.close();
}

/// A whole cut into equal parts, of which the next row shows one.
struct Cut {
  std::string whole;  ///< "1,024 GPUs"
  std::int64_t parts = 0;
  std::string into;  ///< "128 replicas"
};

/// More parts than this could not be told apart.
constexpr std::int64_t most_parts = 128;

void write_cut(Markup& out, const Cut& cut) {
  out.open("div", {{"class", "cut"}}).element("span", cut.whole, {{"class", "whole"}});
  const std::int64_t drawn = std::min(cut.parts, most_parts);
  out.open("svg",
           {{"class", "bar"}, {"viewBox", "0 0 1000 10"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
  out.empty("rect", {{"class", "rest"}, {"width", "1000"}, {"height", "10"}});
  out.empty(
      "rect",
      {{"class", "one"}, {"width", fmt::format("{:.1f}", 1000.0 / static_cast<double>(drawn))}, {"height", "10"}});
  std::string path;
  for (std::int64_t i = 1; i < drawn; ++i)
    path += fmt::format("M{:.1f} 0v10", 1000.0 * static_cast<double>(i) / static_cast<double>(drawn));
  if (!path.empty()) out.empty("path", {{"class", "cuts"}, {"d", path}});
  out.close().element("span", cut.into, {{"class", "into"}}).close();
}

void write_cuts(Markup& out, const std::vector<Cut>& cuts) {
  out.open("div", {{"class", "cuts"}});
  for (const Cut& cut : cuts) {
    if (cut.parts > 1) write_cut(out, cut);
  }
  out.close();
}

void write_world(Markup& out, const View& view) {
  const RunDescription& run = view.analysis().run;
  const Degrees& d = run.degrees;
  const Factor whole{"GPUs", launched, "check/launch/world_size", run.launch.world_size, nullptr};
  std::vector<Factor> factors{{"TP", "tensor parallel", "check/degrees/tensor", d.tensor, &run.keys.tensor},
                              {"PP", "pipeline parallel", "check/degrees/pipeline", d.pipeline, &run.keys.pipeline},
                              {"CP", "context parallel", "check/degrees/context", d.context, &run.keys.context},
                              {"DP", "data parallel", "check/degrees/data", d.data, nullptr}};
  subheading(out, view, "World size");
  write_product(out, view, whole, factors);
  if (product_of(factors) != whole.value) return;
  const std::int64_t replica = d.tensor * d.pipeline * d.context;
  write_cuts(out, {{counted(whole.value, "GPU"), d.data, counted(d.data, "replica")},
                   {counted(replica, "GPU") + " of a replica", d.pipeline, counted(d.pipeline, "stage")},
                   {counted(d.tensor * d.context, "GPU") + " of a stage", d.context,
                    counted(d.context, "piece") + " of the sequence"},
                   {counted(d.tensor, "GPU") + (d.context > 1 ? " of a piece" : " of a stage"), d.tensor,
                    counted(d.tensor, "share") + " of each layer"}});
}

void write_experts(Markup& out, const View& view) {
  const RunDescription& run = view.analysis().run;
  const Degrees& d = run.degrees;
  if (d.expert <= 1 || d.expert_data < 1 || d.expert_tensor < 1) return;
  subheading(out, view, "Experts");
  write_product(
      out, view, {"GPUs", launched, "check/launch/world_size", run.launch.world_size, nullptr},
      {{"ETP", "expert tensor parallel", "check/degrees/expert_tensor", d.expert_tensor, &run.keys.expert_tensor},
       {"EP", "expert parallel", "check/degrees/expert", d.expert, &run.keys.expert},
       {"PP", "pipeline parallel", "check/degrees/pipeline", d.pipeline, &run.keys.pipeline},
       {"expert DP", "replicas of each expert", "check/degrees/expert_data", d.expert_data, nullptr}});
}

void write_sharding(Markup& out, const View& view) {
  const RunDescription& run = view.analysis().run;
  const Degrees& d = run.degrees;
  if (d.data_replicate <= 1 || d.data_shard <= 1) return;
  subheading(out, view, "Replicas and shards");
  write_product(
      out, view, {"DP", "data parallel", "check/degrees/data", d.data, nullptr},
      {{"replicate", "copies of the sharded state", "check/degrees/data_replicate", d.data_replicate,
        &run.keys.data_replicate},
       {"shard", "ranks that share one copy", "check/degrees/data_shard", d.data_shard, &run.keys.data_shard}});
}

void write_batch(Markup& out, const View& view) {
  const RunDescription& run = view.analysis().run;
  const Batch& b = run.batch;
  if (b.global < 1) return;
  const Factor whole{"global batch", "samples of a step", "check/batch/global", b.global, &run.keys.global_batch};
  const std::vector<Factor> factors{
      {"micro-batch", "samples a rank takes at once", "check/batch/micro", b.micro, &run.keys.micro_batch},
      {"DP", "data parallel", "check/degrees/data", run.degrees.data, nullptr},
      {"steps", "gradient accumulation steps", "check/batch/accumulation_steps", b.accumulation_steps, nullptr}};
  subheading(out, view, "Batch");
  write_product(out, view, whole, factors);
  if (product_of(factors) != whole.value) return;
  write_cuts(out, {{counted(b.global, "sample") + " of a step", b.accumulation_steps,
                    counted(b.accumulation_steps, "accumulation step")},
                   {counted(b.micro * run.degrees.data, "sample") + " at once", run.degrees.data,
                    counted(run.degrees.data, "replica")},
                   {counted(b.micro, "sample") + " of a replica", b.micro, "samples"}});
}

void write_chunks(Markup& out, const View& view) {
  const auto& stages = view.analysis().run.stages;
  if (stages.size() < 2) return;
  out.open("details").element("summary", "Layers of each stage");
  out.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  out.raw("<thead><tr><th>stage</th><th>chunk</th><th>layers</th><th>from</th><th>to</th><th>also</th></tr></thead>")
      .open("tbody");
  for (std::size_t rank = 0; rank < stages.size(); ++rank) {
    for (std::size_t chunk = 0; chunk < stages[rank].size(); ++chunk) {
      const StageChunk& one = stages[rank][chunk];
      const std::string at = fmt::format("check/stages/{}/{}/", rank, chunk);
      std::string also = one.embedding ? "embedding" : "";
      if (one.mtp_layers > 0) also += fmt::format("{}{} MTP", also.empty() ? "" : ", ", one.mtp_layers);
      if (one.loss) also += also.empty() ? "loss" : ", loss";
      out.open("tr").element("td", fmt::format("{}", rank)).element("td", fmt::format("{}", chunk)).open("td");
      figure(out, view, at + "layers", one.layers, fmt::format("{}", one.layers));
      const bool some = one.layers > 0;
      out.close().element("td", some ? fmt::format("{}", one.first_layer) : "");
      out.element("td", some ? fmt::format("{}", one.first_layer + one.layers - 1) : "")
          .element("td", also, {{"class", "text"}})
          .close();
    }
  }
  out.close().close().close().close();
}

}  // namespace

void write_arithmetic(Markup& out, const View& view) {
  const RunDescription& run = view.analysis().run;
  if (run.launch.world_size < 1 || !view.analysis().is_judged) return;
  open_section(out, view, "degrees", "Degrees and batch");
  write_world(out, view);
  write_experts(out, view);
  write_sharding(out, view);
  write_batch(out, view);
  write_chunks(out, view);
  out.close();
}

}  // namespace primus_plan::html
