// Which files of a folder are experiments: by their keys, however YAML writes them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

/// bad_experiment as a mapping in braces.
std::string braces() {
  return R"({"work_group": "g", "user_name": "u", "exp_name": "e", "workspace": "w", "modules": {"pre_trainer": )"
         R"({"framework": "megatron", "config": "pre_trainer.yaml", "model": "llama3_8B.yaml", "overrides": )"
         R"({"tensor_model_parallel_size": 2, "micro_batch_size": 2, "global_batch_size": 33}}}})";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string indented(const std::string& text) { return "  " + with(text, "\n", "\n  ") + "\n"; }

std::string plain_braces() { return with(braces(), "\"", ""); }

class RootKeys : public testing::Test {
 protected:
  /// What `check` says of the folder that holds this text alone.
  ProcessResult check_folder(const std::string& text) {
    const TemporaryFolder folder;
    folder.write("exp/e.yaml", text);
    return run_plan({"check", "exp", "--world-size", "8", "--format", "concise"}, {.folder = folder.path().string()});
  }
};

TEST_F(RootKeys, AreFoundInEveryFormOfYaml) {
  const std::string bad(bad_experiment);
  const std::string broken_only = "modules:\n  pre_trainer: [\n";
  for (const std::string& text : {braces(),
                                  braces() + "\n",
                                  plain_braces(),
                                  with(plain_braces(), "modules:", "'modules':"),
                                  "--- " + braces(),
                                  "--- !!map " + braces(),
                                  "%YAML 1.1\n---\n" + braces(),
                                  "# JSON\n\n" + braces(),
                                  "{" + with(braces().substr(1), ", ", ",\n"),
                                  "{ # it's a comment {\n" + braces().substr(1),
                                  R"({"note": "a } and \" {", 'it''s': 'x''}', plain: it's, )" + braces().substr(1),
                                  indented(bad),
                                  "---\n" + indented(bad),
                                  "--- !!map\n" + bad,
                                  "--- &r # root\n" + indented(bad),
                                  with(bad, "\n", "\r"),
                                  with(bad, "\n", "\r\n"),
                                  with(bad, "\n", "\xC2\x85"),
                                  "\xEF\xBB\xBF" + indented(bad),
                                  with(bad, "modules:", "!!str modules:"),
                                  with(bad, "modules:", "&m modules:"),
                                  with(bad, "modules:", "\"modules\" :")}) {
    const ProcessResult result = check_folder(text);
    EXPECT_EQ(result.exit_code, 1) << text << result.err;
    EXPECT_NE(result.out.find("MG203"), std::string::npos) << text << result.out << result.err;
  }
  // Broken ones are told, too.
  for (const std::string& text : std::vector<std::string>{
           broken_only, indented(broken_only), "? modules\n: [\n", braces() + "}",
           braces().substr(0, braces().size() - 2), with(bad, "\n", "\xE2\x80\xA8"), "{a: [\n" + bad, "  " + bad}) {
    EXPECT_EQ(check_folder(text).exit_code, 1) << text;
  }
}

TEST_F(RootKeys, OfOtherYamlAreNone) {
  for (const char* text :
       {"a:\n  modules:\n    b: 1\n", "  a:\n    modules: 1\n", "{a: {modules: 1, extends: x}, b: [modules: 2]}",
        "{a: 'modules: 1', b: \"\\\", modules: \", c: x modules}", "{my_modules: 1, modules_x: 2, xmodules: {}}",
        "# modules:\na: 1\n", "a: |\n  modules:\n  work_group:\n  user_name:\n", "- modules: 1\n- extends: x\n",
        "--- |\n modules: 1\n", "{a: 1} # modules: 2\n", "a: 1\n---\n{b: {modules: 1}}\n", "{{ modules: 1 }}", "{",
        "\n", "tensor_model_parallel_size: 2\n", "workspace: w\n---\nworkspace: w\n"}) {
    const ProcessResult result = check_folder(text);
    EXPECT_EQ(result.exit_code, 2) << text << result.out;
    EXPECT_NE(result.err.find("no experiment found"), std::string::npos) << text << result.err;
  }
}

/// Braces that never end are looked through once, however many there are.
TEST_F(RootKeys, OfManyOpenBracesAreReadInNoTime) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "--- {\n";
  const auto start = std::chrono::steady_clock::now();
  check_folder(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10 * patience()));
}

TEST_F(RootKeys, OfALinkToModulesElsewhere) {
  const TemporaryFolder folder;
  folder.write("bases/base.yaml", bad_experiment);
  for (const char* text : {"{extends: ../bases/base.yaml}", "  extends:\n    - ../bases/base.yaml\n",
                           "{\"extends\": [\"../bases/base.yaml\"]}"}) {
    folder.write("exp/e.yaml", text);
    const ProcessResult result = run_plan({"check", "--only-experiments", "exp/e.yaml", "--world-size", "8"},
                                          {.folder = folder.path().string()});
    EXPECT_EQ(result.exit_code, 1) << text << result.out << result.err;
  }
}

}  // namespace
}  // namespace primus_plan::test
