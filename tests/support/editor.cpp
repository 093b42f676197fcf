#include "support/editor.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/config/presets.h"
#include "support/schema.h"

namespace primus_plan::test {

namespace {

constexpr const char* schema = "tests/data/lsp-messages.schema.json";

}  // namespace

PlainWorkspace::PlainWorkspace() : files_(disk) { forget(); }

void PlainWorkspace::forget() { loader_.emplace(files_, Environment()); }

std::optional<lsp::Judged> PlainWorkspace::judge(const std::string& path, const std::string& text) {
  ++judged;
  if (!trouble.empty()) throw std::runtime_error(trouble);
  if (text.find("modules:") == std::string::npos && text.find("# primus-plan:") == std::string::npos) return {};
  ExperimentOptions options;
  if (!root.empty()) options.primus_root = root;
  lsp::Judged out{.loaded = loader_->load_text(path, text, options), .report = {.path = path}};
  out.report.load_errors = out.loaded.errors;
  out.report.sources = out.loaded.sources;
  for (const Experiment& experiment : out.loaded.experiments) {
    const Launch launch = find_launch({}, loader_->environment(), experiment);
    for (Analysis& one : analyze(experiment, launch, loader_->environment(), {})) {
      out.report.modules.push_back(std::move(one));
    }
    out.report.sources.insert(out.report.sources.end(), experiment.sources.begin(), experiment.sources.end());
  }
  return out;
}

std::vector<std::string> PlainWorkspace::presets(const std::string& /*path*/, const std::string& folder) {
  return FilesWithPresets(files_).list(std::string(built_in_folder) + "/configs/" + folder);
}

Editor::Editor(lsp::Workspace& workspace, Json options) : session(workspace, {"1.2.3", {}, "/work", {}}) {
  const Json result =
      ask("initialize", "initialize", {{"capabilities", Json::object()}, {"initializationOptions", options}});
  EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  notify("initialized", Json::object());
}

Editor::Json Editor::request(int id, const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

Editor::Json Editor::notification(const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Editor::Json Editor::at(const std::string& path, int line, int character) {
  return {{"textDocument", {{"uri", uri(path)}}}, {"position", {{"line", line}, {"character", character}}}};
}

std::vector<Editor::Json> Editor::send(const std::vector<Json>& messages) {
  std::vector<std::string> texts;
  for (const Json& message : messages)
    texts.push_back(message.is_string() ? message.get<std::string>() : message.dump());
  std::vector<Json> out;
  for (const std::string& text : session.receive(texts)) {
    out.push_back(Json::parse(text));
    EXPECT_EQ(faults_by_schema({{"message", out.back()}}, schema), "") << text;
    if (out.back().value("method", "") == "textDocument/publishDiagnostics")
      findings_[out.back()["params"]["uri"]] = out.back()["params"]["diagnostics"];
  }
  return out;
}

void Editor::notify(const std::string& method, Json params) { send({notification(method, std::move(params))}); }

void Editor::open(const std::string& path, const std::string& text) {
  notify("textDocument/didOpen",
         {{"textDocument", {{"uri", uri(path)}, {"languageId", "yaml"}, {"version", ++version_}, {"text", text}}}});
}

void Editor::change(const std::string& path, const std::string& text) {
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri(path)}, {"version", ++version_}}},
                                    {"contentChanges", Json::array({{{"text", text}}})}});
}

Editor::Json Editor::ask(const std::string& method, const std::string& form, Json params) {
  const int id = ++next_id_;
  for (const Json& message : send({request(id, method, std::move(params))})) {
    if (message.value("id", Json()) != id) continue;
    if (!message.contains("result")) return message;
    EXPECT_EQ(faults_by_schema({{form, message["result"]}}, schema), "") << message.dump(1);
    return message["result"];
  }
  ADD_FAILURE() << "no answer to " << method;
  return nullptr;
}

Editor::Json Editor::ask_at(const std::string& method, const std::string& form, const std::string& path, int line,
                            int character) {
  return ask(method, form, at(path, line, character));
}

Editor::Json Editor::findings(const std::string& path) const {
  const auto found = findings_.find(uri(path));
  return found == findings_.end() ? Json() : found->second;
}

Cursor::Cursor(std::string marked) : text(std::move(marked)) {
  const std::size_t at = text.find('|');
  text.erase(at, 1);
  for (std::size_t i = 0; i < at; ++i) {
    character = text[i] == '\n' ? 0 : character + 1;
    line += text[i] == '\n' ? 1 : 0;
  }
}

}  // namespace primus_plan::test
