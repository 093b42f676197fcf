#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/diagnostics/sourced.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

/// Writes the text of one finding. Given to a rule's describing function only when somebody will read it.
class Message {
 public:
  /// `key` is that of the finding's primary place, where it has one.
  explicit Message(Finding& finding, const char* key = nullptr) : finding_(finding), key_(key) {}

  /// The sentence with the numbers.
  template <class... A>
  Message& say(fmt::format_string<A...> text, A&&... args) {
    finding_.message = one_is_singular(fmt::format(text, std::forward<A>(args)...));
    return *this;
  }
  /// A line that shows how a number came about.
  template <class... A>
  Message& because(fmt::format_string<A...> text, A&&... args) {
    finding_.because.push_back(one_is_singular(fmt::format(text, std::forward<A>(args)...)));
    return *this;
  }
  /// A way out.
  template <class... A>
  Message& help(fmt::format_string<A...> text, A&&... args) {
    finding_.help.push_back(one_is_singular(fmt::format(text, std::forward<A>(args)...)));
    return *this;
  }
  /// What stands at the caret of the primary place, instead of "set here".
  Message& label(std::string text) {
    finding_.primary.text = std::move(text);
    return *this;
  }
  /// A second place that matters. Values that no file sets are left out.
  template <class T>
  Message& also(const Sourced<T>& value, std::string text = "set here") {
    rests_on_unreadable_ = rests_on_unreadable_ || value.is_unreadable;
    return also(value.origin, std::move(text));
  }
  Message& also(const Origin& origin, std::string text);
  /// An edit of the value itself: rewrites it where the experiment sets it. A value that comes from a preset or a
  /// default gets a line of its own below the finding's place, when that is a key of the same section in the user's own
  /// file; files of presets are not the user's to edit. The title of the last fix again adds an edit to that fix.
  template <class T>
  Message& fix(std::string title, const Sourced<T>& value, std::string replacement, bool safe = false) {
    if (!value.origin || is_preset(value.origin.layer)) {
      return fix_by_new_line(std::move(title), value.key, std::move(replacement), safe);
    }
    return fix(std::move(title), value.origin, std::move(replacement), safe);
  }
  Message& fix(std::string title, const Origin& origin, std::string replacement, bool safe = false);

  /// Whether one of the places named above holds no number: what was said rests on a stand-in for it.
  bool rests_on_unreadable() const { return rests_on_unreadable_; }

 private:
  Message& fix_by_new_line(std::string title, const char* key, std::string replacement, bool safe);

  Finding& finding_;
  const char* key_;
  bool rests_on_unreadable_ = false;
};

/// Collects what rules report. Without text (the planner asks millions of times) only counts are kept and no string is
/// ever made.
class Findings {
 public:
  enum class Detail : std::uint8_t { counts, text };

  explicit Findings(Detail detail) : detail_(detail) {}

  /// Called before a rule runs: what it reports carries this rule's data.
  void begin(const RuleInfo& rule) { current_ = &rule; }

  /// Reports a problem at `where`; `describe(Message&)` runs only when text is wanted.
  template <class Describe>
  void add(const Origin& where, Describe&& describe) {
    if (Finding* finding = record(where, nullptr)) {
      Message message(*finding);
      describe(message);
    }
  }
  /// The same at the place that set a value; without a place, the text names the default. Silent about values that
  /// could not be read: the rules about types, which report at the bare place, have said what there is to say.
  template <class T, class Describe>
  void add(const Sourced<T>& value, Describe&& describe) {
    if (value.is_unreadable) return;
    if (Finding* finding = record(value.origin, value.key)) {
      Message message(*finding, value.key);
      describe(message);
      if (message.rests_on_unreadable()) withdraw();
    }
  }

  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }
  bool with_text() const { return detail_ == Detail::text; }
  /// The first rule of error level that fired; null when none has.
  const RuleInfo* first_error() const { return first_error_; }

  const std::vector<Finding>& list() const { return list_; }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  Finding* record(const Origin& where, const char* key);
  void withdraw();  ///< takes the last finding back

  Detail detail_;
  const RuleInfo* current_ = nullptr;
  const RuleInfo* first_error_ = nullptr;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::vector<Finding> list_;
};

/// Runs every rule of a list, in order.
template <class Rules, class Run>
void run_rules(const Rules& rules, const Run& run, Findings& out) {
  for (const auto& rule : rules) {
    out.begin(rule.info);
    rule.check(run, out);
  }
}

}  // namespace primus_plan
