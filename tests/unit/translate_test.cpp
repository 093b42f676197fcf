#include "primus_plan/planner/translate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "primus_plan/estimate/estimate.h"
#include "primus_plan/planner/compare.h"
#include "primus_plan/report/translate.h"
#include "support/folder.h"
#include "support/loaded_run.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

using test::experiment_text;
using test::LoadedRun;

constexpr std::array frameworks{"megatron", "torchtitan", "maxtext"};

const std::vector<PresetShape>& presets_of(const std::string& framework) {
  static std::map<std::string, std::vector<PresetShape>> known;
  const auto found = known.find(framework);
  if (found != known.end()) return found->second;
  const MemoryFiles files;
  const Loader loader(files, {});
  return known.emplace(framework, preset_shapes(loader, {}, framework)).first->second;
}

Translation translation_of(const LoadedRun& run, const char* target) {
  return translate(run.module(), run.analysis(), *find_backend(target), presets_of(target));
}

std::string translated(const LoadedRun& run, const char* target) {
  const Translation translation = translation_of(run, target);
  return translation_to_yaml({run.experiment(), run.analysis(), translation});
}

std::string errors_of(const Analysis& analysis) {
  std::string out;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == Severity::error) out += std::string(finding.rule->id) + ": " + finding.message + "\n";
  }
  return out;
}

void expect_same_run(const RunDescription& a, const RunDescription& b, const std::string& what) {
  EXPECT_EQ(a.launch.world_size, b.launch.world_size) << what;
  EXPECT_EQ(a.batch.global, b.batch.global) << what;
  EXPECT_EQ(a.batch.sequence_length, b.batch.sequence_length) << what;
  EXPECT_EQ(a.degrees.tensor, b.degrees.tensor) << what;
  EXPECT_EQ(a.degrees.pipeline, b.degrees.pipeline) << what;
  EXPECT_EQ(a.degrees.context, b.degrees.context) << what;
  EXPECT_EQ(a.degrees.data, b.degrees.data) << what;
  if (a.experts > 0) {
    EXPECT_EQ(a.degrees.expert, b.degrees.expert) << what;
  }
}

double parameters_of(const LoadedRun& run) {
  return estimate_run(*run.analysis().workload, &run.hardware()).parameters.total();
}

/// As many parameters within half a per cent, or a difference that the comparison tells.
void expect_same_size(const LoadedRun& original, const LoadedRun& translation, const std::string& what) {
  const ModelComparison models =
      compare_models(original.analysis().workload->model, translation.analysis().workload->model);
  EXPECT_NE(models.match, ModelMatch::another) << to_sentence(models) << "\n" << what;
  if (models.match == ModelMatch::same) {
    EXPECT_NEAR(parameters_of(translation) / parameters_of(original), 1, 0.005) << what;
  } else {
    EXPECT_NE(models.differences, "") << what;
  }
}

/// Says a run in both other frameworks, and what came out in the others again.
void expect_translations(const std::string& yaml, std::int64_t world, int depth = 2) {
  const LoadedRun run(yaml, world);
  ASSERT_EQ(errors_of(run.analysis()), "") << yaml;
  for (const char* target : frameworks) {
    if (run.module().framework == target) continue;
    if (depth == 1 || !model_preset_for(run.module().framework, *run.module().model, target)) {
      // Only what the dimensions find, of a preset with other dimensions written over it, too: right or refused.
      try {
        translated(run, target);
      } catch (const TranslateError&) {
        continue;
      }
    }
    const std::string text = translated(run, target);
    const LoadedRun other(text, world);
    EXPECT_EQ(errors_of(other.analysis()), "") << text;
    expect_same_run(run.analysis().run, other.analysis().run, text);
    expect_same_size(run, other, text);
    if (depth > 1) expect_translations(text, world, depth - 1);
  }
}

