// Any bytes as what an editor sends: as a raw stream of frames, and each line as one message to a session that has a
// document open.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/target.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/lsp/frames.h"
#include "primus_plan/lsp/session.h"
#include "primus_plan/planner/written_plan.h"

namespace {

using namespace primus_plan;  // NOLINT(google-build-using-namespace): one small program

/// Judges over the built-in presets.
class PlainWorkspace final : public lsp::Workspace {
 public:
  void open(const std::string& /*path*/, const std::string& /*text*/) override {}
  void close(const std::string& /*path*/) override {}
  void forget() override {}
  std::optional<lsp::Judged> judge(const std::string& path, const std::string& text) override {
    if (text.find("modules:") == std::string::npos) return {};
    static const MemoryFiles files;
    static const Loader loader(files, {});
    lsp::Judged out{.loaded = loader.load_text(path, text, {}), .report = {.path = path}};
    out.report.load_errors = out.loaded.errors;
    out.report.sources = out.loaded.sources;
    for (const Experiment& experiment : out.loaded.experiments) {
      const Launch launch = find_launch({}, loader.environment(), experiment);
      for (Analysis& one : analyze(experiment, launch, loader.environment(), {})) {
        out.report.modules.push_back(std::move(one));
      }
      out.report.sources.insert(out.report.sources.end(), experiment.sources.begin(), experiment.sources.end());
    }
    return out;
  }
  std::vector<std::string> presets(const std::string& /*path*/, const std::string& /*folder*/) override {
    return {"llama2_7B.yaml", "llama3_8B.yaml"};
  }
};

/// However a stream is cut, it holds the same messages.
void check_frames(std::string_view bytes) {
  lsp::FrameReader whole;
  lsp::FrameReader cut;
  const std::vector<std::string> expected = whole.feed(bytes);
  std::vector<std::string> found;
  for (std::size_t at = 0, step = 1; at < bytes.size(); at += step, step = step % 7 + 1) {
    for (std::string& message : cut.feed(bytes.substr(at, step))) found.push_back(std::move(message));
  }
  fuzz::require(found == expected, "the messages of a stream do not hang on how it is cut");
  fuzz::require(whole.is_broken() == cut.is_broken(), "nor does where it breaks");
}

void check_answers(const std::vector<std::string>& answers) {
  for (const std::string& answer : answers) {
    fuzz::require(nlohmann::json::accept(answer), "every answer is JSON");
    lsp::FrameReader reader;
    fuzz::require(reader.feed(lsp::make_frame(answer)) == std::vector<std::string>{answer}, "and survives its frame");
  }
}

void talk(std::string_view text) {
  static const std::string document = experiment_around("megatron", "llama2_7B");
  PlainWorkspace workspace;
  lsp::Session session(workspace, {"1.0", {}, "/work", {}});
  const std::string opening =
      nlohmann::json{
          {"jsonrpc", "2.0"},
          {"method", "textDocument/didOpen"},
          {"params",
           {{"textDocument", {{"uri", "file:///e.yaml"}, {"languageId", "yaml"}, {"version", 1}, {"text", document}}}}}}
          .dump();
  const std::string hello[] = {R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}})",
                               R"({"jsonrpc":"2.0","method":"initialized","params":{}})", opening};
  check_answers(session.receive(hello));
  check_answers(session.receive(fuzz::lines(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_frames(text);
  talk(text);
  return 0;
}
