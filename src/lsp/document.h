#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lsp/outline.h"
#include "primus_plan/lsp/workspace.h"

namespace primus_plan::lsp {

/// A document that the editor has open.
struct Document {
  std::string uri;  ///< as the editor writes it
  std::string path;
  std::optional<std::int64_t> version;
  std::shared_ptr<const Source> text;
  std::shared_ptr<const Outline> outline;
  std::optional<Judged> judged;  ///< of this text when it is not stale; nothing for other YAML
  std::string trouble;           ///< why it could not be judged
  bool is_stale = true;          ///< it must be judged again
  bool is_unpublished = true;    ///< its findings have not been told yet
};

}  // namespace primus_plan::lsp
