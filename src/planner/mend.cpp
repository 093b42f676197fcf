#include "primus_plan/planner/mend.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "primus_plan/config/edit_check.h"
#include "primus_plan/diagnostics/edits.h"

namespace primus_plan {
namespace {

constexpr int most_rounds = 50;

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

/// The rules of the errors and warnings, sorted.
std::vector<std::string_view> faults_of(const Judgement& judgement) {
  std::vector<std::string_view> out;
  for (const Finding& finding : judgement.findings) {
    if (finding.severity != Severity::note) out.push_back(finding.rule->id);
  }
  std::ranges::sort(out);
  return out;
}

/// True when nothing is wrong afterwards that was not wrong before.
bool adds_no_fault(const Judgement& before, const Judgement& after) {
  return std::ranges::includes(faults_of(before), faults_of(after));
}

/// A fix that can be made, and the finding it mends.
struct Choice {
  AppliedFix fix;
  Severity severity = Severity::error;  ///< of the finding
  std::string message;                  ///< of the finding
  bool safe = false;
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

/// How many fixes the other level would make of a text that safe ones are done with.
using CountFurther = std::function<std::size_t(const std::string& text)>;

class Mender {
 public:
  /// `further` is asked for FixLevel::safe alone.
  Mender(const std::string& text, const Judge& judge, FixLevel level, CountFurther further)
      : judge_(judge), level_(level), further_(std::move(further)), now_(judge(text)), best_(now_) {
    out_.text = text;
    seen_.insert(text);
    best_text_ = text;
  }

  Mended run() {
    for (int round = 0; round < most_rounds; ++round) {
      const std::vector<Choice> choices = find_choices();
      if (choices.empty()) break;
      apply(choices);
    }
    go_back_to_best();
    count_left_over();
    const Badness left = badness(now_);
    out_.errors_left = left.unloadable ? 1 : left.errors;
    return std::move(out_);
  }

 private:
  /// A fix may uncover the next fault, and that one's fix another; where such a chain ends no better than it began,
  /// nothing of it stays.
  void go_back_to_best() {
    out_.text = std::move(best_text_);
    out_.applied.resize(best_applied_);
    now_ = std::move(best_);
  }

  /// `keeps_meaning`: safe fixes alone lead from the best text to this one. What they uncover was wrong all along.
  void remember_if_best(bool keeps_meaning) {
    const auto order = badness(now_) <=> badness(best_);
    if (std::is_gt(order)) return;
    if (std::is_eq(order) && !adds_no_fault(best_, now_) && !keeps_meaning) return;
    best_ = now_;
    best_text_ = out_.text;
    best_applied_ = out_.applied.size();
  }

  /// Counted by doing it: some fixes overlap, make others needless, or uncover more.
  void count_left_over() {
    if (level_ == FixLevel::all) return;
    const bool has_any = std::ranges::any_of(
        now_.findings, [&](const Finding& finding) { return choose(finding, FixLevel::all).has_value(); });
    if (has_any) out_.unsafe_left_over = further_(out_.text);
  }