struct Case {
  const char* name;
  const char* framework;
  const char* model;
  const char* overrides;
  std::int64_t world;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class Translations : public testing::TestWithParam<Case> {};

TEST_P(Translations, PassCheckWithTheSameBatchAndDegrees) {
  const Case& one = GetParam();
  expect_translations(experiment_text(one.framework, one.model, one.overrides), one.world);
}

INSTANTIATE_TEST_SUITE_P(
    All, Translations,
    testing::Values(Case{"Plain", "megatron", "llama3.1_8B",
                         "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096\nmax_position_embeddings: 4096",
                         8},
                    Case{"Tensor", "megatron", "llama3.1_8B",
                         "tensor_model_parallel_size: 4\nmicro_batch_size: 2\nglobal_batch_size: 64\nseq_length: "
                         "4096\nmax_position_embeddings: 4096\nrecompute_granularity: full\nrecompute_method: "
                         "uniform\nrecompute_num_layers: 1",
                         16},
                    Case{"Pipeline", "megatron", "llama3.1_70B",
                         "tensor_model_parallel_size: 8\npipeline_model_parallel_size: 2\nmicro_batch_size: "
                         "1\nglobal_batch_size: 64\nseq_length: 4096\nmax_position_embeddings: 4096",
                         64},
                    Case{"Context", "megatron", "llama3.1_8B",
                         "context_parallel_size: 2\nmicro_batch_size: 1\nglobal_batch_size: 32\nseq_length: "
                         "8192\nmax_position_embeddings: 8192",
                         8},
                    Case{"NoSharding", "megatron", "llama3.1_8B",
                         "use_distributed_optimizer: false\nmicro_batch_size: 1\nglobal_batch_size: 32\nseq_length: "
                         "4096\nmax_position_embeddings: 4096",
                         8},
                    Case{"Experts", "megatron", "mixtral_8x7B_v0.1",
                         "expert_model_parallel_size: 8\nmicro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
                         "4096\nmax_position_embeddings: 4096",
                         16},
                    Case{"TitanSharded", "torchtitan", "llama3.1_8B",
                         "training:\n  local_batch_size: 2\n  global_batch_size: 64\n  seq_len: "
                         "4096\nactivation_checkpoint:\n  mode: selective",
                         16},
                    Case{"MaxTextNodes", "maxtext", "llama3.3_70B",
                         "ici_fsdp_parallelism: -1\ndcn_data_parallelism: 1\ndcn_fsdp_parallelism: "
                         "-1\nper_device_batch_size: 1\nmax_target_length: 4096\ndataset_type: synthetic",
                         64}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.name); });

TEST(Translate, EveryExampleOfTheRepository) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_dir() / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    expect_translations(test::read_file(entry.path()), 0, 2);
    ++files;
  }
  EXPECT_GT(files, 0U);
}

/// Settings that every preset of a framework takes.
const char* plain_settings(std::string_view framework) {
  if (framework == "megatron") {
    return "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096\nmax_position_embeddings: 4096";
  }
  if (framework == "torchtitan") return "training:\n  local_batch_size: 1\n  seq_len: 4096";
  return "per_device_batch_size: 1\nmax_target_length: 4096\ndataset_type: synthetic";
}

TEST(Translate, EveryPresetKeepsItsSizeOrIsRefused) {
  std::size_t translations = 0;
  for (const char* framework : frameworks) {
    for (const PresetShape& preset : presets_of(framework)) {
      const LoadedRun run(experiment_text(framework, preset.name, plain_settings(framework)), 8);
      if (run.analysis().errors > 0) continue;
      for (const char* target : frameworks) {
        if (std::string_view(framework) == target) continue;
        SCOPED_TRACE(preset.name + " of " + framework + " to " + target);
        std::string text;
        try {
          text = translated(run, target);
        } catch (const TranslateError&) {
          continue;
        }
        const LoadedRun other(text, 8);
        const ModelComparison models = compare_models(run.analysis().workload->model, other.analysis().workload->model);
        if (models.match == ModelMatch::another) continue;  // the command refuses it
        ++translations;
        expect_same_size(run, other, text);
      }
    }
  }
  EXPECT_GT(translations, 80U);
}

