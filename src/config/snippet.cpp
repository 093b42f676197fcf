#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/key_names.h"
#include "config/loading.h"
#include "config/namespaces.h"
#include "config/snippet_keys.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::string_view module_name = "pre_trainer";
constexpr std::string_view module_preset = "pre_trainer.yaml";
constexpr std::size_t most_slips = 3;  ///< of a key that is recognised all the same

Entry assumed_entry(std::string_view key, std::string_view text) {
  return make_entry(key, make_string(std::string(text)), {});
}

ModuleDraft draft_for(const SnippetBackend& backend, const Origin& origin, NodePtr overrides) {
  return {.name = std::string(module_name),
          .origin = origin,
          .framework = std::string(backend.framework),
          .config = assumed_entry("config", module_preset),
          .model = assumed_entry("model", backend.model),
          .framework_entry = assumed_entry("framework", backend.framework),
          .overrides = std::move(overrides)};
}

/// Whether a framework has this key, or this section, at the top.
bool has_key(const SnippetBackend& backend, const Entry& entry) {
  const std::string& key = entry.key->text;
  if (entry.value->is_mapping() && has_section(framework_key_names(backend.framework), key)) return true;
  const KeyName* known = find_read_key(backend.framework, key);
  if (known == nullptr) return false;
  return !entry.value->is_mapping() || known->type == KeyType::mapping;
}

/// How many keys of the snippet tell of each backend. Keys that the table does not know are looked up in the
/// catalogues.
std::vector<std::size_t> count_keys(const Node& root) {
  const std::span<const SnippetBackend> backends = snippet_backends();
  std::vector<std::size_t> counts(backends.size());
  for (const Entry& entry : root.entries()) {
    const KeyOwner owner = owner_of_key(entry.key->text, entry.value->is_mapping());
    if (owner.shared) continue;
    for (std::size_t i = 0; i < backends.size(); ++i) {
      const bool owns =
          owner.framework.empty() ? has_key(backends[i], entry) : owner.framework == backends[i].framework;
      if (owns) ++counts[i];
    }
  }
  return counts;
}

/// The sections of a framework, in the order of its keys; repeated.
std::vector<std::string_view> section_names(std::string_view framework) {
  std::vector<std::string_view> out;
  for (const KeyName& key : framework_key_names(framework)) {
    const std::size_t dot = key.name.find('.');
    if (dot != std::string_view::npos) out.push_back(key.name.substr(0, dot));
  }
  return out;
}

/// How many keys are a slip of the pen away from one of each backend's, and from no other's by less. The first keys
/// tell: a file of thousands that no backend knows is no misspelt snippet, and each is compared with every name.
std::vector<std::size_t> count_near_keys(const Node& root) {
  constexpr std::size_t most_keys = 64;
  struct Names {
    std::vector<std::string_view> sections;
    std::vector<std::string_view> keys;
  };
  std::vector<Names> known;
  for (const SnippetBackend& backend : snippet_backends()) {
    known.push_back({section_names(backend.framework), read_key_names(backend.framework)});
  }
  std::vector<std::size_t> counts(known.size());
  for (const Entry& entry : std::span(root.entries()).first(std::min(most_keys, root.entries().size()))) {
    std::vector<std::size_t> distances;
    for (const Names& backend : known) {
      const auto& names = entry.value->is_mapping() ? backend.sections : backend.keys;
      const auto near = nearest_names(entry.key->text, names, 1);
      distances.push_back(near.empty() ? std::string::npos : edit_distance(entry.key->text, near.front(), most_slips));
    }
    const std::size_t least = *std::ranges::min_element(distances);
    for (std::size_t i = 0; i < distances.size() && least <= most_slips; ++i) {
      if (distances[i] == least) ++counts[i];
    }
  }
  return counts;
}

/// "a, b or c": one of the names of every backend.
std::string backend_names(std::string_view SnippetBackend::*name) {
  const std::span<const SnippetBackend> backends = snippet_backends();
  std::string text(backends.front().*name);
  for (std::size_t i = 1; i < backends.size(); ++i) {
    text += fmt::format("{}{}", i + 1 == backends.size() ? " or " : ", ", backends[i].*name);
  }
  return text;
}