  /// The first fix of a finding that the level allows and that can be made; safe ones first.
  std::optional<Choice> choose(const Finding& finding, FixLevel level) const {
    for (const bool safe : {true, false}) {
      if (!safe && level == FixLevel::safe) break;
      for (const Fix& fix : finding.fixes) {
        if (fix.safe != safe || !edits_text(fix, out_.text)) continue;
        Choice choice{{finding.rule, fix.title}, finding.severity, finding.message, fix.safe, fix.edits};
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

  /// What some edits make of the text.
  struct Step {
    std::string text;
    Judgement judgement;
    std::vector<Choice> taken;
  };

  /// The step that makes these choices beside those of `before`; nothing where they cannot be made together, or lead
  /// to a text that was there already, or to a worse one.
  std::optional<Step> step(const Step& before, std::span<const Choice> choices) const {
    Step out{.text = {}, .judgement = {}, .taken = before.taken};
    out.taken.insert(out.taken.end(), choices.begin(), choices.end());
    std::vector<Edit> edits;
    for (const Choice& choice : out.taken) edits.insert(edits.end(), choice.edits.begin(), choice.edits.end());
    std::optional<std::string> text = edit_document(edits);
    if (!text || seen_.contains(*text)) return std::nullopt;
    out.judgement = judge_(*text);
    if (badness(out.judgement) > badness(now_)) return std::nullopt;
    out.text = *std::move(text);
    return out;
  }

  /// Each of the choices mends what it was made for, and nothing else breaks.
  bool mends_all(std::span<const Choice> choices, const Judgement& after) const {
    Badness promised = badness(now_);
    for (const Choice& choice : choices) {
      promised.errors -= choice.severity == Severity::error ? 1 : 0;
      promised.warnings -= choice.severity == Severity::warning ? 1 : 0;
    }
    const Badness is = badness(after);
    return is.errors <= promised.errors && is.warnings <= promised.warnings && adds_no_fault(now_, after);
  }

  /// Adds to `made` as many of the choices as mend what they promise: all at once, or else each half by itself.
  void gather(std::span<const Choice> choices, Step& made) const {
    std::optional<Step> next = step(made, choices);
    if (next && mends_all(next->taken, next->judgement)) {
      made = *std::move(next);
    } else if (choices.size() > 1) {
      gather(choices.first(choices.size() / 2), made);
      gather(choices.subspan(choices.size() / 2), made);
    }
  }

  /// Which of a step's choices may be needless: their findings go away by others of the step. Any two choices differ
  /// in a bit of their numbers, so trying all with a bit set and all without it finds every such pair.
  std::vector<std::size_t> doubtful(const std::vector<Choice>& all) const {
    std::set<std::size_t, std::greater<>> out;  // the last first: of two that do for each other, the first stays
    for (std::size_t bit = 1; bit < all.size(); bit *= 2) {
      for (const bool set : {false, true}) {
        std::vector<Choice> some;
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (((i & bit) != 0) == set) some.push_back(all[i]);
        }
        const std::optional<Step> without_others = step({}, some);
        if (!without_others) continue;
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (((i & bit) != 0) != set && !is_in(all[i], without_others->judgement)) out.insert(i);
        }
      }
    }
    return {out.begin(), out.end()};
  }

  static bool is_in(const Choice& choice, const Judgement& judgement) {
    return std::ranges::any_of(judgement.findings, [&](const Finding& finding) {
      return finding.rule == choice.fix.rule && finding.message == choice.message;
    });
  }

  /// Leaves out what the other choices of the step do without: switching one key off may end what another key was to be
  /// switched on for.
  void drop_needless(Step& made) const {
    if (made.taken.size() < 2) return;
    const std::vector<Choice> promised = made.taken;
    for (const std::size_t at : doubtful(made.taken)) {
      std::vector<Choice> fewer = made.taken;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      std::optional<Step> next = fewer.empty() ? std::nullopt : step({}, fewer);
      if (next && mends_all(promised, next->judgement)) made = *std::move(next);
    }
  }

  void take(Step made) {
    seen_.insert(made.text);
    out_.text = std::move(made.text);
    const bool was_best = out_.applied.size() == best_applied_;
    const bool keeps_meaning = was_best && std::ranges::all_of(made.taken, &Choice::safe);
    for (Choice& choice : made.taken) out_.applied.push_back(std::move(choice.fix));
    now_ = std::move(made.judgement);
    remember_if_best(keeps_meaning);
  }

  /// What mends and breaks nothing, together; where nothing is of that kind, the first choice that does not make the
  /// text worse. Those before it are not tried again.
  void apply(const std::vector<Choice>& choices) {
    Step made;
    gather(choices, made);
    drop_needless(made);
    if (!made.taken.empty()) return take(std::move(made));
    for (const Choice& choice : choices) {
      if (std::optional<Step> next = step({}, {&choice, 1})) return take(*std::move(next));
      refused_.insert(name_of(choice));
    }
  }

  const Judge& judge_;
  FixLevel level_;
  CountFurther further_;
  Judgement now_;
  Judgement best_;  ///< of the least bad text so far
  std::string best_text_;
  std::size_t best_applied_ = 0;  ///< how many fixes lead to it
  Mended out_;
  std::set<std::string> refused_;  ///< fixes that made the text worse
  std::set<std::string> seen_;     ///< so that two rules that want opposite things come to an end
};

}  // namespace

Mended mend(const std::string& text, const Judge& judge, FixLevel level) {
  const CountFurther further = [&judge](const std::string& left) {
    return mend(left, judge, FixLevel::all).applied.size();
  };
  return Mender(text, judge, level, further).run();
}

Mended mend_unless_one_change_does(const std::string& text, const Judge& judge, FixLevel level,
                                   const OneChangeIsEnough& one_change_is_enough) {
  const CountFurther further = [&](const std::string& left) {
    return mend_unless_one_change_does(left, judge, FixLevel::all, one_change_is_enough).applied.size();
  };
  Mended out = Mender(text, judge, level, further).run();
  if (level == FixLevel::safe || out.errors_left == 0 || !one_change_is_enough(text)) return out;
  const Judge without_workarounds = [&judge](const std::string& now) {
    Judgement judgement = judge(now);
    for (Finding& finding : judgement.findings) {
      if (finding.severity == Severity::error) std::erase_if(finding.fixes, [](const Fix& fix) { return !fix.safe; });
    }
    return judgement;
  };
  return mend(text, without_workarounds, level);
}

}  // namespace primus_plan
