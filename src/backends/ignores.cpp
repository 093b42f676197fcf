#include "backends/ignores.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "config/faults.h"
#include "config/ignore_rules.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/diagnostics/rule_choice.h"
#include "primus_plan/layout/advice.h"
#include "primus_plan/layout/topology.h"

namespace primus_plan {
namespace {

/// One rule word of one comment.
struct Word {
  const IgnoreComment* comment = nullptr;
  std::string_view text;
  std::vector<const RuleInfo*> rules;
  bool is_used = false;

  bool covers(const RuleInfo& rule) const { return std::ranges::find(rules, &rule) != rules.end(); }
};

std::vector<Word> words_of(const std::vector<IgnoreComment>& comments, RuleList rules) {
  std::vector<Word> words;
  for (const IgnoreComment& comment : comments) {
    for (const std::string_view text : comment.rules) words.push_back({&comment, text, rules_called(text, rules)});
  }
  return words;
}

/// The comments of one text, in order, so that the words' lines ascend.
struct Comments {
  std::vector<IgnoreComment> comments;
  std::vector<Word> words;

  Comments(std::vector<IgnoreComment> found, RuleList rules)
      : comments(std::move(found)), words(words_of(comments, rules)) {}

  /// Marks every word that covers the finding.
  bool silence(const RuleInfo& rule, std::uint32_t line) {
    bool silenced = false;
    const auto line_of = [](const Word& word) { return word.comment->line; };
    auto word = std::ranges::lower_bound(words, line, {}, line_of);
    for (; word != words.end() && word->comment->line == line; ++word) {
      if (word->comment->reason.empty() || !word->covers(rule)) continue;
      word->is_used = true;
      silenced = true;
    }
    return silenced;
  }
};

class Ignores {
 public:
  explicit Ignores(const Experiment& experiment) : experiment_(experiment) {}

  bool silences(const Finding& finding, const Analysis& analysis) {
    const Origin& place = finding.primary.origin ? finding.primary.origin : analysis.origin;
    if (!place || place.line == 0) return false;
    return comments_of(*place.source).silence(*finding.rule, place.line);
  }

  /// What is wrong with the comments of an experiment that has some. `had_errors`: before anything was silenced.
  /// Topology is not judged then, so comments about it may wait.
  std::vector<Finding> faults(bool all_judged, bool had_errors) {
    std::vector<Finding> out;
    const Comments& own = comments_of(*experiment_.ignores.front().origin.source);
    auto word = own.words.begin();
    for (const IgnoreComment& comment : own.comments) {
      const bool no_reason = comment.reason.empty();
      if (no_reason) {
        out.push_back(fault(loading::ignore_without_reason, comment.origin,
                            "the comment silences rules without a reason",
                            {"say after the bracket why: # primus-plan: ignore[RULE] reason"}));
      }
      if (comment.rules.empty()) {
        out.push_back(fault(loading::ignore_of_unknown_rule, comment.origin, "the comment names no rule",
                            {"name one between the brackets: ignore[MG203]"}));
      }
      for (; word != own.words.end() && word->comment == &comment; ++word) {
        if (word->rules.empty()) {
          out.push_back(fault(loading::ignore_of_unknown_rule, comment.origin, unknown_rule_text(word->text, rules_)));
        } else if (!no_reason && !word->is_used && all_judged && !(had_errors && is_topology(*word))) {
          out.push_back(unused(comment, *word));
        }
      }
    }
    return out;
  }

 private:
  Comments& comments_of(const Source& source) {
    if (rules_.empty()) rules_ = all_rules();
    const auto found = sources_.find(&source);
    if (found != sources_.end()) return found->second;
    // Of the documents of one file, each has its own comments.
    const bool is_own = !experiment_.ignores.empty() && experiment_.ignores.front().origin.source == &source;
    return sources_.try_emplace(&source, is_own ? experiment_.ignores : find_ignores(source), rules_).first->second;
  }

  /// Rules about placed ranks alone.
  static bool is_topology(const Word& word) {
    return std::ranges::all_of(word.rules, [](const RuleInfo* rule) {
      const auto same = [rule](const Rule<PlacedRun>& one) { return &one.info == rule; };
      return std::ranges::any_of(topology_rules(), same) || std::ranges::any_of(advice_rules(), same);
    });
  }

  static Finding unused(const IgnoreComment& comment, const Word& word) {
    Finding finding = fault(
        loading::unused_ignore, comment.origin,
        fmt::format("{} has no finding on line {}, so there is nothing to silence", word.text, comment.line),
        {comment.rules.size() == 1 ? "remove the comment" : fmt::format("take {} out of the brackets", word.text)});
    if (comment.rules.size() == 1 && comment.comment) {
      finding.fixes.push_back({"remove the comment", {Edit{comment.comment, ""}}, true});
    }
    return finding;
  }

  const Experiment& experiment_;
  std::vector<const RuleInfo*> rules_;
  std::map<const Source*, Comments> sources_;
};

}  // namespace

void apply_ignores(const Experiment& experiment, std::vector<Analysis>& analyses) {
  if (analyses.empty()) return;
  Ignores ignores(experiment);
  bool all_judged = true;
  bool had_errors = false;
  for (Analysis& analysis : analyses) {
    all_judged = all_judged && analysis.is_judged && analysis.run.degrees.data > 0;
    had_errors = had_errors || analysis.errors > 0;
    const auto silenced = [&](const Finding& finding) { return ignores.silences(finding, analysis); };
    if (std::erase_if(analysis.findings, silenced) > 0) recount(analysis);
  }
  if (experiment.ignores.empty()) return;
  std::vector<Finding> faults = ignores.faults(all_judged, had_errors);
  if (faults.empty()) return;
  std::ranges::move(faults, std::back_inserter(analyses.front().findings));
  recount(analyses.front());
}

}  // namespace primus_plan
