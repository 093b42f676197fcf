#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "primus_plan/lsp/workspace.h"
#include "primus_plan/report/report.h"

namespace primus_plan::lsp {

/// A conversation with one editor: messages in, messages out, both JSON-RPC 2.0 texts without headers (Language Server
/// Protocol 3.17, positions in UTF-16 code units). Reads and writes nothing itself.
class Session {
 public:
  /// `workspace` must outlive this. Of `tool` the version and the working folder count.
  Session(Workspace& workspace, ToolInfo tool);
  ~Session();

  /// Everything that waited to be read, in order. A document that changes several times in it is judged once, and
  /// requests that are cancelled in it are not worked on. Never throws for what a message says.
  std::vector<std::string> receive(std::span<const std::string> messages);

  /// The editor has said exit.
  bool is_over() const;
  /// Whether it has said shutdown before, as it should.
  bool was_shut_down() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace primus_plan::lsp
