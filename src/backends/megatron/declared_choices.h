#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/config/node.h"

namespace primus_plan::megatron {

/// A key whose declared values nothing enforces: Primus never runs Megatron's parser.
struct Choice {
  std::string_view name;
  std::string values;       ///< "a|b|c": what Megatron's parser declares, and what is known besides
  bool is_integer = false;  ///< a value in digits only, or text, is a type error that is told as one
  bool is_number = false;   ///< the values are numbers: text is none of them
  bool takes_list = false;  ///< each item is one of the values
  bool takes_null = true;   ///< null switches off, or other rules judge it
};

/// A value that is none of a key's declared ones.
struct BadChoice {
  const Choice* choice = nullptr;
  const Node* node = nullptr;  ///< the value, or the item of a list
};

/// Adds what a key's value holds beside its declared values. Silent about keys without any, and about those that the
/// rules of their topic judge. Booleans, and null where the key takes it, switch text off; other rules judge them.
void judge_choice(std::string_view key, const Node& value, std::vector<BadChoice>& out);

}  // namespace primus_plan::megatron
