// Any bytes as an experiment whose findings are mended: every edit changes what it says it changes and nothing else.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "fuzz/target.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/document.h"
#include "primus_plan/config/edit_check.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/planner/mend.h"

namespace {

using namespace primus_plan;  // NOLINT(google-build-using-namespace): one small program

/// The values of a text by their paths, written out.
using Values = std::map<std::string, std::string>;

void collect(const Node& node, const std::string& path, Values& values) {
  for (const Entry& entry : node.entries()) collect(*entry.value, path + "/" + to_text(*entry.key), values);
  for (std::size_t i = 0; i < node.items.size(); ++i) collect(*node.items[i], path + "#" + std::to_string(i), values);
  if (node.entries().empty() && node.items.empty()) values[path] = to_text(node);
}

Values values_of(const std::string& text) {
  const Source source("e.yaml", text);
  Remarks remarks;
  Values values;
  for (const NodePtr& root : parse_yaml_documents(source, Layer::experiment, {}, remarks)) {
    collect(*root, std::to_string(values.size()), values);
  }
  return values;
}

Judgement judge(const std::string& text) {
  static const MemoryFiles files;
  static const Environment environment;
  static const Loader loader(files, environment);
  LoadResult loaded = loader.load_text("e.yaml", text, {});
  Judgement out{.findings = std::move(loaded.errors), .sources = std::move(loaded.sources), .is_loaded = false};
  out.is_loaded = out.findings.empty();
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch{.world_size = 16, .nodes = 2, .gpus_per_node = 8, .source = {}, .assumed = false};
    for (Analysis& module : analyze(experiment, launch, environment, {})) {
      for (Finding& finding : module.findings) out.findings.push_back(std::move(finding));
    }
    out.sources.insert(out.sources.end(), experiment.sources.begin(), experiment.sources.end());
  }
  return out;
}

std::size_t errors_of(const Judgement& judgement) {
  std::size_t errors = 0;
  for (const Finding& finding : judgement.findings) errors += finding.severity == Severity::error ? 1 : 0;
  return errors;
}

/// Values that differ, entries that are only in one of both included.
std::size_t differences(const Values& before, const Values& after) {
  std::size_t count = 0;
  for (const auto& [path, value] : before) {
    const auto found = after.find(path);
    count += found == after.end() || found->second != value ? 1 : 0;
  }
  for (const auto& [path, value] : after) count += before.contains(path) ? 0 : 1;
  return count;
}

void check_edits(const std::string& text, const std::vector<Edit>& edits) {
  const std::optional<std::string> edited = edit_document(edits);
  if (!edited) return;
  // A renamed key vanishes at one path and appears at another.
  fuzz::require(differences(values_of(text), values_of(*edited)) <= 2 * edits.size(),
                "an edit changes what it says and nothing else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const Judgement before = judge(text);
  for (const Finding& finding : before.findings) {
    for (const Fix& fix : finding.fixes) {
      if (!fix.edits.empty() && fix.edits.front().where && fix.edits.front().where.source->text() == text) {
        check_edits(text, fix.edits);
      }
    }
  }
  const Mended mended = mend(text, judge, FixLevel::all);
  fuzz::require(mended.applied.empty() == (mended.text == text), "a text changes by fixes alone");
  if (mended.applied.empty()) return 0;
  const Judgement after = judge(mended.text);
  fuzz::require(after.is_loaded || !before.is_loaded, "a mended text can be loaded");
  if (before.is_loaded) fuzz::require(errors_of(after) <= errors_of(before), "and has no more errors");
  return 0;
}
