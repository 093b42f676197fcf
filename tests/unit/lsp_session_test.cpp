// The conversation of an editor with the language server: order, errors, what is published when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "primus_plan/lsp/frames.h"
#include "support/editor.h"
#include "support/experiments.h"

namespace primus_plan::test {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* file = "/work/exp.yaml";
const std::string good(silent_experiment);
const std::string bad(one_error_experiment);

int error_code(const std::vector<Json>& answers) {
  return answers.size() == 1 && answers[0].contains("error") ? answers[0]["error"]["code"].get<int>() : 0;
}

TEST(LspSession, PublishesWhatCheckFinds) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, bad);
  const Json findings = editor.findings(file);
  ASSERT_EQ(findings.size(), 1U) << findings.dump(1);
  EXPECT_EQ(findings[0]["code"], "MG203");
  EXPECT_EQ(findings[0]["severity"], 1);
  EXPECT_EQ(findings[0]["range"],
            Json::parse(R"({"start": {"line": 14, "character": 25}, "end": {"line": 14, "character": 27}})"));
  EXPECT_THAT(findings[0]["message"].get<std::string>(), HasSubstr("global_batch_size 33 is not a multiple"));
  EXPECT_THAT(findings[0]["message"].get<std::string>(), HasSubstr("help: nearest legal values"));
  EXPECT_EQ(findings[0]["relatedInformation"][0]["location"]["uri"], Editor::uri(file));
  EXPECT_FALSE(findings[0].contains("codeDescription")) << "nobody said where the rules are";
  editor.change(file, good);
  EXPECT_EQ(editor.findings(file), Json::array());
}

TEST(LspSession, LinksToTheManualThatTheEditorNames) {
  PlainWorkspace workspace;
  Editor editor(workspace, {{"rulesUrl", "https://example.org/docs/rules.md"}});
  editor.open(file, bad);
  EXPECT_EQ(editor.findings(file)[0]["codeDescription"]["href"],
            "https://example.org/docs/rules.md#mg203-global-batch-not-divisible");
}

TEST(LspSession, JudgesOnceForAllThatWaits) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, good);
  workspace.judged = 0;
  std::vector<Json> messages;
  for (int version = 10; version < 20; ++version) {
    messages.push_back(Editor::notification(
        "textDocument/didChange", {{"textDocument", {{"uri", Editor::uri(file)}, {"version", version}}},
                                   {"contentChanges", Json::array({{{"text", version == 19 ? bad : good}}})}}));
  }
  const std::vector<Json> answers = editor.send(messages);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["params"]["version"], 19);
  EXPECT_EQ(answers[0]["params"]["diagnostics"].size(), 1U);
  EXPECT_EQ(workspace.judged, 1U);
}

// Half a character, as an editor may cut an emoji: JSON.stringify writes it as an escape.
TEST(LspSession, TakesHalvesOfCharacters) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, bad);
  const auto change = [&](const std::string& text) {
    const std::vector<std::string> answers = editor.session.receive(std::vector<std::string>{
        R"({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": )"
        R"("file:///work/exp.yaml", "version": 7}, "contentChanges": [{"text": ")" +
        text + R"("}]}})"});
    return answers.size() == 1 ? Json::parse(answers[0]) : Json();
  };
  for (const char* half : {"\\ud83d", "\\uDE00", "\\ud83d\\ud83d\\ude00", "\\\\\\ud83d", "\\ud83dx\\ude00"}) {
    const Json said = change(std::string("# ") + half + "\\n");
    ASSERT_TRUE(said.contains("method")) << half << said.dump();
    EXPECT_EQ(said["params"]["diagnostics"], Json::array()) << half;
    EXPECT_EQ(change("# \\ud83d\\ude00\\nmodules: 1\\n")["params"]["diagnostics"].size(), 5U) << "a whole one";
  }
  EXPECT_EQ(change("\\ud8")["error"]["code"], -32700);
}

