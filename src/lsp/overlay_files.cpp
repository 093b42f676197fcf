#include "primus_plan/lsp/workspace.h"

namespace primus_plan::lsp {

std::optional<std::string> OverlayFiles::read(const std::string& path, ReadFailure& failure) const {
  const auto held = texts_.find(path);
  return held != texts_.end() ? std::optional(held->second) : files_.read(path, failure);
}

bool OverlayFiles::exists(const std::string& path) const { return texts_.contains(path) || files_.exists(path); }

}  // namespace primus_plan::lsp
