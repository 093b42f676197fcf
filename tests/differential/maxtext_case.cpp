#include "maxtext_case.h"

#include <stdexcept>

#include "primus_plan/config/document.h"
#include "support/node_json.h"

namespace primus_plan::maxtext {

/// What a prepared module points into.
struct Case::Loaded {
  Environment environment;
  LoadResult result;
  std::unique_ptr<Source> source;
  Module bare;

  const Module& module() const {
    return result.experiments.empty() ? bare : result.experiments.front().modules.front();
  }
};

Case::Case(std::shared_ptr<const Loaded> loaded)
    : loaded_(std::move(loaded)),
      prepared_(find_backend("maxtext")->prepare(loaded_->module(), loaded_->environment)) {}

Case Case::experiment(const std::string& model, const nlohmann::json& overrides) {
  auto loaded = std::make_shared<Loaded>();
  const MemoryFiles files;
  const Loader loader(files, loaded->environment);
  const std::string text =
      "work_group: w\nuser_name: u\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n    framework: "
      "maxtext\n"
      "    config: pre_trainer.yaml\n    model: " +
      model + "\n    overrides: " + overrides.dump() + "\n";
  loaded->result = loader.load_text("exp.yaml", text, {});
  if (loaded->result.experiments.empty()) throw std::runtime_error(loaded->result.errors.at(0).message);
  return Case(std::move(loaded));
}

Case Case::file(const std::string& path, const std::string& primus_root) {
  auto loaded = std::make_shared<Loaded>();
  const DiskFiles files;
  const Loader loader(files, loaded->environment);
  ExperimentOptions options;
  options.primus_root = primus_root;
  loaded->result = loader.load(path, options);
  if (loaded->result.experiments.empty()) throw std::runtime_error(loaded->result.errors.at(0).message);
  return Case(std::move(loaded));
}

Case Case::bare(const nlohmann::json& keys) {
  auto loaded = std::make_shared<Loaded>();
  loaded->source = std::make_unique<Source>("keys.yaml", keys.dump());
  Remarks remarks;
  loaded->bare.name = "pre_trainer";
  loaded->bare.framework = "maxtext";
  loaded->bare.params = parse_yaml(*loaded->source, Layer::experiment, {}, remarks);
  return Case(std::move(loaded));
}

namespace {

Launch launch_of(std::int64_t devices, std::int64_t nodes) {
  return {.world_size = devices, .nodes = nodes, .gpus_per_node = devices / nodes, .source = {}, .assumed = false};
}

}  // namespace

Analysis Case::decide(std::int64_t devices, std::int64_t nodes) const {
  return prepared_->decide(launch_of(devices, nodes), {});
}

RankLayout Case::layout(std::int64_t devices, std::int64_t nodes) const {
  return prepared_->layout(launch_of(devices, nodes));
}

nlohmann::json effective(const Analysis& analysis, const std::string& key) {
  for (const auto& [name, value] : analysis.effective) {
    if (name == key) return nlohmann::json::parse(test::plain(*value).dump());
  }
  return nullptr;
}

std::vector<std::int64_t> devices_in_mesh_order(const RankLayout& layout, const std::vector<std::string>& axes) {
  const RankGrid& grid = layout.grids.at(0);
  std::vector<std::int64_t> out(static_cast<std::size_t>(layout.world_size));
  for (std::int64_t device = 0; device < layout.world_size; ++device) {
    std::int64_t index = 0;
    for (const std::string& axis : axes) {
      const std::string inside = "ici_" + axis;
      const std::string across = "dcn_" + axis;
      const std::int64_t position =
          grid.coordinate(device, across) * grid.size(inside) + grid.coordinate(device, inside);
      index = index * grid.size(inside) * grid.size(across) + position;
    }
    out.at(static_cast<std::size_t>(index)) = device;
  }
  return out;
}

}  // namespace primus_plan::maxtext
