// A translation is the same model and says what it does not do.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/translations.h"

namespace primus_plan {
namespace {

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

}  // namespace
}  // namespace primus_plan
