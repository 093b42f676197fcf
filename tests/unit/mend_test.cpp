// The rounds of fixing, apart from any rule: a judge made by hand finds the faults.
#include "primus_plan/planner/mend.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "config/source_text.h"

namespace primus_plan {
namespace {

/// For each word of a text, what is wrong with it and what stands in its place afterwards.
struct Fault {
  Severity severity = Severity::error;
  std::string to;
  bool safe = false;
  const RuleInfo* of = nullptr;  ///< rule() when null
};

RuleInfo made_up(std::string_view id) {
  return RuleInfo{.id = id,
                  .name = "made-up",
                  .severity = Severity::error,
                  .stage = Stage::arguments,
                  .runtime_site = "",
                  .outcome = "",
                  .summary = "",
                  .explanation = "",
                  .bad = {.world_size = 1, .yaml = ""},
                  .good = {.world_size = 1, .yaml = ""}};
}

const RuleInfo* rule() {
  static const RuleInfo info = made_up("XX101");
  return &info;
}

const RuleInfo* other_rule() {
  static const RuleInfo info = made_up("XX102");
  return &info;
}

Judge judge_of(const std::map<std::string, std::vector<Fault>>& faults) {
  return [faults](const std::string& text) {
    Judgement out{.findings = {}, .sources = {std::make_shared<const Source>("exp.yaml", text)}, .is_loaded = true};
    for (const auto& [word, list] : faults) {
      const std::size_t at = text.find(word);
      if (at == std::string::npos) continue;
      const Origin where = origin_in(*out.sources[0], at, at + word.size(), Layer::experiment);
      for (const Fault& fault : list) {
        Finding finding;
        finding.rule = fault.of != nullptr ? fault.of : rule();
        finding.severity = fault.severity;
        if (!fault.to.empty())
          finding.fixes.push_back({"write " + fault.to, {{.where = where, .replacement = fault.to}}, fault.safe});
        out.findings.push_back(finding);
      }
    }
    return out;
  };
}

TEST(Mend, AppliesSafeFixesOnly) {
  const Judge judge = judge_of({{"one", {{.to = "1", .safe = true}}}, {"two", {{.to = "2", .safe = false}}}});
  const Mended safe = mend("a: one\nb: two\n", judge, FixLevel::safe);
  EXPECT_EQ(safe.text, "a: 1\nb: two\n");
  EXPECT_EQ(safe.applied.size(), 1U);
  EXPECT_EQ(safe.unsafe_left_over, 1U);
  const Mended all = mend("a: one\nb: two\n", judge, FixLevel::all);
  EXPECT_EQ(all.text, "a: 1\nb: 2\n");
  EXPECT_EQ(all.unsafe_left_over, 0U);
}

TEST(Mend, CountsWhatTheOtherLevelWouldDo) {
  const Judge judge = judge_of({{"one", {{.to = "1"}, {.to = "uno"}}}});
  EXPECT_EQ(mend("a: one\n", judge, FixLevel::safe).unsafe_left_over, 1U) << "two findings, whose fixes overlap";
}

TEST(Mend, CountsNoWorkarounds) {
  const Judge judge = judge_of({{"bad", {{.to = ""}}}, {"one", {{.to = "1"}}}});
  const std::string text = "a: bad\nb: one\n";
  const auto left_over = [&](bool enough) {
    return mend_unless_one_change_does(text, judge, FixLevel::safe, [=](const std::string&) { return enough; })
        .unsafe_left_over;
  };
  EXPECT_EQ(left_over(false), 1U);
  EXPECT_EQ(left_over(true), 0U) << "--fix-unsafe leaves it alone";
}

TEST(Mend, TheFirstOfOverlappingFixesWins) {
  const Judge judge = judge_of({{"one", {{.to = "1"}, {.to = "uno"}}}});
  EXPECT_EQ(mend("a: one\n", judge, FixLevel::all).text, "a: 1\n");
}

TEST(Mend, GoesOnWithWhatTheFirstRoundUncovers) {
  const Judge judge = judge_of({{"one", {{.to = "two"}}}, {"two", {{.to = "three"}}}});
  const Mended mended = mend("a: one\n", judge, FixLevel::all);
  EXPECT_EQ(mended.text, "a: three\n");
  EXPECT_EQ(mended.applied.size(), 2U);
}

TEST(Mend, TakesBackWhatMakesTheTextWorse) {
  const Judge judge = judge_of({{"one", {{.to = "worse"}}},
                                {"two", {{.to = "2"}}},
                                {"worse", {{.to = ""}, {.to = ""}}},
                                {"odd", {{.severity = Severity::warning, .to = "wrong"}}},
                                {"wrong", {{.severity = Severity::error, .to = ""}}}});
  EXPECT_EQ(mend("a: one\nb: two\nc: odd\n", judge, FixLevel::all).text, "a: one\nb: 2\nc: odd\n");
}

TEST(Mend, AChainThatEndsWithOtherFaultsButNotFewerIsTakenBack) {
  const Judge trade = judge_of({{"one", {{.to = "two"}}}, {"two", {{.to = "", .of = other_rule()}}}});
  const Mended kept = mend("a: one\n", trade, FixLevel::all);
  EXPECT_EQ(kept.text, "a: one\n");
  EXPECT_TRUE(kept.applied.empty());
}

TEST(Mend, WhatASafeFixUncoversWasWrongAllAlong) {
  const Judge judge = judge_of({{"one", {{.to = "two", .safe = true}}}, {"two", {{.to = "", .of = other_rule()}}}});
  EXPECT_EQ(mend("a: one\n", judge, FixLevel::safe).text, "a: two\n");
}

TEST(Mend, AChainOverAnotherFaultIsKeptWhenItEndsWell) {
  const Judge chain = judge_of({{"one", {{.to = "two"}}}, {"two", {{.to = "three", .of = other_rule()}}}});
  EXPECT_EQ(mend("a: one\n", chain, FixLevel::all).text, "a: three\n");
}

TEST(Mend, WhatIsGoodStaysWhenALaterChainIsTakenBack) {
  const Judge judge =
      judge_of({{"odd", {{.to = "even"}}}, {"one", {{.to = "two"}}}, {"two", {{.to = "", .of = other_rule()}}}});
  const Mended mended = mend("a: odd\nb: one\n", judge, FixLevel::all);
  EXPECT_EQ(mended.text, "a: even\nb: one\n");
  EXPECT_EQ(mended.applied.size(), 1U);
}

TEST(Mend, FixesWhoseSumBringsANewFaultAreTriedOneByOne) {
  // Two errors become one of another rule: better, though the whole round at once is not taken.
  const Judge judge =
      judge_of({{"one", {{.to = "x"}}}, {"two", {{.to = "y"}}}, {"x\nb: y", {{.to = "", .of = other_rule()}}}});
  EXPECT_EQ(mend("a: one\nb: two\n", judge, FixLevel::all).text, "a: x\nb: two\n");
}

/// "gather" needs "sharded" and "overlap": turning gather off ends both faults.
TEST(Mend, AFixWhoseFaultAnotherOneEndsIsNotMade) {
  const Judge judge = [](const std::string& text) {
    Judgement out{.findings = {}, .sources = {std::make_shared<const Source>("exp.yaml", text)}, .is_loaded = true};
    const std::size_t gather = text.find("gather: on");
    if (gather == std::string::npos) return out;
    const auto report = [&](const RuleInfo* info, std::size_t begin, std::size_t end, const char* to) {
      Finding finding;
      finding.rule = info;
      finding.message = info->id;
      const Origin where = origin_in(*out.sources[0], begin, end, Layer::experiment);
      finding.fixes.push_back({"write", {{.where = where, .replacement = to}}, false});
      out.findings.push_back(finding);
    };
    if (const std::size_t at = text.find("overlap: off"); at != std::string::npos)
      report(other_rule(), at + 9, at + 12, "on");
    if (text.find("sharded: off") != std::string::npos) report(rule(), gather + 8, gather + 10, "off");
    return out;
  };
  const Mended mended = mend("sharded: off\ngather: on\noverlap: off\n", judge, FixLevel::all);
  EXPECT_EQ(mended.text, "sharded: off\ngather: off\noverlap: off\n");
  EXPECT_EQ(mended.applied.size(), 1U);
  EXPECT_EQ(mend("sharded: on\ngather: on\noverlap: off\n", judge, FixLevel::all).text,
            "sharded: on\ngather: on\noverlap: on\n");
}

TEST(Mend, TwoRulesThatWantOppositeThingsEnd) {
  const Judge judge = judge_of({{"left", {{.to = "right"}}}, {"right", {{.to = "left"}}}});
  EXPECT_EQ(mend("a: left\n", judge, FixLevel::all).text, "a: right\n");
}

TEST(Mend, NoWorkaroundsWhereOneChangeIsEnough) {
  // "bad" is what has to change; "one" only suffers from it, and "odd" is another matter.
  const Judge judge = judge_of(
      {{"bad", {{.to = ""}}}, {"one", {{.to = "1"}}}, {"odd", {{.severity = Severity::warning, .to = "even"}}}});
  const std::string text = "a: bad\nb: one\nc: odd\n";
  const Mended plain =
      mend_unless_one_change_does(text, judge, FixLevel::all, [](const std::string&) { return false; });
  EXPECT_EQ(plain.text, "a: bad\nb: 1\nc: even\n");
  EXPECT_EQ(plain.errors_left, 1U);
  const Mended held = mend_unless_one_change_does(text, judge, FixLevel::all, [](const std::string&) { return true; });
  EXPECT_EQ(held.text, "a: bad\nb: one\nc: even\n");
  EXPECT_EQ(held.errors_left, 2U);
  EXPECT_EQ(mend_unless_one_change_does("b: one\n", judge, FixLevel::all, [](const std::string&) { return true; }).text,
            "b: 1\n");
}

TEST(Mend, LeavesOtherFilesAlone) {
  const Judge judge = [](const std::string&) {
    Judgement out{
        .findings = {}, .sources = {std::make_shared<const Source>("base.yaml", "a: one\n")}, .is_loaded = true};
    Finding finding;
    finding.rule = rule();
    const Origin where = origin_in(*out.sources[0], 3, 6, Layer::experiment);
    finding.fixes.push_back({"write 1", {{.where = where, .replacement = "1"}}, true});
    out.findings.push_back(finding);
    return out;
  };
  EXPECT_EQ(mend("extends: base.yaml\n", judge, FixLevel::all).text, "extends: base.yaml\n");
}

}  // namespace
}  // namespace primus_plan
