// The layers of a MaxText configuration: base.yml, presets and overrides, model file, override_model, M_ variables.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/maxtext/fields.h"
#include "backends/maxtext/keys.h"
#include "backends/maxtext/layers.h"
#include "primus_plan/config/document.h"

namespace primus_plan::maxtext {
namespace {

struct Layered {
  Source source;
  Remarks remarks;
  NodePtr params;
  LayeredConfig result;

  Layered(const std::string& yaml, const Environment& environment = {})
      : source("keys.yaml", yaml),
        params(parse_yaml(source, Layer::experiment, {}, remarks)),
        result(layer(*params, environment)) {}

  const Node* get(std::string_view key) const { return result.values->get(key); }
  std::size_t faults(KeyFault::Kind kind) const {
    return static_cast<std::size_t>(std::count_if(result.faults.begin(), result.faults.end(),
                                                  [&](const KeyFault& fault) { return fault.kind == kind; }));
  }
};

TEST(MaxTextLayers, ModelFileWinsOverParameters) {
  const Layered layers("model_name: llama3-8b\nbase_num_decoder_layers: 8\nbase_emb_dim: 4096\n");
  EXPECT_EQ(layers.get("base_num_decoder_layers")->integer, 32);
  EXPECT_EQ(layers.get("base_num_decoder_layers")->origin.layer, Layer::backend_default);
  ASSERT_EQ(layers.result.behind_model_file.size(), 1U);  // the equal base_emb_dim is no contradiction
  EXPECT_EQ(layers.result.behind_model_file[0].key, "base_num_decoder_layers");
  EXPECT_EQ(layers.result.behind_model_file[0].given->integer, 8);
}

TEST(MaxTextLayers, OverrideModelWinsOverModelFile) {
  const Layered layers(
      "model_name: llama3-8b\noverride_model_config: true\noverride_model: {base_num_decoder_layers: 8}\n");
  EXPECT_EQ(layers.get("base_num_decoder_layers")->integer, 8);
  EXPECT_EQ(layers.get("base_num_decoder_layers")->origin.line, 3U);
  EXPECT_TRUE(layers.result.behind_model_file.empty());
  EXPECT_TRUE(layers.result.against_model_file.empty());
}

TEST(MaxTextLayers, WithoutOverrideModelConfigOnlyEqualValuesMayBeRepeated) {
  const Layered layers("model_name: llama3-8b\noverride_model: {base_num_decoder_layers: 8, base_emb_dim: 4096}\n");
  ASSERT_EQ(layers.result.against_model_file.size(), 1U);
  EXPECT_EQ(layers.result.against_model_file[0].key, "base_num_decoder_layers");
}

TEST(MaxTextLayers, OverrideModelChoosesTheModelFile) {
  const Layered layers("model_name: llama3-8b\noverride_model: {model_name: llama2-7b}\n");
  EXPECT_EQ(layers.result.model_file->name, "llama2-7b");
  EXPECT_EQ(layers.get("base_num_kv_heads")->integer, 32);
}

TEST(MaxTextLayers, InstructModelsShareTheBaseModelsFile) {
  EXPECT_EQ(Layered("model_name: llama3.1-8b-Instruct\n").result.model_file->name, "llama3.1-8b");
  EXPECT_EQ(Layered("model_name: default\n").result.model_file, nullptr);
}

TEST(MaxTextLayers, PrimusKeepsItsOwnKeys) {
  const Layered layers(
      "sink_level: null\nfile_sink_level: DEBUG\nstderr_sink_level: INFO\ntrainable: true\nmodel: x.yaml\n");
  EXPECT_TRUE(layers.result.values->entries().empty());
  EXPECT_TRUE(layers.result.faults.empty());
}

TEST(MaxTextLayers, CoercesAsPydanticDoes) {
  const Layered layers(
      "ici_tensor_parallelism: \"2\"\nici_fsdp_parallelism: 4.0\npacking: \"off\"\nlearning_rate: 1\nsteps: true\n"
      "remat_policy: None\n");
  EXPECT_EQ(layers.get("ici_tensor_parallelism")->integer, 2);
  EXPECT_EQ(layers.get("ici_fsdp_parallelism")->integer, 4);
  EXPECT_FALSE(layers.get("packing")->boolean);
  EXPECT_EQ(layers.get("steps")->integer, 1);
  EXPECT_TRUE(layers.get("remat_policy")->is_null());
  EXPECT_EQ(layers.faults(KeyFault::Kind::surprising), 1U);
  EXPECT_EQ(layers.result.faults.size(), 1U);
}

TEST(MaxTextLayers, RefusesAsPydanticDoes) {
  const Layered layers(
      "ici_tensor_parallelism: 2.5\nici_fsdp_parallelism: null\npacking: 2\nrun_name: 7\nmesh_axes: data\n"
      "dtype: BF16\nhardware: 1\ndropout_rate: 1.5\nnum_experts: 0\nnot_a_key: 1\n");
  EXPECT_EQ(layers.faults(KeyFault::Kind::wrong_type), 5U);
  EXPECT_EQ(layers.faults(KeyFault::Kind::not_a_choice), 2U);
  EXPECT_EQ(layers.faults(KeyFault::Kind::out_of_range), 2U);
  EXPECT_EQ(layers.faults(KeyFault::Kind::unknown), 1U);
  EXPECT_TRUE(layers.result.values->entries().empty());
}

TEST(MaxTextLayers, RangesCountAfterTheModelFile) {
  EXPECT_EQ(Layered("model_name: mixtral-8x7b\nnum_experts: 0\n").faults(KeyFault::Kind::out_of_range), 0U);
  EXPECT_EQ(Layered("num_experts: 0\n").faults(KeyFault::Kind::out_of_range), 1U);
}

TEST(MaxTextLayers, VariablesComeLast) {
  Environment environment;
  environment.set("M_ICI_TENSOR_PARALLELISM", "2");
  environment.set("M_PACKING", "False");
  environment.set("M_BASE_EMB_DIM", "1024");
  environment.set("M_STEPS", "many");
  const Layered layers("model_name: llama3-8b\nici_tensor_parallelism: 4\n", environment);
  EXPECT_EQ(layers.get("ici_tensor_parallelism")->integer, 2);
  EXPECT_EQ(layers.get("ici_tensor_parallelism")->origin.layer, Layer::environment);
  EXPECT_FALSE(layers.get("packing")->boolean);
  EXPECT_EQ(layers.get("base_emb_dim")->integer, 4096);  // the model file's, and MaxText stops
  ASSERT_EQ(layers.result.variables.size(), 4U);
  const auto fault_of = [&](std::string_view key) {
    return std::find_if(layers.result.variables.begin(), layers.result.variables.end(),
                        [&](const Variable& v) { return v.key == key; })
        ->fault;
  };
  EXPECT_EQ(fault_of("packing"), Variable::Fault::none);
  EXPECT_EQ(fault_of("base_emb_dim"), Variable::Fault::also_in_model_file);
  EXPECT_EQ(fault_of("steps"), Variable::Fault::unreadable);
}

TEST(MaxTextKeys, EveryFieldAndEveryModelFilesKeyIsKnown) {
  for (const Field<MaxTextConfig>& field : fields()) EXPECT_NE(find_key(field.name), nullptr) << field.name;
  for (const KeySpec& spec : all_keys()) EXPECT_EQ(find_key(spec.name), &spec) << spec.name << " stands twice";
  const KeySpec& models = *find_key("model_name");
  for (std::size_t start = 0; start < models.choices.size();) {
    const std::size_t end = std::min(models.choices.find('|', start), models.choices.size());
    const std::string_view name = models.choices.substr(start, end - start);
    start = end + 1;
    const ModelFile* file = find_model_file(name);
    ASSERT_TRUE(file != nullptr || name == "default") << name;
    if (file == nullptr) continue;
    for (const Setting& setting : file->settings)
      EXPECT_NE(find_key(setting.key), nullptr) << name << " " << setting.key;
  }
}

}  // namespace
}  // namespace primus_plan::maxtext