TEST(Translate, CarriesTheOptimizersNumbers) {
  const LoadedRun run(experiment_text("megatron", "llama3.1_8B",
                                      "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
                                      "4096\nmax_position_embeddings: 4096\nlr: 1.5e-4\nmin_lr: "
                                      "1.5e-5\nlr_warmup_iters: 500\ntrain_iters: 5000\nadam_beta2: 0.95"),
                      8);
  const Translation titan = translation_of(run, "torchtitan");
  EXPECT_EQ(titan.model, "llama3.1_8B.yaml");
  EXPECT_EQ(titan.overrides->at_path("optimizer.lr")->real, 1.5e-4);
  EXPECT_EQ(titan.overrides->at_path("optimizer.beta2")->real, 0.95);
  EXPECT_EQ(titan.overrides->at_path("training.steps")->integer, 5000);
  EXPECT_EQ(titan.overrides->at_path("lr_scheduler.warmup_steps")->integer, 500);
  EXPECT_DOUBLE_EQ(titan.overrides->at_path("lr_scheduler.min_lr_factor")->real, 0.1);
  const Translation maxtext = translation_of(run, "maxtext");
  EXPECT_DOUBLE_EQ(maxtext.overrides->at_path("warmup_steps_fraction")->real, 0.1);
}

TEST(Translate, ListsWhatHasNoCounterpart) {
  const LoadedRun run(experiment_text("megatron", "llama3.1_8B",
                                      "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
                                      "4096\nmax_position_embeddings: 4096\nattention_softmax_in_fp32: true"),
                      8);
  const Translation titan = translation_of(run, "torchtitan");
  ASSERT_EQ(titan.lost.size(), 1U);
  EXPECT_EQ(titan.lost[0].key, "attention_softmax_in_fp32");
  EXPECT_EQ(titan.lost[0].value, "true");
  ASSERT_FALSE(titan.remarks.empty());
  EXPECT_NE(titan.remarks[0].find("sharding"), std::string::npos);
}

LoadedRun megatron_run(const char* model, const std::string& more = {}) {
  return LoadedRun(experiment_text("megatron", model,
                                   "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
                                   "4096\nmax_position_embeddings: 4096\n" +
                                       more),
                   8);
}

/// Dimensions of a translation's model that differ from the run's.
std::string differences(const LoadedRun& run, const char* target) {
  const LoadedRun other(translated(run, target), 8);
  EXPECT_EQ(errors_of(other.analysis()), "");
  std::string out;
  for (const std::string& one : model_differences(other.analysis().workload->model, run.analysis().workload->model)) {
    out += one + "; ";
  }
  return out;
}

TEST(Translate, ModelsAreFoundByTheirDimensions) {
  // No name to look up, but the very dimensions of another preset.
  const LoadedRun small = megatron_run(
      "llama3.1_70B", "num_layers: 32\nhidden_size: 4096\nnum_attention_heads: 32\nffn_hidden_size: 14336\n");
  EXPECT_EQ(translation_of(small, "maxtext").model, "llama3_8B.yaml");
  EXPECT_EQ(differences(small, "maxtext"), "");
}

TEST(Translate, DimensionsThatNoPresetHasAreWrittenOver) {
  const LoadedRun cut = megatron_run("llama3.1_8B", "num_layers: 4\n");
  for (const char* target : {"torchtitan", "maxtext"}) EXPECT_EQ(differences(cut, target), "") << target;
  const Translation titan = translation_of(cut, "torchtitan");
  EXPECT_EQ(titan.overrides->at_path("model.n_layers")->integer, 4);
  ASSERT_FALSE(titan.remarks.empty());
  EXPECT_NE(titan.remarks[0].find("layers 32 instead of 4"), std::string::npos) << titan.remarks[0];
  for (const Untranslated& lost : titan.lost) EXPECT_NE(lost.key, "num_layers");
  const LoadedRun qwen = megatron_run("qwen3_8B");
  EXPECT_EQ(differences(qwen, "maxtext"), "");
  const LoadedRun experts = megatron_run("deepseek_v3", "num_layers: 6\nmoe_layer_freq: ([0]*3+[1]*3)\n");
  EXPECT_EQ(differences(experts, "torchtitan"), "prediction layers 0 and 1; ");
}

