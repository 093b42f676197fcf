// Layers of every stage and chunk, as Megatron's own code places them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/megatron/layers.h"
#include "support/oracle.h"

namespace primus_plan::megatron {
namespace {

using nlohmann::json;
using Kind = LayerFault::Kind;

constexpr const char* oracle_file = "megatron_layers.json";

std::optional<std::int64_t> optional_number(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<std::int64_t>(value.get<std::int64_t>());
}

constexpr std::pair<char, const char*> kinds[] = {{'E', "embedding"}, {'t', "decoder"}, {'m', "mtp"}, {'L', "loss"}};

json names_of(const std::string& stage) {
  json names = json::array();
  for (const char c : stage) {
    for (const auto& [letter, name] : kinds) {
      if (letter == c) names.push_back(name);
    }
  }
  return names;
}

json names_of(const PipelineLayout& layout) {
  json stages = json::array();
  for (const std::string& stage : layout.stages) stages.push_back(names_of(stage));
  return stages;
}

std::string letters_of(const json& names) {
  std::string stage;
  for (const json& one : names) {
    for (const auto& [letter, name] : kinds) {
      if (one == name) stage.push_back(letter);
    }
  }
  return stage;
}

/// Words of Megatron's message that belong to this fault.
std::string words_of(const LayerFault& fault) {
  const std::string a = std::to_string(fault.a);
  const std::string b = std::to_string(fault.b);
  switch (fault.kind) {
    case Kind::uneven_with_slots:
      return "cannot beset at the same time with account_for_embedding";
    case Kind::layout_with_other_split:
      return "cannot be set with other pipeline layout arguments";
    case Kind::layout_stages:
      return "(len(layout)=" + a + ", pipeline_model_parallel_size=" + b + ")";
    case Kind::layout_virtual:
      return "virtual_pipeline_model_parallel_size conflicts";
    case Kind::layout_first_not_embedding:
      return "first layer must be embedding";
    case Kind::layout_last_not_loss:
      return "last layer must be loss";
    case Kind::layout_embeddings:
      return "Embedding must be specified exactly once";
    case Kind::layout_losses:
      return "Loss must be specified exactly once";
    case Kind::layout_layers:
      return "decoder layers " + a + "must match num_layers " + b;
    case Kind::layout_mtp_layers:
      return "Number of mtp layers";
    case Kind::layout_mtp_before_decoder:
      return "decoder layers must be placed before MTP";
    case Kind::layout_mtp_not_in_last_chunk:
      return "MTP should be always in the last";
    case Kind::layout_mtp_in_many_stages:
      return "MTP layers must be in the same one";
    case Kind::first_not_positive:
      return "first_pipeline_stage must be larger than 0";
    case Kind::last_not_positive:
      return "last_pipeline_stage must be larger than 0";
    case Kind::first_not_divisible_by_virtual:
      return "first stage: " + a + "must be divisible by virtual";
    case Kind::last_not_divisible_by_virtual:
      return "last stage: " + a + "must be divisible by virtual";
    case Kind::middle_mismatch:
      return "Mismatch: " + a + " middle layers remaining but " + b + " middle PP stages available";
    case Kind::middle_not_divisible:
      return "middle stage: " + a + " must be divisible bythe middle";
    case Kind::middle_not_divisible_by_virtual:
      return "each middle pipeline rank:" + a;
    case Kind::slots_not_divisible:
      return "ayers: " + a;
    case Kind::slots_not_divisible_by_virtual:
      return "each pipeline rank: " + a;
    case Kind::layers_not_divisible:
      return "num_layers should be divisible by pipeline_model_parallel_size";
    case Kind::layers_not_divisible_by_virtual:
      return "num_layers_per_pipeline_rank " + a;
    case Kind::no_middle_for_interleaving:
      return "division or modulo by zero";
    default:
      return "no such message: " + std::to_string(static_cast<int>(fault.kind));
  }
}

json stages_of(const LayerSplit& split) {
  json stages = json::array();
  for (const auto& rank : split.stages) {
    json& chunks = stages.emplace_back(json::array());
    for (const StageChunk& chunk : rank) chunks.push_back({{"offset", chunk.first_layer}, {"count", chunk.layers}});
  }
  return stages;
}

json expected_stages(const json& one) {
  json stages = one.at("stages");
  for (json& rank : stages) {
    for (json& chunk : rank) chunk.erase("layout");
  }
  return stages;
}

struct Layout {
  PipelineLayout layout;
  std::optional<LayoutError> error;
  bool given = false;
};

Layout layout_of(const json& one) {
  Layout result;
  const json& layout = one.at("in").at("layout");
  result.given = !layout.is_null();
  if (layout.is_string()) {
    LayoutParse parse = parse_pipeline_layout(layout.get_ref<const std::string&>());
    result.layout = std::move(parse.layout);
    result.error = parse.error;
  } else if (layout.is_array()) {
    for (const json& stage : layout) result.layout.stages.push_back(letters_of(stage));
  }
  return result;
}

void compare_layout_list(const json& one, const Layout& layout) {
  if (!one.contains("layout_list")) return;
  const json& list = one.at("layout_list");
  ASSERT_EQ(layout.error.has_value(), list.is_object()) << list;
  if (!layout.error) {
    EXPECT_EQ(names_of(layout.layout), list);
    return;
  }
  const std::string& text = one.at("in").at("layout").get_ref<const std::string&>();
  const std::string character = text.substr(layout.error->position, layout.error->length);
  const std::string message = list.at("error").at("message");
  EXPECT_NE(message.find("Invalid layer character: " + character + " "), std::string::npos) << message;
}

void compare(const json& one) {
  const json& in = one.at("in");
  const Layout layout = layout_of(one);
  compare_layout_list(one, layout);
  if (layout.error) {
    EXPECT_FALSE(one.at("error").is_null());
    return;
  }
  const LayerSplitInput input{.layers = in.at("layers"),
                              .pipeline = in.at("pp"),
                              .virtual_pipeline = optional_number(in.at("vpp")),
                              .first = optional_number(in.at("first")),
                              .last = optional_number(in.at("last")),
                              .embedding_slot = in.at("emb"),
                              .loss_slot = in.at("loss"),
                              .mtp_layers = optional_number(in.at("mtp")),
                              .layout = layout.given ? &layout.layout : nullptr};
  const LayerSplit split = split_layers(input);
  const bool stops = split.fault && split.fault->kind != Kind::layers_lost;
  ASSERT_EQ(stops, !one.at("error").is_null()) << one.at("error");
  if (stops) {
    const std::string message = one.at("error").at("message");
    EXPECT_NE(message.find(words_of(*split.fault)), std::string::npos) << message << " / " << words_of(*split.fault);
    return;
  }
  EXPECT_EQ(split.virtual_pipeline, optional_number(one.at("vpp_detected")));
  EXPECT_EQ(stages_of(split), expected_stages(one));
}

bool list_of_texts(const json& layout) {
  return layout.is_array() && std::any_of(layout.begin(), layout.end(), [](const json& s) { return !s.is_array(); });
}

TEST(MegatronLayers, EveryChunkIsMegatronsOwn) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  std::size_t compared = 0;
  for (const json& one : oracle->at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    // Lists never reach this code: validate_args takes the text form only.
    if (list_of_texts(one.at("in").at("layout"))) {
      EXPECT_FALSE(one.at("error").is_null());
      continue;
    }
    compare(one);
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace primus_plan::megatron
