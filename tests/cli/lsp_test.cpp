// primus-plan lsp, spoken to over pipes as an editor does.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "primus_plan/lsp/frames.h"
#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/schema.h"

namespace primus_plan::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr const char* schema = "tests/data/lsp-messages.schema.json";

Json request(int id, const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

Json notification(const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json opened(const std::string& path, std::string_view text) {
  return notification(
      "textDocument/didOpen",
      {{"textDocument", {{"uri", "file://" + path}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}});
}

Json changed(const std::string& path, std::string_view text) {
  return notification("textDocument/didChange", {{"textDocument", {{"uri", "file://" + path}, {"version", 2}}},
                                                 {"contentChanges", Json::array({{{"text", text}}})}});
}

Json at(const std::string& path, int line, int character) {
  return {{"textDocument", {{"uri", "file://" + path}}}, {"position", {{"line", line}, {"character", character}}}};
}

const Json farewell = {{"jsonrpc", "2.0"}, {"method", "exit"}};

std::string stream(const std::vector<Json>& messages) {
  std::string out;
  for (const Json& message : messages) out += lsp::make_frame(message.dump());
  return out;
}

std::vector<Json> messages_of(const std::string& out) {
  lsp::FrameReader reader;
  std::vector<Json> messages;
  for (const std::string& text : reader.feed(out)) {
    messages.push_back(Json::parse(text));
    EXPECT_EQ(faults_by_schema({{"message", messages.back()}}, schema), "") << text;
  }
  return messages;
}

/// The program with both of its pipes open.
class Conversation {
 public:
  explicit Conversation(std::vector<std::string> arguments) {
    std::signal(SIGPIPE, SIG_IGN);  // the program may go first
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    arguments.insert(arguments.begin(), binary().string());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const int failed = ::posix_spawn(&child_, pointers[0], &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
    if (failed != 0) throw std::runtime_error("cannot start the program");
  }
  ~Conversation() {
    close_input();
    close_output();
    if (child_ > 0) end();
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void say(const std::vector<Json>& messages) { say_bytes(stream(messages)); }
  void say_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(input_, bytes.data(), bytes.size());
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// The next message; discarded JSON at the end.
  Json hear() {
    std::array<char, 65536> buffer{};
    while (heard_.empty()) {
      const ssize_t count = ::read(output_, buffer.data(), buffer.size());
      if (count <= 0) return Json(Json::value_t::discarded);
      for (std::string& text : reader_.feed({buffer.data(), static_cast<std::size_t>(count)})) {
        heard_.push_back(Json::parse(text));
        EXPECT_EQ(faults_by_schema({{"message", heard_.back()}}, schema), "") << text;
      }
    }
    const Json next = heard_.front();
    heard_.erase(heard_.begin());
    return next;
  }
  void close_input() { close_end(input_); }
  void close_output() { close_end(output_); }
  /// The exit code; negative for a signal.
  int end() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  pid_t child_ = -1;
  int input_ = -1;
  int output_ = -1;
  lsp::FrameReader reader_;
  std::vector<Json> heard_;
};

TEST(Lsp, TalksOverPipes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", one_error_experiment);
  Conversation server({"lsp", "--stdio"});
  server.say({request(1, "initialize", {{"capabilities", Json::object()}})});
  const Json hello = server.hear();
  EXPECT_EQ(hello["id"], 1);
  EXPECT_EQ(faults_by_schema({{"initialize", hello["result"]}}, schema), "");
  server.say({notification("initialized", Json::object()), opened(path, one_error_experiment)});
  const Json findings = server.hear();
  EXPECT_EQ(findings["method"], "textDocument/publishDiagnostics");
  EXPECT_EQ(findings["params"]["uri"], "file://" + path);
  ASSERT_EQ(findings["params"]["diagnostics"].size(), 1U) << findings.dump(1);
  EXPECT_EQ(findings["params"]["diagnostics"][0]["code"], "MG203");
  server.say({request(2, "textDocument/hover", at(path, 14, 8))});
  const Json hover = server.hear();
  EXPECT_EQ(faults_by_schema({{"hover", hover["result"]}}, schema), "");
  EXPECT_THAT(hover["result"]["contents"]["value"].get<std::string>(), HasSubstr("global_batch_size = 33"));
  server.say({request(3, "textDocument/completion", at(path, 8, 14))});
  EXPECT_EQ(faults_by_schema({{"completion", server.hear()["result"]}}, schema), "");
  server.say({changed(path, silent_experiment)});
  EXPECT_EQ(server.hear()["params"]["diagnostics"], Json::array());
  server.say({request(4, "shutdown", nullptr)});
  EXPECT_EQ(server.hear()["result"], nullptr);
  server.say({farewell});
  EXPECT_TRUE(server.hear().is_discarded()) << "nothing after exit";
  EXPECT_EQ(server.end(), 0);
}

TEST(Lsp, FindsWhatCheckFinds) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", one_error_experiment);
  folder.write(".primus-plan.yaml", "severity:\n  MG203: warning\nlaunch:\n  - world-size: 64\n");
  const Json report = Json::parse(run_plan({"check", path, "--format", "json"}).out);
  const Json& expected = report["files"][0]["findings"];
  ASSERT_FALSE(expected.empty());
  const auto messages = messages_of(run_plan({"lsp"}, {.input = stream({request(1, "initialize", Json::object()),
                                                                        opened(path, one_error_experiment)})})
                                        .out);
  ASSERT_EQ(messages.size(), 2U);
  const Json& findings = messages[1]["params"]["diagnostics"];
  ASSERT_EQ(findings.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(findings[i]["code"], expected[i]["rule"]);
    EXPECT_EQ(findings[i]["severity"], expected[i]["severity"] == "error"     ? 1
                                       : expected[i]["severity"] == "warning" ? 2
                                                                              : 3);
    EXPECT_EQ(findings[i]["range"]["start"]["line"], expected[i]["location"]["line"].get<int>() - 1);
    EXPECT_EQ(findings[i]["range"]["start"]["character"], expected[i]["location"]["column"].get<int>() - 1);
  }
}

TEST(Lsp, TakesTheFlagsOfCheck) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", one_error_experiment);
  const std::string input = stream({request(1, "initialize", Json::object()), opened(path, one_error_experiment)});
  const auto messages = messages_of(run_plan({"lsp", "--ignore", "MG203"}, {.input = input}).out);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1]["params"]["diagnostics"], Json::array());
  EXPECT_EQ(run_plan({"lsp", "--ignore", "MG2033"}, {.input = input}).exit_code, 2);
}

TEST(Lsp, SaysWhatIsWrongWithSettings) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", silent_experiment);
  folder.write(".primus-plan.yaml", "ignroe: 1\n");
  const auto messages = messages_of(
      run_plan({"lsp"}, {.input = stream({request(1, "initialize", Json::object()), opened(path, silent_experiment)})})
          .out);
  ASSERT_EQ(messages.size(), 2U);
  ASSERT_EQ(messages[1]["params"]["diagnostics"].size(), 1U);
  EXPECT_THAT(messages[1]["params"]["diagnostics"][0]["message"].get<std::string>(), HasSubstr("ignroe"));
}

