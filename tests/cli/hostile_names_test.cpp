// Names, keys and values made to steer terminals, pages and CI logs stay text in every command and format.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

constexpr const char* hostile_name = "e\x1b]0;title\x07\x1b[31m|<script>`::error::%0A]]>\xe2\x80\xae.yaml";

constexpr const char* hostile_experiment = R"(# primus-plan: world-size=8
work_group: "\e]0;title\a::error::x"
user_name: "\e[31m<script>alert(1)</script>"
exp_name: "a\r\n::error::x \u202e ]]> | `y`"
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: llama2_7B.yaml
    overrides:
      tensor_model_parallel_size: 2
      "key\e[31m\a": 1
      "::error::k|<script>`": "\e[2J"
      global_batch_size: 33
      micro_batch_size: 2
      fp8: "\e[31m<b>]]>|"
      recompute_granularity: "::error::%0A\e[1m"
      tokenizer_type: "\u009b31m\u2028"
      pipeline_model_parallel_layout: "\e[33mEt"
)";

/// What could steer a terminal, made visible; empty when there is nothing.
std::string steering(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    const bool c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (control || c1 || text.compare(i, 3, "\xe2\x80\xae") == 0) return text.substr(i > 60 ? i - 60 : 0, 100);
  }
  return {};
}

std::string with_key(std::string experiment, const std::string& line) {
  return experiment.insert(experiment.find("      global_batch_size"), line);
}

TEST(HostileNames, ReachNoTerminalRaw) {
  const TemporaryFolder folder;
  const std::string path = folder.write(hostile_name, hostile_experiment);
  const std::string legal = folder.write(std::string("legal") + hostile_name,
                                         "# primus-plan: world-size=8\ntensor_model_parallel_size: 2\n"
                                         "\"key\\e[31m\": \"\\e[2J\"\n");
  for (const std::string& file : {path, legal}) {
    for (const std::vector<std::string>& command : {
             std::vector<std::string>{"check", file},
             {"check", file, "--verbose"},
             {"check", folder.path().string(), "--verbose"},
             {"check", file, "--fix-unsafe", "--diff"},
             {"check", file, "--statistics"},
             {"resolve", file},
             {"resolve", file, "--origins"},
             {"layout", file},
             {"pipeline", file},
             {"why", file, "fp8"},
             {"why", file, "no\x1b[31m such key"},
             {"what-if", file, "--set", "micro_batch_size=1"},
             {"plan", file, "--gpus", "8"},
             {"estimate", file},
             {"translate", file, "--to", "torchtitan"},
             {"translate", file, "--to", "maxtext"},
             {"advise", file},
             {"sweep", file, "--over", "global_batch_size=32,64"},
             {"diff", file, path},
             {"config", "show", file},
             {"explain", "no\x1b[31m such rule"},
             {"check", "no\x1b[31m such file"},
         }) {
      const ProcessResult result = run_plan(command);
      EXPECT_EQ(result.signal, 0) << command[0];
      EXPECT_EQ(steering(result.out), "") << command[0] << " " << command.back();
      EXPECT_EQ(steering(result.err), "") << command[0] << " " << command.back();
    }
  }
}

TEST(HostileNames, StayTextInEveryFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.write(hostile_name, hostile_experiment);
  for (const char* format : {"concise", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown", "html"}) {
    const ProcessResult result = run_plan({"check", path, "--format", format});
    EXPECT_EQ(result.exit_code, 1) << format;
    EXPECT_EQ(steering(result.out), "") << format;
    if (std::string(format) == "github") {
      for (std::size_t at = 0; at < result.out.size(); at = result.out.find('\n', at) + 1) {
        const std::string_view line = std::string_view(result.out).substr(at);
        const bool ours = line.starts_with("::error file=") || line.starts_with("::warning file=") ||
                          line.starts_with("::notice") || line.starts_with("primus-plan: ");
        EXPECT_TRUE(ours) << line.substr(0, 100);
        if (result.out.find('\n', at) == std::string::npos) break;
      }
    }
    if (std::string(format) == "junit" || std::string(format) == "markdown" || std::string(format) == "html") {
      // In a code fence of Markdown nothing is markup.
      const std::string outside = result.out.substr(0, result.out.find("```"));
      EXPECT_EQ(outside.find("<script>`"), std::string::npos) << format;
      EXPECT_EQ(outside.find("<b>]]>"), std::string::npos) << format;
    }
  }
}

// GitHub's runner obeys lines that begin with "::", and "##[" anywhere in a line.
TEST(HostileNames, CommandNothingInTheLogOfGitHub) {
  const TemporaryFolder folder;
  const std::string name = "::error::x.yaml";
  folder.write(name, with_key(std::string(hostile_experiment), "      \"##[error]k\": 1\n"));
  const ProcessOptions in_actions{.environment = {{"GITHUB_ACTIONS", "true"}}, .folder = folder.path().string()};
  for (const std::vector<std::string>& command : {
           std::vector<std::string>{"check", name, "--format", "text"},
           {"check", name, "--format", "concise"},
           {"check", name, "--statistics"},
           {"why", name, "::error::k|<script>`"},
           {"diff", name, name, "--set-b", "fp8=hybrid"},
           {"diff", name, name, "--set", "::error::k|<script>`=3"},
           {"diff", name + "@main", name},
           {"layout", name},
           {"estimate", name},
           {"config", "show", name},
           {"check", "::warning::y.yaml"},
           {"resolve", name + name},
       }) {
    const ProcessResult result = run_plan(command, in_actions);
    EXPECT_EQ(result.signal, 0);
    for (const std::string& text : {result.out, result.err}) {
      EXPECT_EQ(text.find("##["), std::string::npos) << command[0] << "\n" << text;
      for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size() - 1);
        EXPECT_NE(text.substr(first, 2), "::") << command[0] << " " << text.substr(at, 100);
      }
    }
  }
  const ProcessResult shown = run_plan({"check", name, "--format", "concise"}, in_actions);
  EXPECT_EQ(shown.out.substr(0, 18), "\\x3a:error::x.yaml") << shown.out;
  const ProcessResult elsewhere = run_plan({"check", name, "--format", "concise"}, {.folder = folder.path().string()});
  EXPECT_EQ(elsewhere.out.substr(0, 15), name) << elsewhere.out;
}

}  // namespace
}  // namespace primus_plan::test
