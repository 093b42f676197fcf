#include "primus_plan/estimate/flops.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/parameters.h"
#include "primus_plan/run/workload.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

using nlohmann::json;

constexpr double tolerance = 1e-6;

/// The frameworks' own functions, run on these inputs; beside the oracle directory.
std::optional<json> load_rows() {
  std::ifstream file(test::oracle_dir().parent_path() / "estimates" / "flops.json");
  if (!file) return std::nullopt;
  return json::parse(file).at("rows");
}

/// The keys alone, as a module of this framework; over the built-in presets where a model is named.
Workload workload_of(const std::string& framework, const std::string& model, const json& overrides) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const std::string text = fmt::format(
      "work_group: w\nuser_name: u\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n    framework: {}\n"
      "    config: pre_trainer.yaml\n    model: {}\n    overrides: {}\n",
      framework, model, overrides.dump());
  const LoadResult loaded = loader.load_text("exp.yaml", text, {});
  if (loaded.experiments.empty()) throw std::runtime_error(loaded.errors.at(0).message);
  const auto prepared = find_backend(framework)->prepare(loaded.experiments.front().modules.front(), environment);
  const Launch launch{.world_size = 8, .nodes = 1, .gpus_per_node = 8, .source = {}, .assumed = false};
  const Analysis analysis = prepared->decide(launch, {.with_workload = true});
  if (analysis.workload == nullptr) throw std::runtime_error("no workload");
  return *analysis.workload;
}

FlopsEstimate count(const std::string& framework, const std::string& model, const json& overrides) {
  return estimate_flops(workload_of(framework, model, overrides));
}

void expect_close(double actual, double expected, const std::string& what) {
  EXPECT_LE(std::fabs(actual - expected), tolerance * expected) << what << ": " << actual << " instead of " << expected;
}

/// What the oracle's script sets on top of Megatron's defaults, when a row does not say otherwise.
json megatron_keys(const json& inputs) {
  json out = {{"group_query_attention", true},
              {"num_query_groups", 8},
              {"swiglu", true},
              {"kv_channels", 128},
              {"untie_embeddings_and_output_weights", true},
              {"kv_lora_rank", 512},
              {"qk_head_dim", 128},
              {"qk_pos_emb_head_dim", 64},
              {"v_head_dim", 128},
              {"moe_layer_freq", 1},
              {"micro_batch_size", 1},
              {"global_batch_size", 8}};
  for (const auto& [key, value] : inputs.items()) {
    if (key != "model" && key != "batch_size") out[key] = value;
  }
  return out;
}

/// A row's keys without those that only name or size it.
json maxtext_keys(const json& inputs) {
  json out = inputs;
  out.erase("model");
  return out;
}

json torchtitan_keys(const json& inputs) {
  const std::string model = inputs.at("model");
  const std::size_t slash = model.find('/');
  return {{"model", {{"name", model.substr(0, slash)}, {"flavor", model.substr(slash + 1)}}},
          {"training", {{"seq_len", inputs.at("seq_len")}}}};
}

/// A compact table of the same kind, over the built-in presets, that is there on any machine.
TEST(Flops, OfPresetsAreWhatTheFrameworksCount) {
  std::ifstream file(test::source_dir() / "tests" / "data" / "flops.json");
  const json table = json::parse(file);
  EXPECT_GT(table.at("rows").size(), 30U);
  for (const json& row : table.at("rows")) {
    const std::string model = row.at(1).get<std::string>() + ".yaml";
    const auto counted = count(row.at(0), model, row.at(2));
    expect_close(counted.counted_per_token, row.at(3), row.dump());
  }
}

TEST(Flops, AreWhatTheFrameworksCount) {
  const auto rows = load_rows();
  if (!rows) GTEST_SKIP() << "no flops.json beside " << test::oracle_dir();
  for (const json& row : *rows) {
    const std::string backend = row.at("backend");
    const std::string key = row.at("key");
    const json& inputs = row.at("inputs");
    const json& outputs = row.at("outputs");
    if (backend == "megatron") {
      const auto counted = count(backend, "language_model.yaml", megatron_keys(inputs));
      expect_close(counted.counted_per_token, outputs.at("pinned").at("flops_per_token"), key);
    } else if (backend == "torchtitan") {
      const Workload workload = workload_of(backend, "llama3_8B.yaml", torchtitan_keys(inputs));
      expect_close(estimate_flops(workload).counted_per_token, outputs.at("flops_per_token"), key);
      const double parameters = outputs.at("nparams");
      // TorchTitan takes a tied embedding off a total that has it once.
      const double tied =
          workload.model.tied_embeddings ? static_cast<double>(workload.model.vocabulary * workload.model.hidden) : 0;
      EXPECT_NEAR(model_parameters(workload.model).total(), parameters + tied, 1e-4 * parameters) << key;
    } else {
      const auto counted = count(backend, "model_base.yaml", maxtext_keys(inputs));
      expect_close(counted.counted_per_token, outputs.at("flops_per_token"), key);
      const auto named = count(backend, "model_base.yaml",
                               {{"model_name", inputs.at("model")},
                                {"max_target_length", inputs.at("max_target_length")},
                                {"per_device_batch_size", inputs.at("per_device_batch_size")}});
      expect_close(named.counted_per_token, outputs.at("flops_per_token"), key + " by name");
    }
  }
}

}  // namespace
}  // namespace primus_plan