TEST(Lsp, EndsCleanly) {
  EXPECT_EQ(run_plan({"lsp"}).exit_code, 0) << "at once";
  EXPECT_EQ(run_plan({"lsp"}, {.input = "Content-Length: 100\r\n\r\n{"}).exit_code, 0) << "inside a message";
  const std::string hello = stream({request(1, "initialize", Json::object())});
  EXPECT_EQ(run_plan({"lsp"}, {.input = hello + stream({farewell})}).exit_code, 1) << "exit without shutdown";
  const ProcessResult nonsense = run_plan({"lsp"}, {.input = "GET / HTTP/1.1\r\n\r\n"});
  EXPECT_EQ(nonsense.exit_code, 2);
  EXPECT_EQ(nonsense.out, "");
  EXPECT_THAT(nonsense.err, HasSubstr("Language Server Protocol"));
}

TEST(Lsp, OutlivesMessagesThatMakeNoSense) {
  const std::string input =
      lsp::make_frame("{oops") + stream({request(1, "initialize", Json::object())}) +
      stream({request(2, "workspace/symbol", Json::object()), request(3, "shutdown", nullptr), farewell});
  const ProcessResult result = run_plan({"lsp"}, {.input = input});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto messages = messages_of(result.out);
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0]["error"]["code"], -32700);
  EXPECT_EQ(messages[2]["error"]["code"], -32601);
}

TEST(Lsp, EndsWhenNobodyListens) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", one_error_experiment);
  Conversation server({"lsp"});
  server.say({request(1, "initialize", Json::object())});
  server.hear();
  server.close_output();
  server.say({opened(path, one_error_experiment)});
  EXPECT_EQ(server.end(), 0);
}

TEST(Lsp, AnswersAnEditInMilliseconds) {
  const TemporaryFolder folder;
  const std::string path = folder.write("exp.yaml", one_error_experiment);
  Conversation server({"lsp"});
  server.say({request(1, "initialize", Json::object()), opened(path, one_error_experiment)});
  server.hear();
  server.hear();
  std::vector<double> times;
  for (int edit = 0; edit < 41; ++edit) {
    const auto begin = std::chrono::steady_clock::now();
    server.say({changed(path, edit % 2 == 0 ? silent_experiment : one_error_experiment)});
    const Json findings = server.hear();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    ASSERT_EQ(findings["params"]["diagnostics"].empty(), edit % 2 == 0);
  }
  std::sort(times.begin(), times.end());
  RecordProperty("median_ms", std::to_string(times[times.size() / 2]));
  std::printf("median of %zu edits: %.2f ms, worst %.2f ms\n", times.size(), times[times.size() / 2], times.back());
  // The bar is a few milliseconds; a loaded machine and sanitizers get room.
  EXPECT_LT(times[times.size() / 2], 200);
}

}  // namespace
}  // namespace primus_plan::test
