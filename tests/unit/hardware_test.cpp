#include "primus_plan/config/hardware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/report/hardware.h"
#include "primus_plan/support/number.h"
#include "support/folder.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

using ::testing::HasSubstr;

std::string complaint(const std::string& spec, const FileReader& files) {
  try {
    find_hardware(spec, files);
  } catch (const HardwareError& error) {
    return error.what();
  }
  return "";
}

TEST(Hardware, SixteenPartsWithEveryNumberThatEstimatesDivideBy) {
  const auto& parts = built_in_hardware();
  EXPECT_EQ(parts.size(), 16U);
  for (const Hardware& part : parts) {
    EXPECT_GT(part.memory_bytes, 0) << part.name;
    EXPECT_GT(part.memory_bytes_per_second, 0) << part.name;
    EXPECT_GT(part.attention_flops, 0) << part.name;
    EXPECT_GT(part.link_bytes_per_second, part.nic_bytes_per_second) << part.name;
    EXPECT_GE(part.gpus_per_domain, part.gpus_per_node) << part.name;
    EXPECT_FALSE(part.sources.empty()) << part.name;
    // What is reached is less than the data sheet says, in every format the part has.
    EXPECT_GT(part.gemm_flops(NumberFormat::bf16), 0) << part.name;
    for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp8, NumberFormat::fp4, NumberFormat::fp32}) {
      if (part.peak_flops(format) <= 0) continue;
      EXPECT_GT(part.gemm_flops(format), 0) << part.name;
      EXPECT_LT(part.gemm_flops(format), part.peak_flops(format)) << part.name;
    }
    EXPECT_LT(part.peak_fp32_flops, part.peak_bf16_flops) << part.name;
  }
}

TEST(Hardware, FormatsThatThePartLacksHaveNoRate) {
  const MemoryFiles files;
  const Precision fp8{.compute = NumberFormat::fp8, .recipe = ScalingRecipe::per_tensor};
  const Precision mxfp8{.compute = NumberFormat::fp8, .recipe = ScalingRecipe::microscaling};
  const Precision fp4{.compute = NumberFormat::fp4, .recipe = ScalingRecipe::microscaling};
  const Hardware a100 = find_hardware("A100", files);
  EXPECT_EQ(a100.peak_flops(NumberFormat::fp8), 0);
  EXPECT_EQ(a100.peak_flops(NumberFormat::fp16), a100.peak_bf16_flops);
  EXPECT_FALSE(a100.computes(fp8));
  EXPECT_FALSE(find_hardware("MI250X", files).computes(fp8));
  for (const char* name : {"H100", "MI300X", "MI325X"}) {
    const Hardware part = find_hardware(name, files);
    EXPECT_TRUE(part.computes(fp8)) << name;
    EXPECT_FALSE(part.computes(mxfp8)) << name;
    EXPECT_FALSE(part.computes(fp4)) << name;
  }
  for (const char* name : {"MI355X", "B200"}) {
    EXPECT_TRUE(find_hardware(name, files).computes(mxfp8)) << name;
    EXPECT_TRUE(find_hardware(name, files).computes(fp4)) << name;
  }
}

TEST(Hardware, Fp32ReachesTheShareOfItsPeakThatBf16Does) {
  const MemoryFiles files;
  const Hardware part = find_hardware("MI300X", files);
  EXPECT_DOUBLE_EQ(part.peak_flops(NumberFormat::fp32), 163.4e12);
  EXPECT_DOUBLE_EQ(part.gemm_flops(NumberFormat::fp32) / part.peak_fp32_flops,
                   part.gemm_bf16_flops / part.peak_bf16_flops);
  EXPECT_LT(part.attention_flops_of(NumberFormat::fp32), part.attention_flops_of(NumberFormat::bf16));
  // A part without a figure has no rate until somebody states one.
  const Precision fp32{.compute = NumberFormat::fp32};
  EXPECT_FALSE(find_hardware("TPU-v5p", files).computes(fp32));
  EXPECT_TRUE(find_hardware("TPU-v5p:peak_fp32_tflops=100", files).computes(fp32));
  EXPECT_TRUE(find_hardware("A100:peak_fp8_tflops=600", files).computes({.compute = NumberFormat::fp8}));
}