enum class Fate { same, told, refused };
struct SetValue {
  const char* model;
  const char* set;
  const char* target;
  Fate fate;
};

TEST(Translate, ASetValueIsCarriedOrToldOrTheTranslationIsRefused) {
  for (const SetValue& one :
       {SetValue{"qwen2.5_7B", "", "maxtext", Fate::same},
        {"qwen2.5_72B", "", "maxtext", Fate::same},
        {"qwen3_32B", "", "torchtitan", Fate::same},
        {"llama2_70B", "", "torchtitan", Fate::same},
        {"llama2_13B", "", "torchtitan", Fate::same},
        {"llama3.1_70B", "vocab_size: 50000", "torchtitan", Fate::same},
        {"llama3.1_70B", "vocab_size: 50000", "maxtext", Fate::same},
        {"llama3.1_70B", "padded_vocab_size: 131072", "maxtext", Fate::same},
        {"llama3.1_8B", "swiglu: false", "torchtitan", Fate::refused},
        {"llama3.1_8B", "swiglu: false", "maxtext", Fate::refused},
        {"llama3.1_8B", "untie_embeddings_and_output_weights: false", "maxtext", Fate::same},
        {"llama3.1_8B", "untie_embeddings_and_output_weights: false", "torchtitan", Fate::refused},
        {"llama3.1_8B", "num_query_groups: 4", "torchtitan", Fate::same},
        {"llama3.1_8B", "hidden_size: 8192", "maxtext", Fate::same},
        {"llama3.1_8B", "ffn_hidden_size: 8192", "torchtitan", Fate::refused},
        {"llama3.1_8B", "ffn_hidden_size: 8192", "maxtext", Fate::same},
        {"llama3.1_8B", "kv_channels: 64", "torchtitan", Fate::refused},
        {"llama3.1_8B", "kv_channels: 64", "maxtext", Fate::same},
        {"llama3.1_8B", "rotary_base: 12345", "torchtitan", Fate::same},
        {"llama3.1_8B", "add_qkv_bias: true", "torchtitan", Fate::same},
        {"qwen3_8B", "ffn_hidden_size: 8192", "torchtitan", Fate::same},
        {"mixtral_8x7B_v0.1", "moe_router_topk: 4", "maxtext", Fate::same},
        {"mixtral_8x7B_v0.1", "num_experts: 16", "maxtext", Fate::same},
        {"deepseek_v2_lite", "moe_layer_freq: ([0]*3+[1]*24)", "torchtitan", Fate::same},
        {"deepseek_v2_lite", "moe_layer_freq: ([0]*3+[1]*24)", "maxtext", Fate::same},
        {"deepseek_v2_lite", "kv_lora_rank: 256", "torchtitan", Fate::same},
        {"deepseek_v2_lite", "v_head_dim: 64", "maxtext", Fate::same},
        {"deepseek_v2_lite", "moe_ffn_hidden_size: 704", "torchtitan", Fate::told},
        {"deepseek_v3", "", "torchtitan", Fate::told},
        {"lfm2_8B_A1B", "", "maxtext", Fate::refused},
        {"mixtral_8x7B_v0.1", "", "torchtitan", Fate::refused}}) {
    SCOPED_TRACE(std::string(one.model) + " " + one.set + " to " + one.target);
    const LoadedRun run = megatron_run(one.model, one.set);
    ASSERT_EQ(errors_of(run.analysis()), "");
    Fate fate = Fate::refused;
    try {
      const LoadedRun other(translated(run, one.target), 8);
      const ModelComparison models = compare_models(run.analysis().workload->model, other.analysis().workload->model);
      if (models.match != ModelMatch::another) fate = models.match == ModelMatch::told ? Fate::told : Fate::same;
      if (fate == Fate::same) {
        EXPECT_NEAR(parameters_of(other) / parameters_of(run), 1, 0.005);
        EXPECT_EQ(other.analysis().workload->model.rope_base, run.analysis().workload->model.rope_base);
      }
    } catch (const TranslateError&) {
    }
    EXPECT_EQ(fate, one.fate);
  }
}

