#include "primus_plan/diagnostics/findings.h"

namespace primus_plan {

Message& Message::also(const Origin& origin, std::string text) {
  if (origin) finding_.related.push_back({origin, std::move(text)});
  return *this;
}

Message& Message::fix(std::string title, const Origin& origin, std::string replacement, bool safe) {
  const bool users_own = origin && (origin.layer == Layer::experiment || origin.layer == Layer::environment);
  if (users_own) finding_.fixes.push_back({std::move(title), {Edit{origin, std::move(replacement)}}, safe});
  return *this;
}

Finding* Findings::record(const Origin& where, const char* key) {
  const Severity severity = current_->severity;
  if (severity == Severity::error) {
    ++errors_;
    if (first_error_ == nullptr) first_error_ = current_;
  }
  if (severity == Severity::warning) ++warnings_;
  if (detail_ == Detail::counts) return nullptr;
  Finding& finding = list_.emplace_back();
  finding.rule = current_;
  finding.severity = severity;
  finding.primary.origin = where;
  if (where) {
    finding.primary.text = "set here";
  } else if (key != nullptr) {
    finding.primary.text = fmt::format("{} is not set here: the framework's default holds", key);
  }
  return &finding;
}

void Findings::withdraw() {
  const Severity severity = list_.back().severity;
  list_.pop_back();
  if (severity == Severity::warning) --warnings_;
  if (severity == Severity::error && --errors_ == 0) first_error_ = nullptr;
}

}  // namespace primus_plan