// The words of a library are no help to whoever writes an editor's plugin.
TEST(LspSession, NamesTheParameterThatIsWrong) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, good);
  const auto message = [&](const std::string& method, const Json& params) {
    const std::vector<Json> answers = editor.send({Editor::request(9, method, params)});
    return answers.size() == 1 && answers[0].contains("error") && answers[0]["error"]["code"] == -32602
               ? answers[0]["error"]["message"].get<std::string>()
               : std::string("no refusal");
  };
  const Json document = {{"uri", Editor::uri(file)}};
  const auto place = [&](const Json& position) { return Json{{"textDocument", document}, {"position", position}}; };
  const std::string hover = "textDocument/hover";
  EXPECT_EQ(message(hover, Json::array({1})), "params must be an object, not a list");
  EXPECT_EQ(message(hover, {{"textDocument", 5}}), "params.textDocument must be an object, not 5");
  EXPECT_EQ(message(hover, {{"textDocument", {{"uri", 5}}}}), "params.textDocument.uri must be a text, not 5");
  EXPECT_EQ(message(hover, {{"textDocument", document}}), "params.position is missing");
  EXPECT_EQ(message(hover, place("top")), "params.position must be an object, not a text");
  EXPECT_EQ(message(hover, place({{"line", 1}})), "params.position.character is missing");
  for (const Json& line : {Json(-1), Json(1.5), Json(4294967296), Json(true), Json("1"), Json()}) {
    EXPECT_THAT(message("textDocument/definition", place({{"line", line}, {"character", 0}})),
                HasSubstr("params.position.line must be a whole number from 0"));
  }
  EXPECT_THAT(message("textDocument/codeAction", {{"textDocument", document}, {"range", {{"start", {{"line", 1}}}}}}),
              HasSubstr("params.range.start.character is missing"));
  EXPECT_EQ(message("completionItem/resolve", Json::array()), "params must be a completion item, not a list");
  EXPECT_EQ(message("completionItem/resolve", {{"label", "x"}, {"data", 3}}), "params.data must be an object, not 3");
  EXPECT_EQ(message("completionItem/resolve", {{"label", "x"}, {"data", {{"owner", 1}}}}),
            "params.data.owner must be a text, not 1");
}

TEST(LspSession, LeavesOtherYamlAlone) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open("/work/compose.yaml", "services:\n  web:\n    image: nginx\n");
  EXPECT_EQ(editor.findings("/work/compose.yaml"), Json::array());
  editor.open("/work/notes.md", std::string("no\0yaml", 7));
  EXPECT_EQ(editor.findings("/work/notes.md"), Json::array());
}

TEST(LspSession, ClearsFindingsOfAClosedDocument) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, bad);
  editor.notify("textDocument/didClose", {{"textDocument", {{"uri", Editor::uri(file)}}}});
  EXPECT_EQ(editor.findings(file), Json::array());
  EXPECT_EQ(editor.ask_at("textDocument/hover", "hover", file, 14, 8), nullptr);
}

TEST(LspSession, SaysWhySettingsCannotBeUsed) {
  PlainWorkspace workspace;
  workspace.trouble = ".primus-plan.yaml:3:1: no setting is called ignroe";
  Editor editor(workspace);
  editor.open(file, good);
  ASSERT_EQ(editor.findings(file).size(), 1U);
  EXPECT_EQ(editor.findings(file)[0]["message"], workspace.trouble);
  workspace.trouble.clear();
  editor.notify("textDocument/didSave", {{"textDocument", {{"uri", "file:///work/.primus-plan.yaml"}}}});
  EXPECT_EQ(editor.findings(file), Json::array());
}

TEST(LspSession, JudgesAgainWhatAnOpenFileIsPartOf) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open("/work/base.yaml", good);
  editor.open(file,
              "# primus-plan: world-size=8\nextends: base.yaml\nmodules:\n  pre_trainer:\n    overrides:\n      "
              "train_iters: 90\n");
  EXPECT_EQ(editor.findings(file), Json::array());
  editor.change("/work/base.yaml", bad);
  ASSERT_EQ(editor.findings(file).size(), 1U) << "through the text that is not saved yet";
  EXPECT_EQ(editor.findings(file)[0]["code"], "MG203");
}

TEST(LspSession, RefusesRequestsOutOfOrder) {
  PlainWorkspace workspace;
  lsp::Session session(workspace, {});
  const auto ask = [&](const Json& message) {
    const std::string text = message.dump();
    std::vector<Json> out;
    for (const std::string& answer : session.receive({&text, 1})) out.push_back(Json::parse(answer));
    return out;
  };
  EXPECT_EQ(error_code(ask(Editor::request(1, "textDocument/hover", {}))), -32002);
  EXPECT_TRUE(ask(Editor::notification("textDocument/didOpen", {})).empty());
  EXPECT_EQ(error_code(ask(Editor::request(2, "initialize", {}))), 0);
  EXPECT_EQ(error_code(ask(Editor::request(3, "initialize", {}))), -32600);
  EXPECT_EQ(error_code(ask(Editor::request(4, "textDocument/rename", {}))), -32601);
  EXPECT_EQ(error_code(ask(Editor::request(5, "textDocument/hover", {}))), -32602);
  EXPECT_EQ(ask(Editor::request(6, "shutdown", {}))[0]["result"], nullptr);
  EXPECT_EQ(error_code(ask(Editor::request(7, "textDocument/hover", {}))), -32600);
  EXPECT_FALSE(session.is_over());
  EXPECT_TRUE(ask(Editor::notification("exit", {})).empty());
  EXPECT_TRUE(session.is_over() && session.was_shut_down());
}

