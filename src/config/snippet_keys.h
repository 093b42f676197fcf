#pragma once

#include <span>
#include <string_view>

#include "primus_plan/config/node.h"

namespace primus_plan {

/// A backend that bare snippets can be for, and what is put around their keys.
struct SnippetBackend {
  std::string_view framework;  ///< as in `framework:`
  std::string_view title;      ///< for messages
  std::string_view model;      ///< a model preset that every Primus tree has
};
std::span<const SnippetBackend> snippet_backends();

/// Which backend a top-level key of a snippet tells of.
struct KeyOwner {
  std::string_view framework;  ///< empty: none, or several
  bool shared = false;         ///< several backends have the key
};
KeyOwner owner_of_key(std::string_view key, bool is_section);

}  // namespace primus_plan
