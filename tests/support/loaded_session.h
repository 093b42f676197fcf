#pragma once

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/session/session.h"
#include "support/fake_host.h"

namespace primus_plan::test {

/// A session about a text that is the file "exp.yaml", on an MI300X at the text's own size (or the smallest legal one).
class LoadedSession {
 public:
  explicit LoadedSession(const std::string& text, const std::string& module = {})
      : session_(subject(text, module), host_with(text)) {}

  session::Result run(const std::string& line) { return session_.run(line); }
  /// What a command prints, in 100 columns without colour.
  std::string say(const std::string& line) { return session::result_to_text(session_.run(line), {}); }
  session::Session& session() { return session_; }
  const RunDescription& now() const { return session_.now()->run(); }
  const session::Evaluation& evaluation() const { return *session_.now(); }
  FakeHost& host() { return host_; }

 private:
  session::Subject subject(const std::string& text, const std::string& module) {
    const LoadResult loaded = loader_.load_text("exp.yaml", text, {});
    const Experiment& experiment = loaded.experiments.at(0);
    const auto prepared = prepare(experiment.modules.at(session::find_module(experiment, module)), environment_);
    session::Subject out;
    out.path = "exp.yaml";
    out.text = text;
    out.loader = &loader_;
    out.module = module;
    out.launch = settle_launch(*prepared, find_launch({}, environment_, experiment));
    out.part.hardware = find_hardware("MI300X", files_);
    out.part.from = "--hardware MI300X";
    return out;
  }
  FakeHost& host_with(const std::string& text) {
    host_.disk["exp.yaml"] = text;
    return host_;
  }

  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, environment_};
  FakeHost host_;
  session::Session session_;
};

}  // namespace primus_plan::test
