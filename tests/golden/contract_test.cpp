// What others build on: fields of the JSON outputs, rule ids, exit codes. The stored lists below tests/golden/contract
// may grow (UPDATE_GOLDEN=1 adds what is new) but nothing in them may go or change.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using Lines = std::set<std::string>;

Lines read_lines(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  Lines out;
  for (std::string line; std::getline(text, line);) out.insert(line);
  return out;
}

/// Every stored line is still there, and every line is stored.
void expect_kept(const std::string& name, const Lines& now) {
  const std::filesystem::path path = source_dir() / "tests" / "golden" / "contract" / name;
  Lines stored = read_lines(path);
  for (const std::string& line : stored) EXPECT_TRUE(now.contains(line)) << name << " lost: " << line;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    stored.insert(now.begin(), now.end());
    std::ofstream out(path);
    for (const std::string& line : stored) out << line << '\n';
    return;
  }
  for (const std::string& line : now) EXPECT_TRUE(stored.contains(line)) << name << " does not store: " << line;
}

/// Keys that are data, not fields: objects below them are maps.
bool is_map(std::string_view path) {
  constexpr std::string_view maps[] = {".effective", ".values",     ".config", ".by_rule",     ".expected",
                                       ".fields",    ".properties", ".$defs",  ".definitions", ".overrides"};
  return std::ranges::any_of(maps, [&](std::string_view end) { return path.ends_with(end); });
}

std::string_view type_of(const nlohmann::json& value) {
  if (value.is_number()) return "number";
  return value.type_name();
}

/// "check: .files[].degrees.tensor number" for each field; nulls say nothing of the type.
void add_fields(const std::string& path, const nlohmann::json& value, Lines& out) {
  if (value.is_null()) return;
  if (value.is_array()) {
    for (const nlohmann::json& item : value) add_fields(path + "[]", item, out);
    return;
  }
  if (value.is_object() && !is_map(path)) {
    for (const auto& [key, item] : value.items()) add_fields(path + "." + key, item, out);
    return;
  }
  out.insert(fmt::format("{} {}", path, type_of(value)));
}

struct Asked {
  const char* name;
  std::vector<std::string> arguments;
};

std::vector<Asked> questions() {
  const std::string examples = (source_dir() / "examples").string();
  const std::string dense = examples + "/megatron/llama3.1_8B-8gpu.yaml";
  const std::string experts = examples + "/megatron/mixtral_8x7B-16gpu.yaml";
  const std::string titan = examples + "/torchtitan/llama3.1_70B-hsdp-64gpu.yaml";
  return {
      {"check", {"check", examples, "--worlds", "-v"}},
      {"check-faulty", {"check", dense, "--set", "tensor_model_parallel_size=3", "--set", "nonsense=1"}},
      {"estimate", {"estimate", experts}},
      {"layout", {"layout", titan}},
      {"pipeline", {"pipeline", dense, "--micro-batches", "2"}},
      {"plan", {"plan", dense, "--top", "2"}},
      {"sweep", {"sweep", dense, "--over", "tp=1,2,3"}},
      {"diff", {"diff", dense, experts}},
      {"translate", {"translate", dense, "--to", "torchtitan"}},
      {"advise", {"advise", dense}},
      {"what-if", {"what-if", dense, "--set", "tensor_model_parallel_size=2"}},
      {"what-if session", {"what-if", dense, "--command", "tp 2", "--command", "gbs 33", "--command", "show keys"}},
      {"keys", {"keys", "seq_length"}},
      {"rules", {"rules"}},
      {"models", {"models"}},
      {"hardware", {"hardware"}},
      {"accuracy", {"accuracy"}},
      {"config", {"config", "show", dense}},
      {"explain", {"explain", "MG101"}},
  };
}

TEST(Contract, JsonOutputsLoseNoField) {
  Lines now;
  for (const Asked& asked : questions()) {
    std::vector<std::string> arguments = asked.arguments;
    arguments.insert(arguments.end(), {"--format", "json"});
    const ProcessResult result = run_plan(arguments);
    const nlohmann::json answer = nlohmann::json::parse(result.out, nullptr, false);
    ASSERT_FALSE(answer.is_discarded()) << asked.name << ": " << result.err << result.out.substr(0, 200);
    add_fields(fmt::format("{}: ", asked.name), answer, now);
  }
  expect_kept("json-fields.txt", now);
}

TEST(Contract, RuleIdsKeepTheirMeaning) {
  Lines now;
  for (const RuleInfo* rule : all_rules()) {
    now.insert(fmt::format("{} {} {}", rule->id, rule->name, to_string(rule->severity)));
  }
  expect_kept("rules.txt", now);
}

struct Exit {
  int code;
  std::vector<std::string> arguments;
};

TEST(Contract, ExitCodesAreAsDocumented) {
  const TemporaryFolder folder;
  const std::string good = (source_dir() / "examples/megatron/llama3.1_8B-8gpu.yaml").string();
  const std::string broken = folder.write("broken.yaml", "modules: [\n");
  const std::vector<std::string> fault{"--set", "tensor_model_parallel_size=3"};
  for (const char* command : {"check", "estimate", "layout", "pipeline", "resolve", "plan", "advise"}) {
    SCOPED_TRACE(command);
    EXPECT_EQ(run_plan({command, good}).exit_code, 0);
    EXPECT_EQ(run_plan({command, broken}).exit_code, 1);
    EXPECT_EQ(run_plan({command, (folder.path() / "absent.yaml").string()}).exit_code, 2);
    EXPECT_EQ(run_plan({command, good, "--no-such-flag"}).exit_code, 2);
  }
  const auto with = [](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  EXPECT_EQ(run_plan(with({"check", good}, fault)).exit_code, 1);
  EXPECT_EQ(run_plan(with({"what-if", good}, fault)).exit_code, 1);
  EXPECT_EQ(run_plan({"what-if", good, "--set", "tensor_model_parallel_size=2"}).exit_code, 0);
  EXPECT_EQ(run_plan({"check", good, "--set", "no_such_key=1"}).exit_code, 0) << "warnings do not fail";
  EXPECT_EQ(run_plan({"check", good, "--set", "no_such_key=1", "--strict"}).exit_code, 1);
  EXPECT_EQ(run_plan({"diff", good, good, "--exit-code"}).exit_code, 0);
  EXPECT_EQ(run_plan({"diff", good, good, "--set-b", "lr=1", "--exit-code"}).exit_code, 1);
  EXPECT_EQ(run_plan({"why", good, "no_such_key"}).exit_code, 2);
  EXPECT_EQ(run_plan({"explain", "no-such-rule"}).exit_code, 2);
}

}  // namespace
}  // namespace primus_plan::test