TEST(LspSession, TakesNothingAmiss) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  EXPECT_EQ(error_code(editor.send({"{not json"})), -32700);
  EXPECT_EQ(error_code(editor.send({""})), -32700) << "what a message that was too large leaves";
  EXPECT_EQ(error_code(editor.send({std::string(100000, '[')})), -32700);
  EXPECT_EQ(error_code(editor.send({"[1, 2]"})), -32600);
  EXPECT_EQ(error_code(editor.send({"7"})), -32600);
  EXPECT_EQ(error_code(editor.send({R"({"jsonrpc": "2.0", "id": {}, "method": "shutdown"})"})), -32600);
  EXPECT_EQ(error_code(editor.send({R"({"jsonrpc": "2.0", "id": 1, "method": 5})"})), -32600);
  EXPECT_TRUE(editor.send({R"({"jsonrpc": "2.0", "id": 3, "result": null})"}).empty()) << "an answer to nothing";
  EXPECT_TRUE(editor.send({R"({"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "off"}})"}).empty());
  EXPECT_TRUE(editor.send({R"({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": [1]})"}).empty());
  EXPECT_TRUE(
      editor.send({R"({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"contentChanges": 1}})"})
          .empty());
  editor.open(file, good);
  for (const char* method : {"textDocument/hover", "textDocument/definition", "textDocument/completion"}) {
    for (const int line : {0, 14, 15, 1000000}) {
      EXPECT_FALSE(editor.ask_at(method, std::string(method).substr(13), file, line, 1000000).contains("error"));
    }
  }
}

TEST(LspSession, DoesNotWorkOnCancelledRequests) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  editor.open(file, good);
  const std::vector<Json> answers = editor.send({Editor::request(7, "textDocument/hover", Editor::at(file, 14, 8)),
                                                 Editor::request(8, "textDocument/hover", Editor::at(file, 14, 8)),
                                                 Editor::notification("$/cancelRequest", {{"id", 7}})});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["error"]["code"], -32800);
  EXPECT_TRUE(answers[1]["result"].is_object());
}

TEST(LspSession, CountsInUtf16) {
  PlainWorkspace workspace;
  Editor editor(workspace);
  // Two code units for each face, one for each ä.
  editor.open(file,
              "# primus-plan: world-size=8\n{\"tensor_model_parallel_size\": 1, wandb_project: \"😀ä😀\", "
              "tensor_parallel_size: 2}\n");
  const Json findings = editor.findings(file);
  bool found = false;
  for (const Json& finding : findings) {
    if (finding["message"].get<std::string>().find("tensor_parallel_size") == std::string::npos) continue;
    found = true;
    EXPECT_EQ(finding["range"]["start"], Json::parse(R"({"line": 1, "character": 58})")) << finding.dump(1);
    EXPECT_EQ(finding["range"]["end"]["character"], 78);
  }
  EXPECT_TRUE(found) << findings.dump(1);
}

TEST(LspFrames, ComeInAnyPieces) {
  const std::string stream =
      lsp::make_frame("{}") + "content-length: 3\r\nContent-Type: x\r\n\r\nabc" + lsp::make_frame("");
  for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
    lsp::FrameReader reader;
    std::vector<std::string> messages;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      for (std::string& message : reader.feed(std::string_view(stream).substr(at, piece))) messages.push_back(message);
    }
    EXPECT_THAT(messages, ElementsAre("{}", "abc", "")) << piece;
    EXPECT_FALSE(reader.is_broken());
  }
}

TEST(LspFrames, ReadPastWhatIsTooLarge) {
  lsp::FrameReader reader;
  const std::size_t size = lsp::FrameReader::largest_message + 10;
  EXPECT_TRUE(reader.feed("Content-Length: " + std::to_string(size) + "\r\n\r\n").empty());
  const std::string piece(1U << 20U, 'x');
  std::vector<std::string> messages;
  std::string rest = std::string(size % piece.size(), 'x') + lsp::make_frame("{}");
  for (std::size_t fed = 0; fed < size / piece.size(); ++fed) ASSERT_TRUE(reader.feed(piece).empty());
  EXPECT_THAT(reader.feed(rest), ElementsAre("", "{}"));
}

TEST(LspFrames, BreakWhereNoLengthIs) {
  for (const std::string stream : {"Content-Length: many\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n",
                                   "Content-Type: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n"}) {
    lsp::FrameReader reader;
    EXPECT_TRUE(reader.feed(stream).empty());
    EXPECT_TRUE(reader.is_broken()) << stream;
  }
  lsp::FrameReader reader;
  reader.feed(std::string(10000, 'x'));
  EXPECT_TRUE(reader.is_broken()) << "a header without end";
}

}  // namespace
}  // namespace primus_plan::test
