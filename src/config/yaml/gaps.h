#pragma once

#include <cstddef>

#include "config/yaml/scalars.h"

namespace primus_plan::yaml {

/// Passes over what stands between scalars: white space, comments and YAML's punctuation. yaml-cpp is laxer than PyYAML
/// there (tabs, stray text), so every byte is looked at once. All functions throw LoadError where PyYAML refuses.
class Gaps {
 public:
  Gaps(const Characters& text, std::size_t begin, Locator& locator) : text_(text), locator_(locator), at_(begin) {}

  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }

  /// What was seen on the way.
  struct Passed {
    bool key_indicator = false;       ///< a `?`
    std::size_t after_indicator = 0;  ///< byte after the first indicator; 0 = there was none
  };

  /// Passes to the token at `to`.
  Passed pass(std::size_t to, bool flow);
  /// Over the `[` of the sequence whose properties, or else itself, begin at `node`. A tag may have swallowed it:
  /// PyYAML's tags hold brackets.
  void pass_opening_bracket(std::size_t node);
  /// Passes to `bracket` and over it.
  void pass_closing(char bracket);
  struct Properties {
    std::size_t end = 0;     ///< after the last anchor or tag
    bool plain_tag = false;  ///< the tag is "!" alone
  };
  /// Passes anchors and tags to the content after them.
  Properties pass_properties();
  /// The alias at the current place: over its name.
  void pass_alias();
  /// Directives and the `---` before a document, up to `to`.
  void pass_prologue(std::size_t to);
  /// What may follow a document: to the next one or the end of the text.
  void pass_epilogue();

 private:
  /// White space and comments only.
  void pass_space();
  bool pass_space_or_comment();
  bool is_line_start() const;
  void pass_indicator(bool flow, Passed& passed);
  void pass_directive();
  void pass_name();
  [[noreturn]] void fail_name(std::size_t begin);
  [[noreturn]] void fail_unexpected();

  const Characters& text_;
  Locator& locator_;
  std::size_t at_;
  bool seen_yaml_directive_ = false;
};

}  // namespace primus_plan::yaml