TEST(Hardware, NamesIgnoreCaseAndHaveOthers) {
  const MemoryFiles files;
  EXPECT_EQ(find_hardware("mi300x", files).name, "MI300X");
  EXPECT_EQ(find_hardware("a100-80", files).name, "A100-80GB");
  EXPECT_EQ(complaint("MI30X", files), "no hardware is called MI30X; did you mean MI300X?");
  EXPECT_THAT(complaint("abacus", files), HasSubstr("known are A100-40GB"));
}

TEST(Hardware, Changes) {
  const MemoryFiles files;
  const Hardware part = find_hardware("MI300X:nic_gbs=25,hbm_gb=96,fabric=switched", files);
  EXPECT_DOUBLE_EQ(part.nic_bytes_per_second, 25e9);
  EXPECT_NEAR(part.memory_bytes / gib, 95.99, 1e-9);
  EXPECT_EQ(part.fabric, Fabric::switched);
  EXPECT_NEAR(find_hardware("MI300X:hbm_gb=96,memory_gib=90", files).memory_bytes / gib, 90, 1e-9);
  EXPECT_EQ(complaint("MI300X:nic_gb=25", files), "hardware has no field nic_gb; did you mean nic_gbs?");
  EXPECT_THAT(complaint("MI300X:nic_gbs=fast", files), HasSubstr("fast is no number"));
  EXPECT_THAT(complaint("MI300X:nic_gbs=0", files), HasSubstr("no size"));
  EXPECT_THAT(complaint("MI300X:nic_gbs=nan", files), HasSubstr("no size"));
  EXPECT_THAT(complaint("MI300X:nic_gbs=25,hbm_gb", files), HasSubstr("FIELD=NUMBER"));
  EXPECT_THAT(complaint("MI300X:fabric=torus", files), HasSubstr("mesh or switched"));
}

TEST(Hardware, OwnFiles) {
  MemoryFiles files;
  files.put("parts/half.yaml", "base: MI300X\nname: half\nhbm_gb: 96\nsources: [a colleague]\n");
  const Hardware half = find_hardware("parts/half.yaml:nic_gbs=12.5", files);
  EXPECT_EQ(half.name, "half");
  EXPECT_DOUBLE_EQ(half.nic_bytes_per_second, 12.5e9);
  EXPECT_NEAR(half.memory_bytes / gib, 95.99, 1e-9);
  EXPECT_DOUBLE_EQ(half.peak_bf16_flops, 1307.4e12);

  files.put("new.yaml",
            "name: new\nmemory_gib: 100\nhbm_gbs: 4000\npeak_bf16_tflops: 1000\nlink_gbs: 400\nnic_gbs: 50\n");
  EXPECT_GT(find_hardware("new.yaml", files).gemm_flops(NumberFormat::bf16), 0);

  files.put("thin.yaml", "name: thin\nmemory_gib: 100\n");
  EXPECT_EQ(
      complaint("thin.yaml", files),
      "thin.yaml: hbm_gbs (memory bandwidth, GB/s), peak_bf16_tflops (dense peak of the data sheet, TFLOP/s), "
      "link_gbs (one GPU to all others of its domain, one direction, GB/s), nic_gbs (one GPU to other domains, one "
      "direction, GB/s) are missing; base: MI300X would take them from that part");
  files.put("typo.yaml", "base: MI300X\nlink_gb: 3\n");
  EXPECT_THAT(complaint("typo.yaml", files), HasSubstr("did you mean link_gbs"));
  files.put("list.yaml", "- 1\n");
  EXPECT_THAT(complaint("list.yaml", files), HasSubstr("mapping"));
  files.put("broken.yaml", "a: [1\n");
  EXPECT_THAT(complaint("broken.yaml", files), HasSubstr("broken.yaml"));
  EXPECT_THAT(complaint("absent.yaml", files), HasSubstr("absent.yaml"));
}

