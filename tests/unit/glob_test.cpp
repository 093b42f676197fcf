#include "primus_plan/support/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace primus_plan {
namespace {

struct GlobCase {
  std::string pattern;
  std::string path;
  bool matches;
};

class Glob : public testing::TestWithParam<GlobCase> {};

TEST_P(Glob, ReadsAsGitignoreDoes) {
  const GlobCase& c = GetParam();
  EXPECT_EQ(matches_glob(c.pattern, c.path), c.matches) << c.pattern << " against " << c.path;
}

INSTANTIATE_TEST_SUITE_P(
    All, Glob,
    testing::Values(GlobCase{"exp/70b/*", "exp/70b/a.yaml", true}, GlobCase{"exp/70b/*", "exp/70b/deep/a.yaml", true},
                    GlobCase{"exp/70b/*", "exp/7b/a.yaml", false}, GlobCase{"exp/70b/*", "other/exp/70b/a.yaml", false},
                    GlobCase{"exp/70b", "exp/70b/a.yaml", true}, GlobCase{"exp/70b/", "exp/70b/a.yaml", true},
                    GlobCase{"./exp/70b", "exp/70b/a.yaml", true}, GlobCase{"*.yaml", "exp/70b/a.yaml", true},
                    GlobCase{"*.yaml", "exp/70b/a.yml", false}, GlobCase{"/*.yaml", "exp/a.yaml", false},
                    GlobCase{"/*.yaml", "a.yaml", true}, GlobCase{"70b", "exp/70b/a.yaml", true},
                    GlobCase{"exp/*/a.yaml", "exp/70b/a.yaml", true},
                    GlobCase{"exp/*/a.yaml", "exp/70b/deep/a.yaml", false},
                    GlobCase{"exp/**/a.yaml", "exp/70b/deep/a.yaml", true},
                    GlobCase{"exp/**/a.yaml", "exp/a.yaml", true}, GlobCase{"exp/**/a.yaml", "exp/70b/ba.yaml", false},
                    GlobCase{"**/a.yaml", "a.yaml", true}, GlobCase{"**/70b/*-fp8*.yaml", "x/y/70b/m-fp8-1.yaml", true},
                    GlobCase{"?.yaml", "a.yaml", true}, GlobCase{"?.yaml", "ab.yaml", false},
                    GlobCase{"[a-c].yaml", "b.yaml", true}, GlobCase{"[!a-c].yaml", "b.yaml", false},
                    GlobCase{"[!a-c].yaml", "d.yaml", true}, GlobCase{"a[.yaml", "a[.yaml", true},
                    GlobCase{"", "a.yaml", false}, GlobCase{"*", "exp/a.yaml", true},
                    GlobCase{"**", "exp/a.yaml", true}));

TEST(Glob, ManyStarsDoNotTakeForever) {
  std::string pattern = "x/";
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(matches_glob(pattern + "b", "x/" + std::string(2000, 'a')));
}

}  // namespace
}  // namespace primus_plan
