#include "primus_plan/planner/mend.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

#include "primus_plan/config/edit_check.h"
#include "primus_plan/diagnostics/edits.h"

namespace primus_plan {
namespace {

constexpr int most_rounds = 20;

/// How bad a text is; what cannot be loaded is worse than any findings.
struct Badness {
  bool unloadable = false;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  // clang-tidy 14 takes the 0 of the generated comparison for a pointer.
  auto operator<=>(const Badness&) const = default;  // NOLINT(modernize-use-nullptr)
};

Badness badness(const Judgement& judgement) {
  Badness out{.unloadable = !judgement.is_loaded};
  for (const Finding& finding : judgement.findings) {
    if (finding.severity == Severity::error) ++out.errors;
    if (finding.severity == Severity::warning) ++out.warnings;
  }
  return out;
}

/// A fix that can be made, and the finding it mends.
struct Choice {
  AppliedFix fix;
  std::vector<Edit> edits;
};

bool edits_text(const Fix& fix, const std::string& text) {
  const Source* source = fix.edits.empty() ? nullptr : fix.edits.front().where.source;
  return source != nullptr && source->text() == text && edit_document(fix.edits).has_value();
}

std::vector<TextChange> changes_of(const std::vector<Edit>& edits) {
  std::vector<TextChange> changes;
  for (const Edit& edit : edits) {
    if (auto change = text_change(edit)) changes.push_back(*std::move(change));
  }
  return changes;
}

bool overlaps_any(const std::vector<Edit>& edits, const std::vector<Choice>& taken) {
  const std::vector<TextChange> changes = changes_of(edits);
  for (const Choice& other : taken) {
    for (const TextChange& a : changes_of(other.edits)) {
      if (std::ranges::any_of(changes, [&](const TextChange& b) { return overlaps(a, b); })) return true;
    }
  }
  return false;
}

class Mender {
 public:
  Mender(const std::string& text, const Judge& judge, FixLevel level)
      : judge_(judge), level_(level), now_(judge(text)) {
    out_.text = text;
    seen_.insert(text);
  }

  Mended run() {
    for (int round = 0; round < most_rounds; ++round) {
      const std::vector<Choice> choices = find_choices();
      if (choices.empty()) break;
      apply(choices);
    }
    count_left_over();
    return std::move(out_);
  }

 private:
  void count_left_over() {
    if (level_ == FixLevel::all) return;
    for (const Finding& finding : now_.findings) {
      if (!choose(finding, FixLevel::safe) && choose(finding, FixLevel::all)) ++out_.unsafe_left_over;
    }
  }

  /// The first fix of a finding that the level allows and that can be made; safe ones first.
  std::optional<Choice> choose(const Finding& finding, FixLevel level) const {
    for (const bool safe : {true, false}) {
      if (!safe && level == FixLevel::safe) break;
      for (const Fix& fix : finding.fixes) {
        if (fix.safe != safe || !edits_text(fix, out_.text)) continue;
        Choice choice{{finding.rule, fix.title}, fix.edits};
        if (!refused_.contains(name_of(choice))) return choice;
      }
    }
    return std::nullopt;
  }

  /// Tells fixes apart between rounds, in which lines may move but rarely do.
  static std::string name_of(const Choice& choice) {
    return fmt::format("{}:{}:{}", choice.fix.rule->id, choice.edits.front().where.line, choice.fix.title);
  }

  std::vector<Choice> find_choices() const {
    std::vector<Choice> choices;
    for (const Finding& finding : now_.findings) {
      std::optional<Choice> choice = choose(finding, level_);
      if (choice && !overlaps_any(choice->edits, choices)) choices.push_back(*std::move(choice));
    }
    return choices;
  }

  /// All at once, or, when that makes the text worse, the first that does not; those before it are not tried again.
  void apply(const std::vector<Choice>& choices) {
    std::vector<Edit> all;
    for (const Choice& choice : choices) all.insert(all.end(), choice.edits.begin(), choice.edits.end());
    if (try_edits(all)) {
      for (const Choice& choice : choices) out_.applied.push_back(choice.fix);
      return;
    }
    for (const Choice& choice : choices) {
      if (choices.size() > 1 && try_edits(choice.edits)) {
        out_.applied.push_back(choice.fix);
        return;
      }
      refused_.insert(name_of(choice));
    }
  }

  bool try_edits(const std::vector<Edit>& edits) {
    std::optional<std::string> text = edit_document(edits);
    if (!text || seen_.contains(*text)) return false;
    Judgement judgement = judge_(*text);
    seen_.insert(*text);
    if (badness(judgement) > badness(now_)) return false;
    out_.text = *std::move(text);
    now_ = std::move(judgement);
    return true;
  }

  const Judge& judge_;
  FixLevel level_;
  Judgement now_;
  Mended out_;
  std::set<std::string> refused_;  ///< fixes that made the text worse
  std::set<std::string> seen_;     ///< so that two rules that want opposite things come to an end
};

}  // namespace

Mended mend(const std::string& text, const Judge& judge, FixLevel level) { return Mender(text, judge, level).run(); }

}  // namespace primus_plan
