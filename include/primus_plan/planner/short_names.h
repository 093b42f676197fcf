#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "primus_plan/planner/trial.h"

namespace primus_plan {

/// A name for a size that every framework has in words of its own.
struct ShortName {
  std::string_view name;   ///< "tp"
  std::string_view about;  ///< "tensor parallel"
  std::int64_t Wish::*member = nullptr;
  std::int64_t Degrees::*degree = nullptr;
  RunKey RunKeys::*key = nullptr;  ///< the framework's own key; null for the launch, which is no key
};

/// "tp", "pp" … in the order of the help.
std::span<const ShortName> short_names();
/// In small or capital letters; null when there is none of this name.
const ShortName* find_short_name(std::string_view name);
/// "tp, pp, cp, …".
std::string short_names_text();
/// Puts what the name stands for into a wish.
void ask_for(Wish& wish, const ShortName& name, std::int64_t value);

}  // namespace primus_plan
