#include "primus_plan/diagnostics/findings.h"

namespace primus_plan {

Message& Message::also(const Origin& origin, std::string text) {
  if (origin) finding_.related.push_back({origin, std::move(text)});
  return *this;
}

namespace {

bool is_users_own(const Origin& origin) {
  return origin && (origin.layer == Layer::experiment || origin.layer == Layer::environment);
}

/// A fix, or one more edit of the last one where that has the same title.
void add_edit(std::vector<Fix>& fixes, std::string title, Edit edit, bool safe) {
  if (fixes.empty() || fixes.back().title != title) fixes.push_back({std::move(title), {}, safe});
  fixes.back().edits.push_back(std::move(edit));
}

/// "parallelism." of "parallelism.tensor_parallel_degree"; empty for a key at the top.
std::string_view section_of(std::string_view key) { return key.substr(0, key.rfind('.') + 1); }

}  // namespace

Message& Message::fix(std::string title, const Origin& origin, std::string replacement, bool safe) {
  if (is_users_own(origin)) add_edit(finding_.fixes, std::move(title), Edit{origin, std::move(replacement)}, safe);
  return *this;
}

Message& Message::fix_by_new_line(std::string title, const char* key, std::string replacement, bool safe) {
  const Origin& place = finding_.primary.origin;
  if (key == nullptr || key_ == nullptr || !is_users_own(place)) return *this;
  const std::string_view section = section_of(key);
  if (section != section_of(key_)) return *this;
  std::string line = fmt::format("{}: {}", std::string_view(key).substr(section.size()), replacement);
  add_edit(finding_.fixes, std::move(title), Edit{.where = place, .replacement = std::move(line), .insert_line = true},
           safe);
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
