#pragma once

#include <cstdint>
#include <vector>

#include "config/keys.h"
#include "primus_plan/config/document.h"

namespace primus_plan::yaml {

/// Collects the keys of one mapping as Python's dict does: a repeated key keeps its first place and takes the last
/// value.
class MappingBuilder {
 public:
  MappingBuilder() : index_(entries_) {}
  MappingBuilder(const MappingBuilder&) = delete;
  MappingBuilder& operator=(const MappingBuilder&) = delete;

  /// A key that comes from another mapping through `<<`; its history comes along. Call before `add`.
  void add_merged(const Entry& entry);
  /// A key written in this mapping.
  void add(const NodePtr& key, NodePtr value, const Origin& key_origin);

  /// Reports keys that were written twice, a bounded number of them.
  void report_duplicates(Remarks& remarks) const;
  std::vector<Entry> take() { return std::move(entries_); }

 private:
  Entry& find_or_add(const NodePtr& key, std::size_t& at);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> written_;  ///< how often each key stands in this mapping
  KeyIndex index_;
};

}  // namespace primus_plan::yaml
