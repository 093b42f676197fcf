// pipeline and the picture of layout, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string example(const std::string& name) { return (source_dir() / "examples" / name).string(); }

std::vector<std::string> pipeline_of(std::vector<std::string> more) {
  std::vector<std::string> out{"pipeline", example("megatron/llama3.1_70B-64gpu.yaml"), "--set",
                               "pipeline_model_parallel_size=4"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

ProcessOptions in_locale(const char* variable) {
  ProcessOptions out;
  out.environment = {{variable, "C"}};
  return out;
}

ProcessOptions unread() {
  ProcessOptions out;
  out.close_output_early = true;
  return out;
}

TEST(PipelineCommand, DrawsEveryStage) {
  const ProcessResult result = run_plan(pipeline_of({"--micro-batches", "8", "--memory"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"of MI300X (the comment in line 2)", "1f1b, 4 stages, 8 micro-batches", "stage 0", "stage 3", "stages idle ",
        "  idle  peak GiB", "▁", "a GPU has 192.0 GiB", "what if: 8 micro-batches"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run_plan(pipeline_of({"--color", "always"})).out, HasSubstr("\x1b[30;48;5;75m"));
}

TEST(PipelineCommand, KeepsToAsciiInAPlainLocale) {
  const ProcessResult result = run_plan(pipeline_of({"--micro-batches", "8", "--memory"}), in_locale("LANG"));
  EXPECT_TRUE(is_ascii(result.out)) << result.out;
  EXPECT_THAT(result.out, HasSubstr("0>"));
  EXPECT_TRUE(is_ascii(
      run_plan({"layout", "--tp", "8", "--world-size", "1024", "--rank", "3", "--picture"}, in_locale("LC_ALL")).out));
}

TEST(PipelineCommand, JsonAgreesWithTheEstimate) {
  const json line = json::parse(run_plan(pipeline_of({"--format", "json"})).out);
  std::vector<std::string> asked = pipeline_of({"--format", "json"});
  asked.front() = "estimate";
  const json estimate = json::parse(run_plan(asked).out);
  ASSERT_EQ(line.at("stages").size(), 4U);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const double peak = line["stages"][rank].at("peak_bytes");
    const double device = estimate.at("memory").at("stages").at(rank).at("device_bytes");
    EXPECT_NEAR(peak / device, 1, 1e-9);
  }
  EXPECT_EQ(line.at("micro_batches"), 256);
  EXPECT_EQ(line.at("events").size(), 4U * 2U * line.at("shown_micro_batches").get<std::size_t>());
  EXPECT_EQ(line.at("events").at(0).at("kind"), "forward");
}

TEST(PipelineCommand, OtherSchedules) {
  EXPECT_THAT(run_plan(pipeline_of({"--schedule", "ZB1P"})).out, HasSubstr("what if: schedule zb1p for 1f1b"));
  EXPECT_THAT(run_plan(pipeline_of({"--from", "1e9"})).out, HasSubstr("nothing runs in that time"));
  struct Case {
    std::vector<std::string> flags;
    const char* said;
  };
  for (const Case& c :
       {Case{{"--schedule", "v-half"}, "two model chunks on each rank, and the run has 1"},
        Case{{"--schedule", "interleaved"}, "several model chunks"},
        Case{{"--schedule", "none"}, "4 stages need a schedule"},
        Case{{"--schedule", "zigzag"}, "must be one of none, gpipe, 1f1b"},
        Case{{"--set", "num_layers_per_virtual_pipeline_stage=10", "--micro-batches", "6"},
             "rounds of the 4 stages, which 6 do not fill"},
        Case{{"--set", "num_layers_per_virtual_pipeline_stage=10", "--micro-batches", "4", "--schedule", "dualpipe-v"},
             "8 half stages"},
        Case{{"--micro-batches", "0"}, "must be a whole number from 1"},
        Case{{"--micro-batches", "-3"}, "must be a whole number from 1"},
        Case{{"--from", "9", "--to", "8"}, "--from must be before --to"},
        Case{{"--from", "nan"}, "must be a number of milliseconds"},
        Case{{"--to", "-1"}, "must be a number of milliseconds"}, Case{{"--hardware", "MI299X"}, "MI299X"},
        Case{{"--shcedule", "zbv"}, "did you mean --schedule"}}) {
    const ProcessResult result = run_plan(pipeline_of(c.flags));
    EXPECT_EQ(result.exit_code, 2) << c.said;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(c.said));
  }
  const ProcessResult single = run_plan({"pipeline", example("megatron/llama3.1_8B-8gpu.yaml"), "--schedule", "zbv"});
  EXPECT_THAT(single.err, HasSubstr("one pipeline stage"));
}

TEST(PipelineCommand, FoldedSchedulesMoveTheSecondChunks) {
  // The loss is on the last rank of an interleaved pipeline, and on the first of a V-shaped one.
  const auto last_chunk = [](const char* schedule) {
    const json line =
        json::parse(run_plan(pipeline_of({"--set", "num_layers_per_virtual_pipeline_stage=10", "--micro-batches", "8",
                                          "--schedule", schedule, "--format", "json"}))
                        .out);
    for (const json& event : line.at("events")) {
      // The micro-batch's backward pass begins where its forward pass ended.
      if (event.at("micro_batch") == 0 && event.at("kind") != "forward") {
        double first = 1e9;
        std::int64_t rank = -1;
        for (const json& other : line.at("events")) {
          if (other.at("micro_batch") != 0 || other.at("kind") == "forward") continue;
          if (other.at("start_seconds") < first) {
            first = other.at("start_seconds");
            rank = other.at("rank");
          }
        }
        return rank;
      }
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(last_chunk("interleaved"), 3);
  EXPECT_EQ(last_chunk("zbv"), 0);
}

TEST(PipelineCommand, TheLastOfVeryManyMicroBatchesHasItsNumber) {
  const ProcessResult result =
      run_plan(pipeline_of({"--micro-batches", "9000", "--set", "pipeline_model_parallel_size=2"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("8999<"));
}

TEST(PipelineCommand, AllTheTimeOrAPartOfIt) {
  EXPECT_EQ(run_plan(pipeline_of({"--whole"})).exit_code, 0);
  for (const char* flag : {"--from", "--to"}) {
    const ProcessResult result = run_plan(pipeline_of({"--whole", flag, "100"}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--whole draws all the time"));
  }
}

TEST(PipelineCommand, RunsThatCannotBeDrawn) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_plan({"pipeline", (folder.path() / "none.yaml").string()}).exit_code, 2);
  EXPECT_EQ(run_plan({"pipeline", folder.write("bad.yaml", "a: [")}).exit_code, 1);
  EXPECT_EQ(run_plan(pipeline_of({"--world-size", "7"})).exit_code, 1) << "the degrees do not fit";
  const ProcessResult single =
      run_plan({"pipeline", folder.write("exp.yaml", good_experiment), "--hardware", "MI300X"});
  EXPECT_EQ(single.exit_code, 0) << single.err;
  EXPECT_THAT(single.out, HasSubstr("1 stage"));
}

TEST(PipelineCommand, AClosedPipeIsNoTrouble) {
  const ProcessResult result = run_plan(pipeline_of({"--format", "json"}), unread());
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.signal == SIGPIPE || result.exit_code == 0) << result.exit_code;
}

TEST(LayoutPictureCommand, IsTextForPeople) {
  const std::vector<std::string> degrees{"layout", "--tp", "4", "--pp", "2", "--world-size", "32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), degrees.begin(), degrees.end());
    return run_plan(more);
  };
  EXPECT_THAT(with({}).out, Not(HasSubstr("tp0 dp0"))) << "a pipe gets the table";
  EXPECT_THAT(with({"--picture"}).out, HasSubstr("node 0 (0-7)   pp0  tp0 dp0 tp1 dp0"));
  EXPECT_THAT(with({"--picture"}).out, HasSubstr("group ")) << "and which groups cross nodes";
  EXPECT_THAT(with({"--by", "pp"}).out, HasSubstr("tp0 dp0 @0"));
  EXPECT_THAT(with({"--picture", "--color", "always"}).out, HasSubstr("colours: tp groups; 8 groups of 4 ranks"));
  EXPECT_THAT(with({"--rank", "13", "--picture"}).out, HasSubstr("[13]"));
  EXPECT_THAT(with({"--rank", "13"}).out, Not(HasSubstr("[13]")));
  EXPECT_EQ(with({"--by", "pq"}).exit_code, 2);
  EXPECT_THAT(with({"--by", "expert_dq"}).err, HasSubstr("did you mean expert_dp?"));
  EXPECT_EQ(with({"--picture", "--table"}).exit_code, 2);
  EXPECT_EQ(with({"--by", "tp", "--format", "json"}).exit_code, 2);
}

TEST(LayoutPictureCommand, ThousandsOfRanksStayReadable) {
  const ProcessResult result = run_plan({"layout", "--tp", "8", "--pp", "16", "--world-size", "16384", "--picture"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nodes 1 to 127: the same with dp 1-127"));
  EXPECT_LT(std::count(result.out.begin(), result.out.end(), '\n'), 60);
  const ProcessResult peers =
      run_plan({"layout", "--tp", "8", "--pp", "16", "--world-size", "16384", "--rank", "9000", "--by", "dp"});
  EXPECT_THAT(peers.out, HasSubstr("[9000]"));
  EXPECT_LT(std::count(peers.out.begin(), peers.out.end(), '\n'), 60);
}

}  // namespace
}  // namespace primus_plan::test
