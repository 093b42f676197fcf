// What the language server answers: hover, definition, completion, quick fixes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lsp/outline.h"
#include "support/editor.h"
#include "support/experiments.h"

namespace primus_plan::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* file = "/work/exp.yaml";

const std::string head =
    "# primus-plan: world-size=8\nwork_group: team\nuser_name: user\nexp_name: small\nworkspace: ./output\nmodules:\n"
    "  pre_trainer:\n";

std::string hover_text(Editor& editor, int line, int character) {
  const Json hover = editor.ask_at("textDocument/hover", "hover", file, line, character);
  return hover.is_null() ? std::string() : hover["contents"]["value"].get<std::string>();
}

std::set<std::string> labels(const Json& items) {
  std::set<std::string> out;
  for (const Json& item : items) out.insert(item["label"]);
  return out;
}

/// The labels at the "|" of a text.
std::set<std::string> completed(const std::string& marked, const std::string& path = file) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  const Cursor cursor(marked);
  editor.open(path, cursor.text);
  return labels(editor.ask_at("textDocument/completion", "completion", path, cursor.line, cursor.character));
}

TEST(LspHover, TellsValueOriginsAndTheCataloguesWords) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, std::string(silent_experiment));
  EXPECT_THAT(hover_text(editor, 11, 10),
              AllOf(HasSubstr("tensor_model_parallel_size = 2  (pre_trainer, megatron)"), HasSubstr("model preset"),
                    HasSubstr("/work/exp.yaml:12:35"), HasSubstr("- type: `integer"), HasSubstr("- elsewhere: `")));
  EXPECT_THAT(hover_text(editor, 11, 35), HasSubstr("tensor_model_parallel_size = 2")) << "on the value, too";
  EXPECT_EQ(hover_text(editor, 11, 2), "") << "before the key";
  EXPECT_THAT(hover_text(editor, 3, 2), AllOf(HasSubstr("exp_name = small"), HasSubstr("Name of the run")));
  EXPECT_THAT(hover_text(editor, 9, 6), HasSubstr("model = llama3_8B.yaml"));
  EXPECT_THAT(hover_text(editor, 6, 4), AllOf(HasSubstr("**pre_trainer**: ok"), HasSubstr("DP 4")));
  EXPECT_EQ(hover_text(editor, 0, 4), "");
}

TEST(LspHover, SpeaksOfTheModulesOwnFramework) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, head +
                        "    framework: maxtext\n    config: pre_trainer.yaml\n    model: llama3_8B.yaml\n"
                        "    overrides:\n      steps: 10\n      max_target_length: 2048\n");
  EXPECT_THAT(hover_text(editor, 12, 8), AllOf(HasSubstr("max_target_length = 2048"), HasSubstr("- type: `integer")));
}

TEST(LspHover, DocumentsKeysOfFilesThatDoNotLoad) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, head + "    framework: megatron\n    overrides:\n      seq_length: [8192\n");
  EXPECT_THAT(hover_text(editor, 9, 8), AllOf(HasSubstr("**seq_length**"), HasSubstr("- type: `integer")));
}

TEST(LspDefinition, OfBuiltInPresetsHasNoFile) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, std::string(silent_experiment));
  for (const int line : {8, 9, 11}) {
    EXPECT_EQ(editor.ask_at("textDocument/definition", "definition", file, line, 12), nullptr) << line;
  }
}

TEST(LspDefinition, IsThePresetLineThatTheExperimentOverrides) {
  PlainWorkspace workspace;
  workspace.root = "/primus";
  const std::string configs = "/primus/primus/configs/";
  workspace.disk.put(configs + "modules/megatron/pre_trainer.yaml", "stage: pretrain\nseq_length: 4096\n");
  workspace.disk.put(configs + "platforms/platform_azure.yaml",
                     "name: azure\nnum_nodes_env_key: NNODES\nnode_rank_env_key: NODE_RANK\n"
                     "master_addr_env_key: MASTER_ADDR\nmaster_port_env_key: MASTER_PORT\n"
                     "gpus_per_node_env_key: GPUS_PER_NODE\nworkspace: ./output\n");
  workspace.disk.put(configs + "models/megatron/tiny.yaml", "# a model\nnum_layers: 4\nhidden_size: 512\n");
  Editor editor(workspace);
  editor.open(file, head +
                        "    framework: megatron\n    config: pre_trainer.yaml\n    model: tiny.yaml\n    overrides:\n"
                        "      seq_length: 2048\n      hidden_size: 1024\n      micro_batch_size: 1\n");
  const auto place = [&](int line) {
    const Json at = editor.ask_at("textDocument/definition", "definition", file, line, 10);
    return at.is_null() ? std::string() : at["uri"].get<std::string>() + ":" + at["range"]["start"]["line"].dump();
  };
  EXPECT_EQ(place(11), "file://" + configs + "modules/megatron/pre_trainer.yaml:1");
  EXPECT_EQ(place(12), "file://" + configs + "models/megatron/tiny.yaml:2");
  EXPECT_EQ(place(13), "") << "nobody else sets it";
  EXPECT_EQ(place(8), "file://" + configs + "modules/megatron/pre_trainer.yaml:0");
  EXPECT_EQ(place(9), "file://" + configs + "models/megatron/tiny.yaml:0");
}

