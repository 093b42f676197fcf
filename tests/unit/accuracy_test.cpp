#include "primus_plan/estimate/accuracy.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "primus_plan/report/accuracy.h"

namespace primus_plan {
namespace {

using testing::HasSubstr;

constexpr const char* header =
    "id,gpu,gpus,framework,model,layers,hidden,heads,vocab,tp,pp,mbs,gbs,seq,precision,iter_s";

std::string fault(const std::string& csv) { return fault_of_measured(csv).value_or(""); }
std::string table(const std::string& rows) { return std::string(header) + "\n" + rows; }

const Accuracy& published() {
  static const Accuracy accuracy = measure_accuracy(read_measured(published_measurements()));
  return accuracy;
}

std::size_t rows_of(const AccuracySection& section) {
  return std::accumulate(section.groups.begin(), section.groups.end(), std::size_t{0},
                         [](std::size_t sum, const AccuracyGroup& group) { return sum + group.errors.count; });
}

TEST(Accuracy, EveryComparisonIsInEachSectionOnce) {
  const Accuracy& a = published();
  EXPECT_EQ(rows_of(a.memory) + rows_of(a.step), a.comparisons.size());
  EXPECT_EQ(rows_of(a.hardware), rows_of(a.step));
  EXPECT_EQ(rows_of(a.framework), rows_of(a.step));
  EXPECT_GT(rows_of(a.memory), 50U);
  EXPECT_GT(rows_of(a.step), 350U);
}

TEST(Accuracy, GroupsThatHaveMostRowsComeFirst) {
  for (const AccuracySection* section : {&published().memory, &published().hardware, &published().framework}) {
    ASSERT_FALSE(section->groups.empty());
    for (std::size_t i = 1; i < section->groups.size(); ++i) {
      EXPECT_GE(section->groups[i - 1].errors.count, section->groups[i].errors.count) << section->title;
    }
  }
}

TEST(Accuracy, MeetsItsTargetsOnPublishedRows) {
  for (const AccuracyGroup& group : published().step.groups) {
    EXPECT_LE(group.errors.median, group.name == "dense" ? 0.08 : 0.15) << group.name;
  }
  EXPECT_GE(published().median_correlation, 0.9);
}

TEST(MeasuredFault, TheLargestNumberIsOne) {
  EXPECT_EQ(fault(table("1,H100,2000000000,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n")), "");
  EXPECT_NE(fault(table("1,H100,2000000001,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n")), "");
}

TEST(Accuracy, SaysWhyAFigureIsLeftOut) {
  const Accuracy a = measure_accuracy(read_measured(table(
      "1,XPU9,8,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n2,H100,8,Megatron-LM,m,,,,,1,1,1,8,128,BF16,1\n")));
  EXPECT_TRUE(a.comparisons.empty());
  ASSERT_EQ(a.left_out.size(), 2U);
  for (const LeftOut& left : a.left_out) EXPECT_FALSE(left.reason.empty());
  EXPECT_THAT(a.left_out[1].reason, HasSubstr("model dimensions"));
}

TEST(Accuracy, WidthsThatFollowAreTakenAndOthersMissed) {
  const std::string columns =
      "gpu,gpus,framework,model,layers,hidden,ffn,heads,vocab,tp,pp,mbs,gbs,seq,precision,iter_s,mem_gib,swiglu";
  const auto row = [](const char* ffn) {
    return fmt::format("\nH100,8,Megatron-LM,m,32,4096,{},32,128256,1,1,1,128,8192,BF16,14,60,1", ffn);
  };
  const Accuracy a = measure_accuracy(read_measured(columns + row("14336") + row("")));
  EXPECT_EQ(a.comparisons.size(), 2U);
  ASSERT_EQ(a.left_out.size(), 2U);
  EXPECT_EQ(a.left_out[0].reason, "not stated: feed-forward width");
  // The same with the heads' width and the number of key heads said.
  const Accuracy said = measure_accuracy(read_measured(columns + ",head_dim,kv_heads" + row("14336") + ",128,32"));
  ASSERT_EQ(said.comparisons.size(), 2U);
  EXPECT_DOUBLE_EQ(said.comparisons[0].expected, a.comparisons[0].expected);
  EXPECT_DOUBLE_EQ(said.comparisons[1].expected, a.comparisons[1].expected);
}

TEST(Accuracy, RowsInFormatsThatThePartLacksAreLeftOut) {
  const Accuracy a = measure_accuracy(
      read_measured("gpu,gpus,framework,model,layers,hidden,ffn,heads,vocab,tp,pp,mbs,gbs,seq,precision,iter_s\n"
                    "A100,8,Megatron-LM,m,32,4096,14336,32,128256,1,1,1,128,8192,FP8,14\n"));
  ASSERT_EQ(a.left_out.size(), 1U);
  EXPECT_EQ(a.left_out[0].reason, "A100-80GB does not compute in fp8");
}

TEST(Accuracy, TakesAStepFromAThroughput) {
  const std::vector<MeasuredRow> rows = read_measured(
      "gpu,gpus,framework,model,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,swiglu,tp,pp,mbs,gbs,seq,precision,"
      "complete,tok_s_gpu\nH100,8,Megatron-LM,m,32,4096,14336,32,8,128,128256,1,1,1,1,128,8192,BF16,1,10000\n");
  const Accuracy a = measure_accuracy(rows);
  ASSERT_EQ(a.comparisons.size(), 1U);
  EXPECT_DOUBLE_EQ(a.comparisons[0].measured, 128 * 8192 / (10000.0 * 8));
}

TEST(Accuracy, ReportsOfNothingAreWhole) {
  const Accuracy nothing = measure_accuracy({});
  EXPECT_THAT(accuracy_to_text(nothing, "t.csv", {}), HasSubstr("0 rows"));
  EXPECT_EQ(accuracy_to_markdown(nothing, {}), "");
  EXPECT_THAT(accuracy_to_json(nothing, "t.csv"), HasSubstr("\"comparisons\""));
}

TEST(MeasuredTable, ThePublishedOneHasNoFault) { EXPECT_EQ(fault(std::string(published_measurements())), ""); }

TEST(MeasuredTable, FaultsAreSentencesWithTheLine) {
  const std::string good = "1,H100,8,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n";
  EXPECT_EQ(fault(table(good)), "");
  EXPECT_EQ(fault("\xef\xbb\xbf" + table(good)), "");
  EXPECT_THAT(fault(""), HasSubstr("lacks the columns gpu, gpus"));
  EXPECT_THAT(fault("a,b\n1,2\n"), HasSubstr("lacks the columns"));
  EXPECT_THAT(fault(table("")), HasSubstr("no rows"));
  EXPECT_THAT(fault(table(good + "2,H100\n")), HasSubstr("line 3: 2 cells under 16 columns"));
  EXPECT_THAT(fault(table("1,H100,1e300,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n")),
              HasSubstr("line 2: gpus is 1e300"));
  EXPECT_THAT(fault(table("1,H100,8x,Megatron-LM,m,2,128,2,1000,1,1,1,8,128,BF16,1\n")), HasSubstr("gpus is 8x"));
  EXPECT_THAT(fault(table("1,\"H100,8,Megatron-LM\n")), HasSubstr("never closed"));
  EXPECT_THAT(fault("\"" + table(good)), HasSubstr("never closed"));
  EXPECT_THAT(fault("gpu," + table("H100," + good)), HasSubstr("twice"));
  std::string without = header;
  without.replace(without.find("iter_s"), 6, "nothing");
  EXPECT_THAT(fault(without + "\n" + good), HasSubstr("nothing to compare"));
}

}  // namespace
}  // namespace primus_plan
