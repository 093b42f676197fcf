// Any bytes as an experiment whose findings are mended: every edit changes what it says it changes and nothing else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/document.h"
#include "primus_plan/config/edit_check.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/planner/mend.h"

namespace {

using namespace primus_plan;  // NOLINT(google-build-using-namespace): one small program

/// Keys may be of any type, so they are compared as written.
const Entry* entry_of(const Node& node, const std::string& key) {
  const auto found =
      std::ranges::find_if(node.entries(), [&](const Entry& entry) { return to_text(*entry.key) == key; });
  return found == node.entries().end() ? nullptr : &*found;
}

/// Entries and items that differ; one that is on one side only counts once, whatever it holds.
std::size_t differences(const Node& before, const Node& after) {
  std::size_t count = 0;
  if (before.entries().empty() != after.entries().empty() || before.items.empty() != after.items.empty()) return 1;
  for (const Entry& entry : before.entries()) {
    const Entry* other = entry_of(after, to_text(*entry.key));
    count += other == nullptr ? 1 : differences(*entry.value, *other->value);
  }
  for (const Entry& entry : after.entries()) count += entry_of(before, to_text(*entry.key)) == nullptr ? 1 : 0;
  const std::size_t both = std::min(before.items.size(), after.items.size());
  for (std::size_t i = 0; i < both; ++i) count += differences(*before.items[i], *after.items[i]);
  count += std::max(before.items.size(), after.items.size()) - both;
  const bool holds_values = before.entries().empty() && before.items.empty();
  return count + (holds_values && to_text(before) != to_text(after) ? 1 : 0);
}

std::vector<NodePtr> documents_of(const Source& source) {
  Remarks remarks;
  return parse_yaml_documents(source, Layer::experiment, {}, remarks);
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

void check_edits(const std::string& text, const std::vector<Edit>& edits) {
  const std::optional<std::string> edited = edit_document(edits);
  if (!edited) return;
  const Source old_source("e.yaml", text);
  const Source new_source("e.yaml", *edited);
  const std::vector<NodePtr> before = documents_of(old_source);
  const std::vector<NodePtr> after = documents_of(new_source);
  fuzz::require(before.size() == after.size(), "an edit leaves the documents");
  std::size_t differing = 0;
  for (std::size_t i = 0; i < before.size(); ++i) differing += differences(*before[i], *after[i]);
  // A renamed key vanishes in one place and appears in another.
  fuzz::require(differing <= 2 * edits.size(), "an edit changes what it says and nothing else");
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
