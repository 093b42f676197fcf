// ${VAR} and ${VAR:default}, with the types that Primus gives to what comes out.

#include <gtest/gtest.h>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

Environment variables() {
  Environment result;
  result.set("ONE", "1");
  result.set("TRUE", "tRuE");
  result.set("EXPONENT", "1e-5");
  result.set("EMPTY", "");
  result.set("SELF", "${SELF}");
  result.set("ARABIC", "٣");
  result.set("LIST", "[1, 2]");
  result.set("BIG", "123456789012345678901234567890");
  result.set("A B", "spaced");
  return result;
}

struct Case {
  std::string_view text;
  std::string_view expected;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.text; }

class Substitution : public ::testing::TestWithParam<Case> {};

TEST_P(Substitution, TypesAsPrimusDoes) {
  const NodePtr result = substitute_environment(make_string(std::string(GetParam().text)), variables());
  EXPECT_EQ(describe(*result), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Types, Substitution,
    ::testing::Values(Case{"${ONE}", "int 1"}, Case{"${TRUE}", "bool true"}, Case{"${EXPONENT}", "float 1.0e-05"},
                      Case{"${EMPTY}", "str "}, Case{"${SELF}", "str ${SELF}"}, Case{"${ARABIC}", "int 3"},
                      Case{"${LIST}", "str [1, 2]"}, Case{"${BIG}", "big 123456789012345678901234567890"},
                      Case{"${NO:08}", "int 8"}, Case{"${NO:-0}", "int 0"}, Case{"${NO:+1}", "str +1"},
                      Case{"${NO:+1.5}", "str +1.5"}, Case{"${NO:2.}", "float 2.0"}, Case{"${NO:.5}", "float 0.5"},
                      Case{"${NO:-.5e3}", "float -500.0"}, Case{"${NO:1e999}", "float .inf"},
                      Case{"${NO:.inf}", "str .inf"}, Case{"${NO:nan}", "str nan"}, Case{"${NO:1_000}", "str 1_000"},
                      Case{"${NO:yes}", "str yes"}, Case{"${NO:null}", "str null"}, Case{"${NO: 5}", "str  5"},
                      Case{"${NO:0x10}", "str 0x10"}, Case{"${NO:1e}", "str 1e"}, Case{"${NO:-}", "str -"}));

INSTANTIATE_TEST_SUITE_P(Forms, Substitution,
                         ::testing::Values(Case{"${ONE}${ONE}", "int 11"}, Case{"${ONE}e${ONE}", "float 10.0"},
                                           Case{"x${ONE}", "str x1"}, Case{"-${ONE}", "int -1"},
                                           Case{"$${ONE}", "str $1"}, Case{"${ONE", "str ${ONE"},
                                           Case{"$ {ONE}", "str $ {ONE}"}, Case{"${}", "str ${}"},
                                           Case{"${A B}", "str spaced"}, Case{"${ONE:${NO}}", "str 1}"},
                                           Case{"${NO:${ONE}}", "str ${ONE}"}, Case{"${NO:a:b}", "str a:b"},
                                           Case{"${NO:a\nb}", "str a\nb"}, Case{"5", "str 5"}, Case{"true", "str true"},
                                           Case{"${x${ONE}", "str ${x1"}));

TEST(Substitution, UnsetVariablesAreRefusedWhereTheyStand) {
  MemoryFiles files;
  files.put("main.yaml", "a: 1\nb:\n  - ${NOT_SET}\n");
  EXPECT_EQ(load_refusal(files), "environment-variable-not-set@3:5");
  try {
    load_document("main.yaml", Layer::experiment, files, {});
  } catch (const LoadError& error) {
    EXPECT_NE(error.finding().message.find("'NOT_SET'"), std::string::npos);
    EXPECT_EQ(to_string(error.finding().primary.origin), "main.yaml:3:5");
  }
}

TEST(Substitution, OnlyVariablesThatAreSetMakeTheLayerEnvironment) {
  const ParsedYaml parsed = parse("set: ${ONE}\ndefault: ${NO:1}\nplain: 1\n${ONE}: key\n");
  const NodePtr root = substitute_environment(parsed.root, variables());
  EXPECT_EQ(root->get("set")->origin.layer, Layer::environment);
  EXPECT_EQ(root->get("set")->raw, "${ONE}");
  ASSERT_EQ(root->get("set")->environment.size(), 1U);
  EXPECT_EQ(root->get("set")->environment[0].name, "ONE");
  EXPECT_TRUE(root->get("set")->environment[0].was_set);
  EXPECT_EQ(root->get("default")->origin.layer, Layer::experiment);
  EXPECT_FALSE(root->get("default")->environment[0].was_set);
  EXPECT_EQ(root->get("${ONE}")->text, "key") << "keys are left alone";
  EXPECT_EQ(root->find("set")->history->value, root->find("set")->value);
}

TEST(Substitution, UntouchedTreesAreShared) {
  const ParsedYaml parsed = parse("a: {b: [x]}\n");
  EXPECT_EQ(substitute_environment(parsed.root, variables()), parsed.root);
}

TEST(Substitution, SetsAreLeftAlone) {
  const ParsedYaml parsed = parse("v: !!set {'${ONE}'}\n");
  EXPECT_EQ(substitute_environment(parsed.root, variables())->get("v")->items[0]->text, "${ONE}");
}

}  // namespace
}  // namespace primus_plan::test
