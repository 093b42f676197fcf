#include "transcript.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command.h"
#include "options.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

Transcript::Transcript(const std::string& path, const std::string& experiment)
    : path_(path), file_(nullptr, &std::fclose) {
  if (path.empty()) return;
  refuse_overwriting("--transcript", path, {experiment});
  file_.reset(std::fopen(path.c_str(), "we"));
  if (file_ == nullptr) throw Trouble(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  write(fmt::format("# primus-plan what-if {} --script THIS_FILE", escape_controls(experiment)));
}

void Transcript::add(const session::Result& result) {
  if (file_ == nullptr || result.ends) return;
  write(result.ok ? result.command : fmt::format("# not run: {}", escape_controls(result.command)));
}

void Transcript::write(const std::string& line) {
  const std::string text = line + "\n";
  const bool sound =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  if (!sound) throw Trouble(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

}  // namespace primus_plan::app
