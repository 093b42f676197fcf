#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan::lsp {

using KeyPath = std::vector<std::string>;

/// A line "key: value" of a block mapping. Bytes count within the line.
struct KeyLine {
  std::uint32_t line = 0;  ///< from 0
  std::uint32_t indent = 0;
  KeyPath path;  ///< the keys around it, then its own
  std::size_t key_begin = 0;
  std::size_t key_end = 0;
  std::size_t value_begin = 0;  ///< the end of the line where there is no value
  std::size_t value_end = 0;
  std::uint32_t document = 0;  ///< which of the documents that "---" sets apart
};

/// The keys of a text by the look of its lines: what a half-written file has to go by, which no parser takes. Keys in
/// flow style, in lists and in block scalars are not seen.
class Outline {
 public:
  explicit Outline(const Source& source);

  const std::vector<KeyLine>& keys() const { return keys_; }
  /// Null where the line has no key.
  const KeyLine* at_line(std::uint32_t line) const;
  /// The keys around a line that is indented by `indent`; empty at the top level.
  KeyPath around(std::uint32_t line, std::uint32_t indent) const;
  /// The plain text of a value; empty when there is none. Of several documents, in that of `line`.
  std::string value_at(const KeyPath& path, std::uint32_t line) const;
  bool has_top_level(std::string_view key) const;

 private:
  std::uint32_t document_of(std::uint32_t line) const;

  const Source& source_;
  std::vector<KeyLine> keys_;
  std::vector<std::uint32_t> separators_;  ///< lines of "---"
};

/// "parallelism.tensor_parallel_degree".
std::string dotted(const KeyPath& path, std::size_t from = 0);

}  // namespace primus_plan::lsp