TEST(LspCompletion, OffersTheKeysOfEachPlace) {
  EXPECT_THAT(completed("work_group: team\n|"), AllOf(Contains("modules"), Contains("exp_name"),
                                                      Not(Contains("work_group")), Not(Contains("seq_length"))));
  EXPECT_EQ(completed(head + "    framework: megatron\n  |"), (std::set<std::string>{"post_trainer"}));
  EXPECT_THAT(completed(head + "    framework: megatron\n    |"),
              AllOf(Contains("config"), Contains("model"), Contains("overrides"), Not(Contains("framework"))));
  EXPECT_THAT(
      completed(head + "    framework: megatron\n    overrides:\n      micro_batch_size: 1\n      |"),
      AllOf(Contains("tensor_model_parallel_size"), Contains("use_turbo_attention"), Not(Contains("micro_batch_size")),
            Not(Contains("ici_tensor_parallelism")), Not(Contains("LEGACY_GG"))));
  EXPECT_THAT(completed(head + "    framework: maxtext\n    overrides:\n      |"),
              AllOf(Contains("ici_tensor_parallelism"), Not(Contains("tensor_model_parallel_size"))));
}

TEST(LspCompletion, KnowsTorchTitansSections) {
  const std::string titan = head + "    framework: torchtitan\n    overrides:\n";
  EXPECT_THAT(completed(titan + "      |"),
              AllOf(Contains("parallelism"), Contains("training"), Not(Contains("tensor_parallel_degree"))));
  EXPECT_THAT(completed(titan + "      parallelism:\n        |"),
              AllOf(Contains("tensor_parallel_degree"), Not(Contains("training"))));
  EXPECT_EQ(completed(titan + "      activation_checkpoint:\n        mode: |"),
            (std::set<std::string>{"selective", "full", "memory_budget", "none"}));
}

TEST(LspCompletion, KnowsSnippetsAndPresets) {
  EXPECT_THAT(completed("# primus-plan: world-size=8\nmicro_batch_size: 1\nglobal|"), Contains("global_batch_size"));
  EXPECT_THAT(completed("parallelism:\n  tensor_parallel_degree: 2\n  pipe|"), Contains("pipeline_parallel_degree"));
  EXPECT_THAT(completed("num_l|", "/primus/configs/models/megatron/new.yaml"), Contains("num_layers"));
  EXPECT_THAT(completed("services:\n  |"), IsEmpty());
}

TEST(LspCompletion, OffersValues) {
  const std::string megatron = head + "    framework: megatron\n    overrides:\n";
  EXPECT_EQ(completed(megatron + "      sequence_parallel: |"), (std::set<std::string>{"true", "false"}));
  EXPECT_EQ(completed(megatron + "      sequence_parallel: t|"), (std::set<std::string>{"true"}));
  EXPECT_THAT(completed(megatron + "      recompute_granularity: |"), AllOf(Contains("full"), Contains("selective")));
  EXPECT_THAT(completed(megatron + "      seq_length: |"), IsEmpty());
  EXPECT_THAT(completed(megatron + "      sequence_parallel:|"), IsEmpty()) << "a value needs a space before it";
  EXPECT_THAT(completed(megatron + "      seq_length: 1 # of |"), IsEmpty());
  EXPECT_THAT(completed(head + "    framework: |"), Contains("torchtitan"));
  EXPECT_THAT(completed(head + "    framework: megatron\n    model: |"), Contains("llama3_8B.yaml"));
  EXPECT_THAT(completed(head + "    framework: torchtitan\n    model: llama|"),
              AllOf(Contains("llama3.1_8B-fp8.yaml"), Not(Contains("qwen3_14b.yaml"))));
}

