// Keys against what Primus's own schema check says of its shipped files, and against the frameworks' key lists.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "config/key_names.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* frameworks[] = {"megatron", "torchtitan", "maxtext"};

Json key_list(const std::string& file) {
  std::ifstream stream(test::oracle_dir().parent_path() / "facts/keys" / file);
  return stream ? Json::parse(stream) : Json();
}

bool has_data() { return !key_list("megatron.json").is_null() && fs::exists(test::corpus_dir()); }

/// Keys that a framework reads, Primus's own included.
std::set<std::string> read_keys(const std::string& framework) {
  std::set<std::string> out;
  const Json list = key_list(framework + ".json");
  for (const auto& [name, key] : list.at("keys").items()) out.insert(name);
  const Json primus = key_list("primus_extensions.json");
  const Json& own = primus.at("backends").at(framework);
  for (const char* part : {"extension_keys", "primus_only_in_use"}) {
    for (const auto& name : own.at(part)) out.insert(name.get<std::string>());
  }
  return out;
}

/// The word that a place marks.
std::string word_at(const Origin& where) {
  if (!where || where.line == 0) return {};
  return std::string(where.source->line(where.line).substr(where.column - 1, where.length));
}

/// Keys that are said to have no effect, or to be unknown.
void collect(const Finding& finding, std::set<std::string>& dead, std::set<std::string>& unknown) {
  const std::string_view id = finding.rule->id;
  const bool is_unknown = id == "MG802" || id == "TT811" || id == "MX801";
  if (is_unknown) unknown.insert(word_at(finding.primary.origin));
  if (is_unknown || id == "MG805") dead.insert(word_at(finding.primary.origin));
  if (id != "MG812") return;
  for (const Label& label : finding.related) dead.insert(word_at(label.origin));
}

struct Found {
  std::set<std::string> dead;
  std::set<std::string> unknown;
  std::size_t files = 0;
};

void check(const LoadResult& loaded, Found& out) {
  ++out.files;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch = assume_launch(8, 8);
    for (const Analysis& analysis : analyze(experiment, launch, Environment(), {})) {
      for (const Finding& finding : analysis.findings) collect(finding, out.dead, out.unknown);
    }
  }
}

std::string experiment_text(const std::string& framework, const std::string& config, const std::string& model) {
  return "work_group: t\nuser_name: u\nexp_name: e\nworkspace: w\nmodules:\n  pre_trainer:\n    framework: " +
         framework + "\n    config: " + config + "\n    model: " + model + "\n";
}

/// Every example of a framework, and every preset by itself.
Found check_corpus(const std::string& framework) {
  const DiskFiles files;
  const Loader loader(files, Environment());
  const fs::path root = test::corpus_dir() / "primus";
  const ExperimentOptions options{.primus_root = root.string()};
  Found out;
  for (const auto& file : fs::recursive_directory_iterator(root / "examples" / framework)) {
    if (file.path().extension() == ".yaml") check(loader.load(file.path().string(), options), out);
  }
  const fs::path models = root / "primus/configs/models" / framework;
  for (const auto& file : fs::recursive_directory_iterator(models)) {
    if (file.path().extension() != ".yaml") continue;
    const std::string model = fs::relative(file.path(), models).string();
    check(loader.load_text("preset.yaml", experiment_text(framework, "pre_trainer.yaml", model), options), out);
  }
  for (const auto& file : fs::directory_iterator(root / "primus/configs/modules" / framework)) {
    const std::string config = file.path().filename().string();
    const std::string model = fs::directory_iterator(models)->path().filename().string();
    check(loader.load_text("preset.yaml", experiment_text(framework, config, model), options), out);
  }
  return out;
}

/// What Primus's check reports although Primus acts on it: the env: map of an experiment is exported when a training
/// process starts (primus/core/runtime/train_runtime.py).
bool is_read_by_primus(const std::string& framework, const std::string& key) {
  return framework == "maxtext" && key == "env";
}

TEST(KeyCorpus, WhatPrimusReportsIsFound) {
  if (!has_data()) GTEST_SKIP() << "no key lists beside " << test::oracle_dir() << ", or no " << test::corpus_dir();
  const Json primus = key_list("primus_extensions.json");
  for (const std::string framework : frameworks) {
    const Found found = check_corpus(framework);
    EXPECT_GT(found.files, 20U) << framework;
    for (const char* list : {"unknown", "misplaced"}) {
      for (const Json& reported : primus.at("backends").at(framework).at(list)) {
        const std::string key = reported.at("key");
        if (is_read_by_primus(framework, key)) continue;
        EXPECT_TRUE(found.dead.contains(key))
            << framework << ": " << key << ", as in " << reported.value("example", "");
      }
    }
  }
}

TEST(KeyCorpus, NoKeyThatIsReadIsCalledUnknown) {
  if (!has_data()) GTEST_SKIP() << "no key lists beside " << test::oracle_dir() << ", or no " << test::corpus_dir();
  for (const std::string framework : frameworks) {
    std::set<std::string> read;
    for (const std::string& key : read_keys(framework)) read.insert(key.substr(key.rfind('.') + 1));
    for (const std::string& key : check_corpus(framework).unknown) {
      EXPECT_FALSE(read.contains(key)) << framework << ": " << key << " is called unknown";
    }
  }
}

TEST(KeyCorpus, CataloguesHoldEveryKeyThatIsRead) {
  if (!has_data()) GTEST_SKIP() << "no key lists beside " << test::oracle_dir();
  for (const std::string framework : frameworks) {
    for (const std::string& key : read_keys(framework)) {
      if (framework == std::string("torchtitan") && key == "model.n_layers") continue;  // a field of some models only
      EXPECT_NE(find_read_key(framework, key), nullptr) << framework << ": " << key;
    }
  }
}

}  // namespace
}  // namespace primus_plan
