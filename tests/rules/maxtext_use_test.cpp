// MaxText's rules beyond their examples: settings that meet, and what their fixes make of a file.
#include <gmock/gmock.h>

#include "primus_plan/diagnostics/edits.h"
#include "support/loaded_run.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// The rules of the errors and warnings of a snippet.
std::vector<std::string> rules_of(const std::string& yaml, std::int64_t world = 8) {
  std::vector<std::string> out;
  const test::LoadedRun run("ici_fsdp_parallelism: -1\n" + yaml, world);
  for (const Finding& finding : run.analysis().findings) {
    if (finding.severity != Severity::note) out.emplace_back(finding.rule->id);
  }
  return out;
}

/// The text after the first fix of a rule's finding; empty without one.
std::string fixed(const std::string& yaml, std::string_view rule, std::int64_t world = 8) {
  const test::LoadedRun run(yaml, world);
  for (const Finding& finding : run.analysis().findings) {
    if (finding.rule->id != rule || finding.fixes.empty()) continue;
    std::vector<TextChange> changes;
    for (const Edit& edit : finding.fixes.front().edits) {
      if (const auto change = text_change(edit)) changes.push_back(*change);
    }
    return apply_changes(yaml, changes);
  }
  return {};
}

TEST(MaxTextWindows, SyntheticDataAreNeverPacked) {
  const std::string ring =
      "model_name: gemma2-9b\nper_device_batch_size: 1\nici_context_parallelism: 2\ncontext_parallel_strategy: ring\n";
  EXPECT_THAT(rules_of(ring), IsEmpty());
  EXPECT_THAT(rules_of(ring + "dataset_type: synthetic\n"), ElementsAre("MX611"));
  EXPECT_THAT(rules_of(ring + "dataset_type: synthetic\npacking: false\n"), ElementsAre("MX611"));
  EXPECT_THAT(rules_of("model_name: gemma2-9b\nper_device_batch_size: 1\nici_context_parallelism: 2\n"
                       "dataset_type: synthetic\n"),
              ElementsAre("MX603"))
      << "the packing itself is refused first";
}

TEST(MaxTextMesh, AxesOfOnesOwnWithoutContext) {
  const std::string axes = "per_device_batch_size: 1\nmesh_axes: [data, fsdp]\n";
  EXPECT_THAT(rules_of(axes), ElementsAre("MX118"));
  EXPECT_THAT(rules_of(axes + "attention: dot_product\n"), IsEmpty());
  EXPECT_THAT(rules_of("per_device_batch_size: 1\nmesh_axes: [data, fsdp, context]\n"), IsEmpty());
}

TEST(MaxTextFixes, AccumulationAndBatchChangeTogether) {
  const std::string head = "ici_fsdp_parallelism: 8\nquantization: fp8\ngradient_accumulation_steps: 4\n";
  EXPECT_EQ(fixed(head + "per_device_batch_size: 2\n", "MX204"),
            "ici_fsdp_parallelism: 8\nquantization: fp8\ngradient_accumulation_steps: 1\nper_device_batch_size: 8\n");
  // The default batch is 12 a device: it gets a line.
  EXPECT_EQ(fixed(head, "MX204"),
            "ici_fsdp_parallelism: 8\nquantization: fp8\ngradient_accumulation_steps: 1\nper_device_batch_size: 48\n");
}

TEST(MaxTextDegreeFixes, LeadToAMeshThatIsFilled) {
  EXPECT_EQ(fixed("ici_fsdp_parallelism: 0\n", "MX101"), "ici_fsdp_parallelism: -1\n");
  EXPECT_EQ(fixed("ici_tensor_parallelism: 0\n", "MX101"), "ici_tensor_parallelism: 1\n");
  EXPECT_EQ(fixed("ici_fsdp_parallelism: 8\nici_tensor_parallelism: 0\n", "MX101"),
            "ici_fsdp_parallelism: 8\nici_tensor_parallelism: 1\n");
}

TEST(MaxTextDegreeHelp, SaysWhatTheProductIs) {
  const auto help = [](const std::string& yaml) {
    std::string out;
    const test::LoadedRun run(yaml, 8);
    for (const Finding& finding : run.analysis().findings) {
      for (const std::string& line : finding.help) out += line + "\n";
    }
    return out;
  };
  EXPECT_THAT(help("ici_fsdp_parallelism: 4\n"), testing::HasSubstr("choose degrees whose product is 8"));
  EXPECT_THAT(help("ici_tensor_parallelism: 3\n"), testing::HasSubstr("choose degrees whose product divides 8"));
}

TEST(MaxTextKeysWithoutEffect, AreTold) {
  const std::string batch = "per_device_batch_size: 1\n";
  for (const std::string key : {"num_pipeline_microbatches: 8", "num_layers_per_pipeline_stage: 3",
                                "pipeline_parallel_layers: 16", "num_pipeline_repeats: 2"}) {
    EXPECT_THAT(rules_of(batch + key + "\n"), ElementsAre("MX311")) << key;
  }
  EXPECT_THAT(rules_of(batch + "num_pipeline_repeats: -1\nnum_layers_per_pipeline_stage: 1\n"), IsEmpty());
  EXPECT_THAT(rules_of(batch + "dcn_diloco_parallelism: -1\n"), IsEmpty());
}

TEST(MaxTextAdvice, TheBatchGrowsWithTheDevices) {
  std::vector<std::string> notes;
  const test::LoadedRun run("ici_fsdp_parallelism: -1\nper_device_batch_size: 4\n", 8);
  for (const Finding& finding : run.analysis().findings) {
    notes.emplace_back(finding.rule->id);
  }
  EXPECT_THAT(notes, Not(Contains("LN901")));
}

}  // namespace
}  // namespace primus_plan
