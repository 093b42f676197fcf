// report, as a user runs it: pages that are whole, right and light.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/html_page.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

constexpr std::size_t light = 500'000;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string example(const std::string& name) { return (source_dir() / "examples" / name).string(); }

std::vector<std::string> sections_of(const HtmlPage& page) {
  std::vector<std::string> out;
  for_each_element(page.root, [&](const XmlElement& element) {
    if (element.name == "section") out.push_back(element.attributes.at("id"));
  });
  return out;
}

json answer(const std::vector<std::string>& arguments) { return json::parse(run_plan(arguments).out); }

class ReportOfExample : public testing::TestWithParam<const char*> {};

TEST_P(ReportOfExample, IsWellFormedAndItsNumbersAreThoseOfItsJson) {
  const ProcessResult result = run_plan({"report", example(GetParam()), "--no-plan"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_GE(count_figures(page), 60U);
  EXPECT_LT(result.out.size(), light);
}

INSTANTIATE_TEST_SUITE_P(Examples, ReportOfExample,
                         testing::Values("megatron/deepseek_v3-1024gpu.yaml", "megatron/llama3.1_8B-8gpu.yaml",
                                         "megatron/llama3.1_405B-512gpu.yaml",
                                         "torchtitan/llama3.1_70B-hsdp-64gpu.yaml",
                                         "torchtitan/llama3.1_405B-512gpu.yaml", "maxtext/mixtral_8x7B-16gpu.yaml"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(Report, ItsJsonIsThatOfTheCommands) {
  const std::string file = example("megatron/llama3.1_70B-64gpu.yaml");
  const HtmlPage page = read_html_page(run_plan({"report", file}).out);
  EXPECT_EQ(faults_of_page(page), "");
  const json& module = page.data.at("modules").at(0);
  EXPECT_EQ(module.at("check"), answer({"check", file, "--format", "json"}).at("files").at(0));
  EXPECT_EQ(module.at("layout"), answer({"layout", file, "--format", "json"}));
  const json plan = answer({"plan", file, "--format", "json"});
  // Two searches that a watched program is too slow to finish end at two places.
  const bool both_end = plan.at("search").at("complete") && module.at("plan").at("search").at("complete");
  if (patience() == 1 || both_end) {
    EXPECT_EQ(module.at("plan"), plan);
  }
  EXPECT_EQ(module.at("sweeps").at(0), answer({"sweep", file, "--over", "nodes=1,2,4,8,16,32,64", "--format", "json"}));
  json estimate = answer({"estimate", file, "--format", "json"});
  estimate["hardware"]["source"] = module.at("estimate").at("hardware").at("source");  // told in other words
  EXPECT_EQ(module.at("estimate"), estimate);
  const json pipeline = answer({"pipeline", file, "--format", "json"});
  for (const auto& [name, value] : module.at("timeline").items()) {
    if (name == "stages") continue;
    EXPECT_EQ(value, pipeline.at(name)) << name;
  }
  for (std::size_t i = 0; i < pipeline.at("stages").size(); ++i) {
    for (const char* name : {"busy_seconds", "bubble_share", "base_bytes", "peak_bytes"}) {
      EXPECT_EQ(module.at("timeline").at("stages").at(i).at(name), pipeline.at("stages").at(i).at(name)) << name;
    }
  }
}

TEST(Report, HasEverySectionOfAWholeExperiment) {
  const HtmlPage page = read_html_page(run_plan({"report", example("megatron/llama3.1_405B-512gpu.yaml")}).out);
  const std::vector<std::string> all{"findings", "degrees", "ranks",  "memory", "step",
                                     "pipeline", "plans",   "sweeps", "values"};
  EXPECT_EQ(sections_of(page), all);
}

TEST(Report, IsTheSameTwiceAndOnAnyWay) {
  const TemporaryFolder folder;
  const std::string file = folder.write("exp.yaml", good_experiment);
  const ProcessResult first = run_plan({"report", file, "--hardware", "MI300X"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(run_plan({"report", file, "--hardware", "MI300X"}).out, first.out);
  const std::string page = (folder.path() / "page.html").string();
  EXPECT_EQ(run_plan({"report", file, "--hardware", "MI300X", "-o", page}).out, "");
  EXPECT_EQ(read_file(page), first.out);
}

TEST(Report, ShowsTheLineOfAnErrorAndFails) {
  const TemporaryFolder folder;
  const ProcessResult result = run_plan({"report", folder.write("exp.yaml", one_error_experiment), "--no-plan"});
  EXPECT_EQ(result.exit_code, 1);
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_TRUE(contains(result.out, "<mark>33</mark>")) << "the value that is to be edited";
  EXPECT_TRUE(contains(text_of(page.root), "MG203 global-batch-not-divisible"));
  EXPECT_TRUE(contains(result.out, "href=\"#key-global_batch_size\"")) << "and from there to its history";
  EXPECT_TRUE(contains(result.out, "id=\"key-global_batch_size\""));
}

TEST(Report, OfAFileThatCannotBeLoadedSaysWhy) {
  const TemporaryFolder folder;
  const ProcessResult result = run_plan({"report", folder.write("exp.yaml", "modules:\n  trainer: [1, 2\n")});
  EXPECT_EQ(result.exit_code, 1);
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_EQ(sections_of(page), std::vector<std::string>{"findings"});
  EXPECT_EQ(page.data.at("load_errors").size(), 1U);
  EXPECT_EQ(run_plan({"report", (folder.path() / "none.yaml").string()}).exit_code, 2);
}

TEST(Report, OfAFrameworkWithoutACheckerIsNoPass) {
  const TemporaryFolder folder;
  std::string text(good_experiment);
  text.replace(text.find("megatron"), 8, "sglang");
  const ProcessResult result = run_plan({"report", folder.write("exp.yaml", text)});
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_FALSE(contains(result.out, "badge ok"));
}

// The values are read back from the page as they were: nothing of them became markup.
TEST(Report, HostileTextsStayTexts) {
  const TemporaryFolder folder;
  std::string text(one_error_experiment);
  text += "      </script><script>alert(1)</script>: \"</script><img src=x onerror=alert(2)>\"\n";
  text += "      evil_key: \"\\\"><svg/onload=alert(3)> & \\u202e <!-- \\x07\"\n";
  text += "      \"key with \\\"quotes' and <b>\": 1\n";
  text += "# <!-- --> ]]> </style>\n";
  const std::string file = folder.write("<img src=x>\"'&.yaml", text);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"report", file}, std::vector<std::string>{"check", file, "--format", "html"}}) {
    const ProcessResult result = run_plan(command);
    const HtmlPage page = read_html_page(result.out);
    EXPECT_EQ(faults_of_page(page), "");
    for_each_element(page.root, [](const XmlElement& element) {
      EXPECT_NE(element.name, "img");
      for (const auto& [name, value] : element.attributes) EXPECT_FALSE(name.starts_with("on")) << name;
    });
    EXPECT_TRUE(contains(text_of(page.root), "<img src=x>\"'&.yaml")) << "the name as it is";
    EXPECT_FALSE(contains(result.out, "\u202e"));
    EXPECT_FALSE(contains(result.out, "\x07"));
  }
}

TEST(Report, ThousandsOfRanksStayLight) {
  const ProcessResult result = run_plan({"report", example("megatron/deepseek_v3-1024gpu.yaml"), "--no-plan",
                                         "--world-size", "16384", "--set", "global_batch_size=245760"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LT(result.out.size(), light);
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_EQ(page.data.at("modules").at(0).at("map").at("unit"), 8) << "a cell is a node";
  EXPECT_EQ(page.data.at("modules").at(0).at("map").at("cells"), 2048);
}

TEST(Report, DeepPipelinesAreFolded) {
  const ProcessResult result = run_plan(
      {"report", example("megatron/llama3.1_405B-512gpu.yaml"), "--no-plan", "--set", "pipeline_model_parallel_size=64",
       "--set", "decoder_first_pipeline_num_layers=1", "--set", "decoder_last_pipeline_num_layers=1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LT(result.out.size(), light);
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_TRUE(contains(result.out, "32 stages between are not drawn")) << "of 64 stages 31 and the last are";
  EXPECT_TRUE(contains(result.out, "Its beginning and its end are drawn"));
  EXPECT_EQ(page.data.at("modules").at(0).at("timeline").at("stages").size(), 64U) << "the data has them all";
}

TEST(Report, OfTwoModulesKeepsThemApart) {
  const TemporaryFolder folder;
  std::string text(silent_experiment);
  const std::size_t begin = text.find("  pre_trainer:");
  std::string second = text.substr(begin);
  second.replace(second.find("pre_trainer:"), 12, "sft_trainer:");
  const ProcessResult result = run_plan({"report", folder.write("exp.yaml", text + second), "--no-plan"});
  const HtmlPage page = read_html_page(result.out);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_EQ(page.data.at("modules").size(), 2U);
}

TEST(Report, TakesSweepsOfTheUser) {
  const std::string file = example("megatron/llama3.1_8B-8gpu.yaml");
  const HtmlPage page =
      read_html_page(run_plan({"report", file, "--no-plan", "--over", "tp=1,2,4", "--over", "seq=2048,4096"}).out);
  EXPECT_EQ(page.data.at("modules").at(0).at("sweeps").size(), 2U);
  EXPECT_EQ(faults_of_page(page), "");
  EXPECT_EQ(run_plan({"report", file, "--over", "tp"}).exit_code, 2);
}

}  // namespace
}  // namespace primus_plan::test
