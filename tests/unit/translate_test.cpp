#include "primus_plan/planner/translate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "planner/translate_parts.h"
#include "primus_plan/planner/compare.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/report/translate.h"
#include "support/folder.h"
#include "support/loaded_run.h"
#include "support/paths.h"
#include "support/translations.h"

namespace primus_plan {
namespace {

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

TEST(Translate, ClippingThatIsOffStaysOff) {
  const auto clips_at = [](const char* from, const char* model, const std::string& keys, const char* to,
                           const char* key) {
    const LoadedRun run(experiment_text(from, model, keys), 8);
    return translation_of(run, to).overrides->at_path(key)->real;
  };
  const std::string keys =
      "micro_batch_size: 1\nglobal_batch_size: 64\nseq_length: 4096\n"
      "max_position_embeddings: 4096\nclip_grad: ";
  // TorchTitan clips to max_norm whatever it is: to 0, too.
  EXPECT_EQ(clips_at("megatron", "llama3.1_8B", keys + "0.0", "torchtitan", "training.max_norm"), 1e9);
  EXPECT_EQ(clips_at("megatron", "llama3.1_8B", keys + "0.5", "torchtitan", "training.max_norm"), 0.5);
  EXPECT_EQ(clips_at("megatron", "llama3.1_8B", keys + "0.0", "maxtext", "gradient_clipping_threshold"), 0.0);
  EXPECT_EQ(clips_at("torchtitan", "llama3.1_8B", "training: {max_norm: 1.0e+9}", "megatron", "clip_grad"), 0.0);
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

TEST(Translate, CopiesOfShardedWeightsStay) {
  const std::string hsdp =
      test::read_file(test::source_dir() / "examples" / "torchtitan" / "llama3.1_70B-hsdp-64gpu.yaml");
  const LoadedRun titan(hsdp, 64);
  ASSERT_EQ(titan.analysis().workload->sharding.replicas, 4);
  const LoadedRun maxtext(translated(titan, "maxtext"), 64);
  ASSERT_EQ(errors_of(maxtext.analysis()), "");
  EXPECT_EQ(maxtext.analysis().workload->sharding.replicas, 4);
  EXPECT_EQ(maxtext.analysis().workload->sharding.dense_shards, 16);
  const LoadedRun again(translated(maxtext, "torchtitan"), 64);
  EXPECT_EQ(again.analysis().workload->sharding.replicas, 4);
  EXPECT_EQ(sharding_difference(*titan.analysis().workload, *maxtext.analysis().workload), "");
  Workload wider = *maxtext.analysis().workload;
  wider.sharding.dense_shards = 8;
  EXPECT_EQ(sharding_difference(*titan.analysis().workload, wider),
            "sharding: 8 ranks share a copy of the weights here, 16 in the original");
}

TEST(Translate, CarriesWhatTheOriginalLeavesToItsDefaults) {
  // MaxText's base.yml: learning_rate 3e-5, a tenth of the steps to warm up, down to a tenth.
  const LoadedRun run(
      experiment_text("maxtext", "llama3.3_70B",
                      "per_device_batch_size: 1\nmax_target_length: 4096\ndataset_type: synthetic\nsteps: 500"),
      64);
  const Translation titan = translation_of(run, "torchtitan");
  EXPECT_DOUBLE_EQ(titan.overrides->at_path("optimizer.lr")->real, 3e-5);
  EXPECT_EQ(titan.overrides->at_path("lr_scheduler.warmup_steps")->integer, 50);
  EXPECT_DOUBLE_EQ(titan.overrides->at_path("lr_scheduler.min_lr_factor")->real, 0.1);
  EXPECT_EQ(titan.overrides->at_path("lr_scheduler.decay_type")->text, "cosine");
  const Translation megatron = translation_of(run, "megatron");
  EXPECT_DOUBLE_EQ(megatron.overrides->at_path("lr")->real, 3e-5);
  EXPECT_DOUBLE_EQ(megatron.overrides->at_path("min_lr")->real, 3e-6);
  EXPECT_DOUBLE_EQ(megatron.overrides->at_path("weight_decay")->real, 0.1);
}

TEST(Translate, DefaultsAreThoseOfTheKeyCatalogues) {
  for (const TranslateWords* words : translate_words()) {
    for (const CarriedNumber& number : words->numbers) {
      const auto key = std::ranges::find_if(key_catalogue(), [&](const CatalogueKey& one) {
        return one.owner == words->framework && one.name == number.key;
      });
      ASSERT_NE(key, key_catalogue().end()) << number.key;
      if (number.fallback) {
        EXPECT_EQ(std::stod(key->default_value), *number.fallback) << number.key;
      } else {
        EXPECT_EQ(key->default_value, "null") << number.key;
      }
    }
  }
}

TEST(Translate, StagesOfFiveChunksAreCutByTheirLayers) {
  const std::string deep =
      "tensor_model_parallel_size: 8\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 5\n"
      "overlap_p2p_comm: true\nmicro_batch_size: 1\nglobal_batch_size: 64\nseq_length: "
      "4096\nmax_position_embeddings: 4096\n";
  const LoadedRun run(experiment_text("megatron", "llama3.1_70B", deep), 64);
  ASSERT_EQ(errors_of(run.analysis()), "");
  const LoadedRun titan(translated(run, "torchtitan"), 64);
  EXPECT_EQ(errors_of(titan.analysis()), "");
  EXPECT_EQ(titan.analysis().run.degrees.virtual_pipeline, 5);
  EXPECT_EQ(stage_difference(*run.analysis().workload, *titan.analysis().workload), "");
}

TEST(Translate, DegreesThatCannotBeHadGetAReason) {
  const LoadedRun experts = megatron_run("mixtral_8x7B_v0.1",
                                         "tensor_model_parallel_size: 2\nexpert_model_parallel_size: "
                                         "4\nexpert_tensor_parallel_size: 1\nsequence_parallel: true\n");
  ASSERT_EQ(errors_of(experts.analysis()), "");
  try {
    translation_of(experts, "maxtext");
    FAIL() << "MaxText has no expert tensor parallel degree";
  } catch (const TranslateError& error) {
    EXPECT_STREQ(error.what(),
                 "MaxText cannot have the degrees TP 2, EP 4, ETP 1: it cuts experts by TP, and has no ETP of its own");
  }
}

}  // namespace
}  // namespace primus_plan
