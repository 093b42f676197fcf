// The table of published measurements, its reader, and the runs that its rows describe.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "primus_plan/estimate/measured.h"

namespace primus_plan {
namespace {

MeasuredRow row_of(const std::string& columns, const std::string& cells) {
  const std::vector<MeasuredRow> rows = read_measured(columns + "\n" + cells + "\n");
  return rows.empty() ? MeasuredRow() : rows[0];
}

constexpr const char* llama =
    "gpus,framework,model,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,swiglu,tp,pp,cp,ep,vpp,dp,fsdp,mbs,gbs,ga,"
    "seq,precision,recompute,opt_shard,schedule,note";

TEST(MeasuredRows, ReadsQuotedCellsAndSkipsUnknownColumns) {
  const auto rows = read_measured("note,other,id,gpus\r\n\"a, \"\"b\"\"\nc\",x,7,8\r\n\r\n,,9,\r\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].note, "a, \"b\"\nc");
  EXPECT_EQ(rows[0].id, "7");
  EXPECT_EQ(rows[0].gpus, 8);
  EXPECT_EQ(rows[1].id, "9");
  EXPECT_EQ(rows[1].gpus, 0);
  EXPECT_TRUE(read_measured("").empty());
}

TEST(MeasuredRows, WhatIsNoSizeCountsAsUnknown) {
  for (const char* cell : {"", "-3", "many", "1e300", "nan", "inf", "99999999999999999999"}) {
    EXPECT_EQ(row_of("gpus", cell).gpus, 0) << cell;
  }
}

TEST(MeasuredRows, NothingInThemBreaksAnEstimate) {
  for (const char* cells :
       {"8,,,2000000000,2000000000,2000000000,2000000000,1,1,1,1,2000000000,2000000000,3,7,9,1,1,1,1,1,1,FP8,full,,,",
        "8,TorchTitan,x,1,1,1,1,1,1,1,1,1,7,1,1,1,1,1,,64,,128,BF16,,fsdp2,Interleaved 1F1B,",
        "0,,,,,,,,,,,,,,,,,,,,,,,,,,"}) {
    const Workload workload = workload_of_row(row_of(llama, cells));
    for (const StageMemory& stage : estimate_memory(workload).stages) {
      EXPECT_TRUE(std::isfinite(stage.device())) << cells;
      EXPECT_GE(stage.device(), 0) << cells;
    }
  }
}

TEST(MeasuredRows, MegatronKeepsPlaceholdersAndSharesTheOptimizer) {
  const Workload w = workload_of_row(row_of(
      llama,
      "64,Megatron-LM,llama3_8b,32,4096,14336,32,8,128,128256,1,2,2,1,1,1,16,0,1,128,8,8192,BF16,none,dist-opt,,"));
  EXPECT_TRUE(w.unknown.empty());
  EXPECT_EQ(w.sharding.state, StateSharding::optimizer);
  EXPECT_EQ(w.sharding.dense_shards, 16);
  EXPECT_TRUE(w.kernels.transformer_engine);
  EXPECT_EQ(w.schedule, ScheduleKind::one_f_one_b);
  ASSERT_EQ(w.run.stages.size(), 2U);
  EXPECT_TRUE(w.run.stages[0][0].embedding);
  EXPECT_TRUE(w.run.stages[1][0].loss);
  EXPECT_EQ(w.run.stages[1][0].first_layer, 16);
  EXPECT_EQ(w.model.padded_vocabulary, 128256);
}

TEST(MeasuredRows, TorchTitanSharesFp32Weights) {
  const Workload w = workload_of_row(
      row_of(llama,
             "512,TorchTitan,llama3_405b,126,16384,53248,128,8,128,128256,1,8,8,1,1,1,8,8,,256,,8192,FP8,full,fsdp2,"
             "Interleaved 1F1B,local batch 32"));
  EXPECT_TRUE(w.unknown.empty());
  EXPECT_EQ(w.sharding.state, StateSharding::weights);
  EXPECT_EQ(w.precision.weights, NumberFormat::fp32);
  EXPECT_EQ(w.schedule, ScheduleKind::interleaved);
  EXPECT_EQ(w.run.degrees.virtual_pipeline, 2);
  EXPECT_EQ(w.run.batch.micro, 2);  // a local batch of 32 in 16 stages
  std::int64_t layers = 0;
  for (const auto& chunks : w.run.stages) {
    for (const StageChunk& chunk : chunks) layers += chunk.layers;
  }
  EXPECT_EQ(layers, 126);
}

TEST(MeasuredRows, SaysWhatIsUnknown) {
  const Workload w = workload_of_row(row_of(llama, "8,MaxText,gemma,,,,,,,,,1,1,,,,8,,20,160,1,,,,,,"));
  EXPECT_FALSE(w.unknown.empty());
  EXPECT_EQ(w.runtime, Runtime::xla);
  EXPECT_FALSE(estimate_of_row(row_of(llama, "8,MaxText,gemma"), w).has_value());
}

TEST(MeasuredRows, EveryPublishedRowDescribesARun) {
  const std::vector<MeasuredRow> rows = read_measured(published_measurements());
  EXPECT_GE(rows.size(), 380U);
  for (const MeasuredRow& row : rows) {
    const Workload w = workload_of_row(row);
    EXPECT_TRUE(!row.complete || w.unknown.empty()) << row.id;
    for (const StageMemory& stage : estimate_memory(w).stages) EXPECT_TRUE(std::isfinite(stage.device())) << row.id;
  }
}

}  // namespace
}  // namespace primus_plan