TEST(LspCompletion, ReplacesWhatStandsThere) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  const Cursor cursor(head + "    framework: megatron\n    overrides:\n      tensor_model|\n");
  editor.open(file, cursor.text);
  const Json items = editor.ask_at("textDocument/completion", "completion", file, cursor.line, cursor.character);
  const auto item = std::find_if(items.begin(), items.end(),
                                 [](const Json& one) { return one["label"] == "tensor_model_parallel_size"; });
  ASSERT_NE(item, items.end());
  EXPECT_EQ((*item)["textEdit"]["newText"], "tensor_model_parallel_size: ");
  EXPECT_EQ((*item)["textEdit"]["range"]["start"]["character"], 6);
  EXPECT_EQ((*item)["textEdit"]["range"]["end"]["character"], 18);
  EXPECT_THAT((*item)["detail"].get<std::string>(), HasSubstr("integer"));
  const Json resolved = editor.ask("completionItem/resolve", "item", *item);
  EXPECT_THAT(resolved["documentation"]["value"].get<std::string>(), HasSubstr("- type: `integer"));
}

TEST(LspCompletion, StaysQuietWhileSomebodyIndents) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  const Cursor cursor(head + "    framework: megatron\n    overrides:\n      |");
  editor.open(file, cursor.text);
  Json params = Editor::at(file, cursor.line, cursor.character);
  params["context"] = {{"triggerKind", 2}, {"triggerCharacter", " "}};
  EXPECT_EQ(editor.ask("textDocument/completion", "completion", params), Json::array());
}

/// The text after the edits of an action; ASCII only.
std::string applied(const Json& action, std::string text) {
  const Json edits = action["edit"]["changes"][Editor::uri(file)];
  EXPECT_EQ(edits.size(), 1U);
  const auto offset = [&](const Json& at) {
    std::size_t line = 0;
    for (int i = 0; i < at["line"].get<int>(); ++i) line = text.find('\n', line) + 1;
    return line + at["character"].get<std::size_t>();
  };
  const std::size_t begin = offset(edits[0]["range"]["start"]);
  const std::size_t end = offset(edits[0]["range"]["end"]);
  return text.replace(begin, end - begin, edits[0]["newText"].get<std::string>());
}

Json actions_at(Editor& editor, int line) {
  const Json place = {{"line", line}, {"character", 8}};  // on the key
  return editor.ask("textDocument/codeAction", "actions",
                    {{"textDocument", {{"uri", Editor::uri(file)}}},
                     {"range", {{"start", {{"line", line}, {"character", 0}}}, {"end", place}}},
                     {"context", {{"diagnostics", Json::array()}}}});
}

TEST(LspActions, AreTheFixesOfFindings) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  const std::string text(one_error_experiment);
  editor.open(file, text);
  const Json actions = actions_at(editor, 14);
  ASSERT_FALSE(actions.empty());
  EXPECT_EQ(actions[0]["isPreferred"], false) << "another batch is another experiment";
  EXPECT_EQ(actions[0]["diagnostics"][0]["code"], "MG203");
  editor.change(file, applied(actions[0], text));
  EXPECT_EQ(editor.findings(file), Json::array());
  EXPECT_EQ(actions_at(editor, 13), Json::array());
}

TEST(LspActions, LeaveSharedValuesAlone) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  std::string text(one_error_experiment);
  text.replace(text.find(" 33"), 3, " ${GBS:33}");
  editor.open(file, text);
  ASSERT_EQ(editor.findings(file).size(), 1U);
  EXPECT_EQ(actions_at(editor, 14), Json::array());
}

TEST(LspOutline, SeesKeysOfHalfWrittenFiles) {
  const Source source("a.yaml", "a: 1 # one\n'b c': \"x # y\"\nd:\n  - e: 1\n  f: |\n    g: no key\n  h\n---\na: 2\n");
  const lsp::Outline outline(source);
  std::vector<std::string> keys;
  for (const lsp::KeyLine& key : outline.keys()) keys.push_back(lsp::dotted(key.path));
  EXPECT_THAT(keys, ElementsAre("a", "b c", "d", "d.f", "a"));
  EXPECT_EQ(outline.value_at({"a"}, 0), "1");
  EXPECT_EQ(outline.value_at({"a"}, 8), "2") << "of the document at the line";
  EXPECT_EQ(outline.value_at({"b c"}, 0), "x # y");
  EXPECT_THAT(outline.around(6, 2), ElementsAre("d"));
  EXPECT_THAT(outline.around(8, 0), IsEmpty());
}

}  // namespace
}  // namespace primus_plan::test
