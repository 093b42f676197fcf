#pragma once

#include <span>
#include <string_view>

namespace primus_plan {

/// What a framework has for a thing that several frameworks name differently.
struct LocalName {
  std::string_view key;        ///< empty: no single key
  std::string_view note = {};  ///< what takes its place, or what to mind
};

/// One thing and its names.
struct Concept {
  std::string_view other_names;  ///< of papers, model cards, other tools and older versions, split by spaces
  LocalName megatron;
  LocalName torchtitan;
  LocalName maxtext;
};

std::span<const Concept> concepts();

}  // namespace primus_plan