TEST(Hardware, WhatMakesAFileOfAWord) {
  MemoryFiles files;
  for (const char* name : {"half.json", "half.yml", "half", "MI300X"}) files.put(name, "base: MI300X\nhbm_gb: 96\n");
  files.put("./half", "base: MI300X\nhbm_gb: 96\n");
  for (const char* name : {"half.json", "half.yml", "./half"})
    EXPECT_NEAR(find_hardware(name, files).memory_bytes / gib, 95.99, 1e-9) << name;
  EXPECT_THAT(complaint("half", files), HasSubstr("the file of that name is ./half"));
  EXPECT_NEAR(find_hardware("MI300X", files).memory_bytes / gib, 191.98, 1e-9) << "a file hides no part";
}

/// `primus-plan hardware PART --format json > part.json` is a start for a part of one's own.
TEST(Hardware, TheJsonOfAPartIsAFile) {
  for (const Hardware& part : built_in_hardware()) {
    MemoryFiles files;
    files.put("part.json", hardware_to_json({&part, 1}));
    const Hardware read = find_hardware("part.json", files);
    EXPECT_EQ(hardware_to_json({&read, 1}), hardware_to_json({&part, 1}));
  }
  MemoryFiles files;
  files.put("all.json", hardware_to_json(built_in_hardware()));
  EXPECT_THAT(complaint("all.json", files), HasSubstr("a mapping of fields, or a list of one"));
  files.put("zero.yaml", "base: MI300X\nnic_gbs: 0\n");
  EXPECT_THAT(complaint("zero.yaml", files), HasSubstr("no size"));
}

/// The page lists every field with what it is, and which are needed.
TEST(Hardware, FieldsAreDocumented) {
  const std::string page = test::read_file(test::source_dir() / "docs" / "settings.md");
  for (const HardwareField& field : hardware_fields()) {
    EXPECT_THAT(page, HasSubstr("| `" + std::string(field.name) + "` | " + std::string(field.about) + " | " +
                                (field.needed ? "needed" : "")));
  }
}

TEST(Hardware, PrimusNetworkFiles) {
  MemoryFiles files;
  const std::string text =
      "hardware_config:\n  node_bw: 400.0\n  pod_bw: 50.0\n  nics_per_node: 4\n  node_size: 8\n  node_topology: "
      "\"mesh\"\n";
  files.put("configs/mi300x.yaml", text);
  const Hardware part = find_hardware("configs/mi300x.yaml", files);
  EXPECT_THAT(part.name, HasSubstr("MI300X"));
  EXPECT_DOUBLE_EQ(part.link_bytes_per_second, 400e9);
  EXPECT_DOUBLE_EQ(part.nic_bytes_per_second, 25e9) << "four NICs for eight GPUs";
  files.put("cluster.yaml", text);
  EXPECT_THAT(complaint("cluster.yaml", files), HasSubstr("base: MI300X"));
  files.put("based.yaml", "base: MI355X\n" + text);
  EXPECT_DOUBLE_EQ(find_hardware("based.yaml", files).peak_bf16_flops, 2516.6e12);
}

TEST(Hardware, Hints) {
  EXPECT_EQ(guess_hardware("examples/megatron/configs/MI355X/llama.yaml", "")->name, "MI355X");
  EXPECT_EQ(guess_hardware("a/mi300x-pretrain.yaml", "# for MI325X\n")->from, "its path");
  const auto comment = guess_hardware("a.yaml", "work_group: x\nseq: 1 # tuned on mi325x, 8 GPUs\n");
  ASSERT_TRUE(comment);
  EXPECT_EQ(comment->name, "MI325X");
  EXPECT_EQ(comment->from, "the comment in line 2");
  EXPECT_FALSE(guess_hardware("a.yaml", "exp_name: run_MI300X\n")) << "a value is no comment";
  EXPECT_FALSE(guess_hardware("a.yaml", "# MI300X\n# or MI325X\n"));
  EXPECT_FALSE(guess_hardware("MI300X/MI325X/a.yaml", ""));
  EXPECT_FALSE(guess_hardware("XMI300X2/a.yaml", ""));
}

}  // namespace
}  // namespace primus_plan
