#include "config/yaml/mapping_builder.h"

#include <fmt/core.h>

#include <utility>

#include "config/document_rules.h"
#include "config/make_finding.h"

namespace primus_plan::yaml {
namespace {

/// A key written more often than this loses its oldest history: chains are freed recursively.
constexpr std::uint32_t longest_history = 100;

/// Short enough for a sentence.
std::string describe(const Node& value) {
  constexpr std::size_t longest = 60;
  const bool collection = !value.items.empty() || !value.entries().empty();
  if (collection || value.text.size() > longest) return std::string(to_string(value.kind));
  return to_text(value);
}

}  // namespace

Entry& MappingBuilder::find_or_add(const NodePtr& key, std::size_t& at) {
  at = index_.find(*key);
  if (at != KeyIndex::none) return entries_[at];
  at = entries_.size();
  entries_.emplace_back().key = key;
  written_.push_back(0);
  index_.add();
  return entries_.back();
}

void MappingBuilder::add_merged(const Entry& entry) {
  std::size_t at = 0;
  Entry& target = find_or_add(entry.key, at);
  target.value = entry.value;
  target.key_origin = entry.key_origin;
  target.history = entry.history;
}

void MappingBuilder::add(const NodePtr& key, NodePtr value, const Origin& key_origin) {
  std::size_t at = 0;
  Entry& target = find_or_add(key, at);
  const bool cut = ++written_[at] % longest_history == 0;
  target.history =
      std::make_shared<const Assignment>(Assignment{value, key_origin, true, cut ? nullptr : target.history});
  target.value = std::move(value);
  target.key_origin = key_origin;
}

void MappingBuilder::report_duplicates(Remarks& remarks) const {
  for (std::size_t i = 0; i < entries_.size() && remarks.size() < most_remarks; ++i) {
    if (written_[i] < 2) continue;
    const Entry& entry = entries_[i];
    const std::string times = written_[i] == 2 ? "twice" : fmt::format("{} times", written_[i]);
    std::vector<Label> related;
    if (const Assignment* lost = entry.history->previous.get(); lost != nullptr) {
      related.push_back({lost->key_origin, fmt::format("{} set here is lost", describe(*lost->value))});
    }
    Finding remark = make_finding(
        loading::duplicate_key, entry.key_origin,
        fmt::format("the key {} is set {} in this mapping; the last value wins", describe(*entry.key), times),
        std::move(related));
    remark.primary.text = "this one is used";
    remarks.push_back(std::move(remark));
  }
}

}  // namespace primus_plan::yaml
