#include <fmt/core.h>

#include <utility>

#include "config/document_rules.h"
#include "config/yaml/composer.h"

namespace primus_plan::yaml {
namespace {

constexpr std::string_view standard = "tag:yaml.org,2002:";

std::string_view short_name(std::string_view tag) {
  return tag.starts_with(standard) ? tag.substr(standard.size()) : std::string_view();
}

/// Whether PyYAML has a constructor for this tag at all; then it just does not fit the value.
bool is_known(std::string_view name) {
  return name == "seq" || name == "map" || name == "set" || name == "omap" || name == "pairs" ||
         type_of_tag(std::string(standard) + std::string(name)).has_value();
}

}  // namespace

void Composer::finish_sequence(Composed& sequence, const Event& event) {
  const std::string_view name = short_name(tag_of(event));
  if (event.tag <= EventStream::quoted_tag || name == "seq") return;
  if (name == "omap" || name == "pairs") return turn_items_into_pairs(sequence);
  if (!is_known(name)) fail_tag(event, sequence.node->origin, "Primus's YAML reader knows no such type");
  locator_.fail(loading::bad_value, sequence.node->origin, fmt::format("a list cannot be tagged !!{}", name));
}

void Composer::turn_items_into_pairs(Composed& sequence) {
  for (NodePtr& item : sequence.node->items) {
    if (!item->is_mapping() || item->entries().size() != 1) {
      locator_.fail(loading::bad_value, item->origin, "each item here must be a mapping of one key");
    }
    const Entry& entry = item->entries().front();
    auto pair = std::make_shared<Node>();
    pair->kind = Kind::tuple;
    pair->origin = item->origin;
    pair->items = {entry.key, entry.value};
    item = std::move(pair);
  }
}

void Composer::merge_into(MappingBuilder& builder, const Composed& value) {
  const auto merge_one = [&](const Node& mapping) {
    if (!mapping.is_mapping()) {
      locator_.fail(loading::bad_merge_key, mapping.origin,
                    fmt::format("'<<' needs a mapping or a list of mappings, but this is {}", to_string(mapping.kind)));
    }
    for (const Entry& entry : mapping.entries()) builder.add_merged(entry);
  };
  if (!value.node->is_sequence()) return merge_one(*value.node);
  // Of a list the first mapping is the strongest.
  for (auto item = value.node->items.rbegin(); item != value.node->items.rend(); ++item) merge_one(**item);
}

void Composer::finish_mapping(Composed& mapping, const Event& event, std::vector<Pair> pairs) {
  const std::string_view name = short_name(tag_of(event));
  const bool tagged = event.tag > EventStream::quoted_tag;
  if (tagged && name != "map" && name != "set") {
    if (!is_known(name)) fail_tag(event, mapping.node->origin, "Primus's YAML reader knows no such type");
    locator_.fail(loading::bad_value, mapping.node->origin, fmt::format("a mapping cannot be tagged !!{}", name));
  }
  MappingBuilder builder;
  for (const Pair& pair : pairs) {
    if (pair.key.type == ScalarType::merge) merge_into(builder, pair.value);
  }
  for (Pair& pair : pairs) {
    if (pair.key.type == ScalarType::merge) continue;
    const Origin origin = pair.key.node->origin;
    builder.add(std::move(pair.key.node), std::move(pair.value.node), origin);
  }
  builder.report_duplicates(remarks_);
  std::vector<Entry> entries = builder.take();
  if (!tagged || name == "map") return mapping.node->set_entries(std::move(entries));
  mapping.node->kind = Kind::set;
  for (Entry& entry : entries) mapping.node->items.push_back(std::move(entry.key));
}

}  // namespace primus_plan::yaml