TEST(Translate, AnotherModelIsNoTranslation) {
  const LoadedRun run = megatron_run("llama3.1_8B");
  const ModelShape& model = run.analysis().workload->model;
  EXPECT_EQ(compare_models(model, model).match, ModelMatch::same);
  ModelShape other = model;
  other.vocabulary = 32000;
  EXPECT_EQ(compare_models(model, other).match, ModelMatch::another);
  other.vocabulary = 0;  // not known
  EXPECT_EQ(compare_models(model, other).match, ModelMatch::same);
  other = model;
  other.gated = false;
  EXPECT_EQ(compare_models(model, other).match, ModelMatch::another);
  other = model;
  other.mtp_depth = 1;
  const ModelComparison told = compare_models(other, model);
  EXPECT_EQ(told.match, ModelMatch::told);
  EXPECT_NE(to_sentence(told).find("8.03 B parameters here"), std::string::npos) << to_sentence(told);
}

/// Whether a remark of the translation has these words.
bool is_told(const Translation& translation, const char* words) {
  return std::ranges::any_of(translation.remarks,
                             [&](const std::string& remark) { return remark.find(words) != std::string::npos; });
}
bool is_lost(const Translation& translation, const char* key) {
  return std::ranges::any_of(translation.lost, [&](const Untranslated& lost) { return lost.key == key; });
}

TEST(Translate, NoRecomputeIsThePolicyThatKeepsMost) {
  const auto policy = [](const Translation& translation) {
    return translation.overrides->at_path("remat_policy")->text;
  };
  const Translation none = translation_of(megatron_run("llama3.1_8B"), "maxtext");
  EXPECT_EQ(policy(none), "minimal_with_context");
  EXPECT_TRUE(is_told(none, "recompute: the original makes nothing again"));
  const LoadedRun block =
      megatron_run("llama3.1_8B", "recompute_granularity: full\nrecompute_method: block\nrecompute_num_layers: 10");
  for (const char* target : {"maxtext", "torchtitan"})
    EXPECT_TRUE(is_told(translation_of(block, target), "10 layers of each stage were recomputed")) << target;
  const LoadedRun core =
      megatron_run("llama3.1_8B", "recompute_granularity: selective\nrecompute_modules: [core_attn]");
  EXPECT_EQ(policy(translation_of(core, "maxtext")), "minimal");
  // And back: none is a policy that keeps nothing.
  const std::string rest = "per_device_batch_size: 1\nmax_target_length: 4096\ndataset_type: synthetic\nremat_policy: ";
  const LoadedRun nothing(experiment_text("maxtext", "llama3_8B", rest + "none"), 8);
  EXPECT_EQ(translation_of(nothing, "megatron").overrides->at_path("recompute_granularity")->text, "full");
  EXPECT_EQ(translation_of(nothing, "torchtitan").overrides->at_path("activation_checkpoint.mode")->text, "full");
  const LoadedRun most(experiment_text("maxtext", "llama3_8B", rest + "minimal_with_context"), 8);
  EXPECT_EQ(translation_of(most, "megatron").overrides->at_path("recompute_granularity")->text, "selective");
  // TorchTitan's every second layer.
  const LoadedRun half(experiment_text("torchtitan", "llama3.1_8B",
                                       "training:\n  seq_len: 4096\nactivation_checkpoint:\n  mode: "
                                       "selective\n  selective_ac_option: \"2\""),
                       8);
  const Translation megatron = translation_of(half, "megatron");
  EXPECT_EQ(megatron.overrides->at_path("recompute_method")->text, "block");
  EXPECT_EQ(megatron.overrides->at_path("recompute_num_layers")->integer, 16);
  EXPECT_TRUE(is_told(translation_of(half, "maxtext"), "16 of 32 layers were recomputed"));
}

