#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan {

/// The types that PyYAML's SafeLoader gives to a value.
enum class Kind : std::uint8_t {
  null,
  boolean,
  integer,      ///< fits 64 bits
  big_integer,  ///< does not: `text` holds the decimal digits with sign
  real,
  string,
  date,      ///< `text` in ISO form
  datetime,  ///< `text` in ISO form
  bytes,     ///< `text` holds the raw bytes
  sequence,
  mapping,
  set,    ///< `items`
  tuple,  ///< `items`; the pairs of !!pairs and !!omap
};

/// "an integer", "a string", …: for messages.
std::string_view to_string(Kind kind);

struct Node;
using NodePtr = std::shared_ptr<const Node>;

/// One environment variable that took part in a value.
struct EnvironmentUse {
  std::string name;
  bool was_set = false;  ///< false: the default after the colon was taken
};

/// One assignment of a key, newest first in the chain. The chain is the whole history of a value: each layer that
/// wrote the key, in order, with the place of its key and the value it wrote.
struct Assignment {
  NodePtr value;
  Origin key_origin;
  bool kept = true;  ///< false: a weaker layer tried to set a key that a stronger one had already (Primus merges model
                     ///< presets without override)
  std::shared_ptr<const Assignment> previous;
};
using AssignmentPtr = std::shared_ptr<const Assignment>;

/// One key of a mapping. `history` begins with the assignment that won or the newest that lost; it is never null.
struct Entry {
  NodePtr key;
  NodePtr value;
  Origin key_origin;
  AssignmentPtr history;
};

/// A YAML value with its place. Immutable once it is reachable through a NodePtr, so trees share their parts: merging
/// copies pointers, never values.
struct Node {
  Kind kind = Kind::null;
  bool boolean = false;
  bool quoted = false;  ///< written in quotes (or as a block scalar): a string on purpose
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  ///< value of string, big_integer, date, datetime, bytes
  std::string raw;   ///< the scalar as written in the file, before ${…} and typing; empty when equal to text
  std::vector<NodePtr> items;  ///< of sequence, set, tuple
  Origin origin;
  std::vector<EnvironmentUse> environment;  ///< variables that took part in this scalar

  bool is_null() const { return kind == Kind::null; }
  bool is_string() const { return kind == Kind::string; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::real || kind == Kind::big_integer; }

  /// Entries of a mapping, in file order.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The entry with this string key; null when there is none or this is no mapping.
  const Entry* find(std::string_view key) const;
  /// The value of this string key; null when there is none.
  const Node* get(std::string_view key) const;
  /// The value at a dotted path of string keys ("parallelism.tensor_parallel_degree").
  const Node* at_path(std::string_view dotted) const;
  const Entry* entry_at_path(std::string_view dotted) const;

  /// Makes this a mapping of these entries. Keys must be distinct.
  void set_entries(std::vector<Entry> entries);

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> by_key_;  ///< indices of string keys, sorted by key; only for larger mappings
};

/// Scalars without a file: the runtime's and the tests' own.
NodePtr make_null(Origin origin = {});
NodePtr make_boolean(bool value, Origin origin = {});
NodePtr make_integer(std::int64_t value, Origin origin = {});
NodePtr make_real(double value, Origin origin = {});
NodePtr make_string(std::string value, Origin origin = {});
NodePtr make_sequence(std::vector<NodePtr> items, Origin origin = {});

/// Python's ==, types told apart: 1, 1.0 and true are three values. Two NaNs are the same value.
bool same_value(const Node& a, const Node& b);

/// The value as a person would write it in YAML on one line: `8`, `null`, `"8"` for a string that looks like a number.
std::string to_text(const Node& node);

}  // namespace primus_plan
