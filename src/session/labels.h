#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/session/session.h"

namespace primus_plan::session {

/// A word of the panel that is neither a key nor a number of the estimates by that name.
struct Label {
  std::string_view name;
  std::string_view number;  ///< that stands behind it (see unfold_number); empty for none
  std::string (*sentence)(const Session& session) = nullptr;  ///< what it is here
};

/// By its name in small or capital letters; null when there is none.
const Label* find_label(std::string_view word);
/// All names, in the panel's order.
std::vector<std::string> label_names();

}  // namespace primus_plan::session