void report_unknown(Loading& loading, const Node& root) {
  const bool any_shared = std::ranges::any_of(root.entries(), [](const Entry& entry) {
    return entry.key->is_string() && owner_of_key(entry.key->text, entry.value->is_mapping()).shared;
  });
  if (any_shared) {
    loading.fail(fault(
        loading::snippet_backend_unknown, root.origin,
        fmt::format("the keys of this snippet do not tell whether it is for {}", backend_names(&SnippetBackend::title)),
        {fmt::format("say which with --backend {}", backend_names(&SnippetBackend::framework))}));
    return;
  }
  loading.fail(
      fault(loading::not_an_experiment, root.origin,
            fmt::format("this is no experiment (work_group, user_name, exp_name, workspace and modules are missing) "
                        "and no snippet of keys that {} have",
                        backend_names(&SnippetBackend::title)),
            {"add the missing keys to make it an experiment",
             fmt::format("or say whose keys these are with --backend {}", backend_names(&SnippetBackend::framework))}));
}

/// The backend asked for, or the one that most keys tell of; null when that is none or several.
const SnippetBackend* choose_backend(Loading& loading, const Node& root, const std::optional<std::string>& asked) {
  const std::span<const SnippetBackend> backends = snippet_backends();
  if (asked) {
    const auto found = std::ranges::find(backends, *asked, &SnippetBackend::framework);
    if (found != backends.end()) return &*found;
    loading.fail(fault(loading::snippet_backend_unknown, root.origin,
                       fmt::format("--backend {} is none of {}", *asked, backend_names(&SnippetBackend::framework))));
    return nullptr;
  }
  std::vector<std::size_t> counts = count_keys(root);
  if (std::ranges::max(counts) == 0) counts = count_near_keys(root);
  const auto most = std::ranges::max_element(counts);
  if (*most > 0 && std::ranges::count(counts, *most) == 1)
    return &backends[static_cast<std::size_t>(most - counts.begin())];
  if (*most == 0) {
    report_unknown(loading, root);
    return nullptr;
  }
  std::vector<std::string_view> tied;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == *most) tied.push_back(backends[i].framework);
  }
  loading.fail(fault(loading::snippet_backend_unknown, root.origin,
                     fmt::format("the keys of this snippet belong to several backends: {}", fmt::join(tied, " and ")),
                     {fmt::format("say which is meant with --backend {}", fmt::join(tied, " or --backend "))}));
  return nullptr;
}

/// What a Megatron run cannot start without and a snippet about parallelism leaves out.
NodePtr assumed_values(const SnippetBackend& backend, const Node& presets, const Node& snippet) {
  if (backend.framework != "megatron") return nullptr;
  const Node* length = snippet.get("seq_length");
  if (length == nullptr) length = presets.get("seq_length");
  std::vector<Entry> entries = {make_entry("position_embedding_type", make_string("rope"), {}),
                                make_entry("mock_data", make_boolean(true), {})};
  if (length != nullptr && length->kind == Kind::integer) {
    entries.push_back(make_entry("max_position_embeddings", make_integer(length->integer), {}));
  }
  return make_mapping(std::move(entries), {});
}

}  // namespace

void build_snippet(Loading& loading, const NodePtr& root, const std::optional<std::string>& backend,
                   Experiment& experiment) {
  experiment.is_snippet = true;
  if (const Entry* entry = find_key_that_is_no_text(*root)) {
    loading.fail(key_fault(*entry));
    return;
  }
  const SnippetBackend* chosen = choose_backend(loading, *root, backend);
  if (chosen == nullptr) return;
  const ModuleDraft draft = draft_for(*chosen, root->origin, root);
  NodePtr merged = merge_presets(loading, draft);
  if (!merged) return;
  if (const NodePtr assumed = assumed_values(*chosen, *merged, *root)) merged = deep_merge(merged, assumed);
  experiment.modules.push_back(make_module(draft, merge_namespaces(merged, root)));
  experiment.exp = make_mapping({}, root->origin);
}

}  // namespace primus_plan
