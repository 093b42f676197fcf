#include "torchtitan_case.h"

#include <stdexcept>

namespace primus_plan::torchtitan {

Case::Case(const std::string& model, const nlohmann::json& overrides) {
  const Loader loader(files_, environment_);
  const std::string text =
      "work_group: w\nuser_name: u\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n    framework: "
      "torchtitan\n"
      "    config: pre_trainer.yaml\n    model: " +
      model + "\n    overrides: " + overrides.dump() + "\n";
  loaded_ = loader.load_text("exp.yaml", text, {});
  if (loaded_.experiments.empty()) throw std::runtime_error(loaded_.errors.at(0).message);
  prepared_ = find_backend("torchtitan")->prepare(loaded_.experiments.front().modules.front(), environment_);
}

Launch Case::launch(std::int64_t world) {
  return {.world_size = world, .nodes = (world + 7) / 8, .gpus_per_node = 8, .source = {}, .assumed = false};
}

Analysis Case::decide(std::int64_t world) const { return prepared_->decide(launch(world), {}); }

RankLayout Case::layout(std::int64_t world) const { return prepared_->layout(launch(world)); }

std::int64_t effective_number(const Analysis& analysis, const std::string& key) {
  for (const auto& [name, value] : analysis.effective) {
    if (name == key) return value->integer;
  }
  return 0;
}

}  // namespace primus_plan::torchtitan