TEST(Translate, WhatTheSourceSaysIsCarriedOrListed) {
  const LoadedRun full = megatron_run("llama3.1_8B", "bf16: false\ngradient_accumulation_fusion: false");
  EXPECT_EQ(translation_of(full, "torchtitan").overrides->at_path("training.mixed_precision_param")->text, "float32");
  const Translation maxtext = translation_of(full, "maxtext");
  EXPECT_EQ(maxtext.overrides->at_path("dtype")->text, "float32");
  EXPECT_EQ(maxtext.overrides->at_path("weight_dtype")->text, "float32");

  const LoadedRun uneven =
      LoadedRun(experiment_text("megatron", "llama3.1_70B",
                                "tensor_model_parallel_size: 8\npipeline_model_parallel_size: 2\nmicro_batch_size: "
                                "1\nglobal_batch_size: 64\nseq_length: 4096\nmax_position_embeddings: "
                                "4096\ndecoder_first_pipeline_num_layers: 38\ndecoder_last_pipeline_num_layers: 42"),
                64);
  ASSERT_EQ(errors_of(uneven.analysis()), "");
  for (const char* target : {"maxtext", "torchtitan"}) {
    const Translation translation = translation_of(uneven, target);
    EXPECT_TRUE(is_lost(translation, "decoder_first_pipeline_num_layers")) << target;
    const LoadedRun other(translated(uneven, target), 64);
    EXPECT_EQ(stage_difference(*uneven.analysis().workload, *other.analysis().workload),
              "pipeline: the stages hold 40, 40 layers here, 38, 42 in the original")
        << target;
  }

  const LoadedRun part = megatron_run("llama3.1_8B",
                                      "train_iters: 5000\nlr: 1.0e-4\nlr_warmup_iters: 0\nlr_warmup_fraction: "
                                      "0.1\nlr_decay_style: constant");
  const Translation titan = translation_of(part, "torchtitan");
  EXPECT_EQ(titan.overrides->at_path("lr_scheduler.warmup_steps")->integer, 500);
  EXPECT_TRUE(is_told(titan, "the original's decay is constant"));
  EXPECT_DOUBLE_EQ(translation_of(part, "maxtext").overrides->at_path("warmup_steps_fraction")->real, 0.1);
  const LoadedRun longer =
      megatron_run("llama3.1_8B", "train_iters: 5000\nlr_decay_iters: 10000\nlr_warmup_iters: 500");
  EXPECT_DOUBLE_EQ(translation_of(longer, "maxtext").overrides->at_path("warmup_steps_fraction")->real, 0.05);
  EXPECT_EQ(translation_of(longer, "maxtext").overrides->at_path("learning_rate_schedule_steps")->integer, 10000);
  EXPECT_EQ(translation_of(longer, "torchtitan").overrides->at_path("lr_scheduler.total_steps")->integer, 10000);
}

TEST(Translate, MakesNoOtherArchitectureOfAPreset) {
  // The experiment has turned latent attention off: nothing is written that says so half.
  const LoadedRun plain = megatron_run("deepseek_v2_lite", "multi_latent_attention: false\n");
  ASSERT_EQ(errors_of(plain.analysis()), "");
  EXPECT_THROW(translation_of(plain, "maxtext"), TranslateError);
  // A model of experts alone has one width.
  EXPECT_EQ(differences(megatron_run("mixtral_8x7B_v0.1", "moe_ffn_hidden_size: 8192\n"), "maxtext"), "");
  // Windows of attention are no dimension.
  EXPECT_THROW(translation_of(megatron_run("gpt_oss_20B"), "maxtext"), TranslateError);
}

TEST(Translate, RefusesModelsThatTheTargetCannotHave) {
  const LoadedRun qwen = megatron_run("qwen3_8B");
  EXPECT_THROW(translation_of(qwen, "megatron"), TranslateError);
  const LoadedRun mamba = megatron_run("mamba_370M");
  if (mamba.analysis().errors == 0) {
    EXPECT_THROW(translation_of(mamba, "maxtext"), TranslateError);
  }
  const LoadedRun wide = megatron_run("llama3.1_8B", "ffn_hidden_size: 13824");
  try {
    translation_of(wide, "torchtitan");
    FAIL() << "the feed-forward size has no key";
  } catch (const TranslateError& error) {
    EXPECT_NE(std::string(error.what()).find("instead of 13824"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace primus_plan
