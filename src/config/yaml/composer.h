#pragma once

#include <unordered_map>
#include <vector>

#include "config/yaml/events.h"
#include "config/yaml/gaps.h"
#include "config/yaml/mapping_builder.h"
#include "config/yaml/types.h"

namespace primus_plan::yaml {

/// Builds the tree of one document from its events, with the text at hand for values, ends and PyYAML's own refusals.
/// Source: yaml/composer.py and yaml/constructor.py.
class Composer {
 public:
  Composer(const Characters& text, Gaps& gaps, const EventStream& stream, const std::vector<Event>& events,
           const Limits& limits, Locator& locator, Remarks& remarks);

  /// Throws LoadError where PyYAML refuses the document.
  NodePtr compose();

 private:
  enum class Role : std::uint8_t { any, flow_item };

  /// A value with what its users must know.
  struct Composed {
    std::shared_ptr<Node> node;
    ScalarType type = ScalarType::string;  ///< of scalars
    bool nothing = false;                  ///< an empty scalar without properties
    bool explicit_key = false;             ///< a `?` stood before it
    std::size_t nodes = 1;                 ///< values in it, aliases expanded
    std::size_t height = 0;                ///< levels below it
  };

  /// One key of a mapping as written.
  struct Pair {
    Composed key;
    Composed value;
  };

  struct Anchored {
    Composed composed;
    bool complete = false;
  };

  Composed compose_node(bool flow);
  Composed compose_value(Role role, bool flow);
  Composed compose_alias(bool flow);
  Composed compose_scalar(bool flow);
  Composed compose_sequence(bool flow);
  Composed compose_mapping(bool flow);

  std::size_t start_of_scalar(const Event& event, bool flow, bool& has_content, bool& plain_tag, std::size_t& end);
  void type_scalar(Composed& composed, const Event& event, Scalar scalar, bool quoted, bool plain_tag, Range range);
  std::size_t enter_collection(const Event& event, bool flow);
  Pair compose_pair(bool flow);
  void check_simple_key(std::size_t begin, bool flow);
  void check_key(const Pair& pair);
  void check_floor(std::size_t floor, std::size_t at);
  void finish_mapping(Composed& mapping, const Event& event, std::vector<Pair> pairs);
  void finish_sequence(Composed& sequence, const Event& event);
  void close_flow(Composed& collection);
  void turn_items_into_pairs(Composed& sequence);
  void merge_into(MappingBuilder& builder, const Composed& value);
  void count(Composed& parent, const Composed& child, std::size_t at);
  void remember(const Event& event, const Composed& composed);

  const Event& peek() const { return events_[next_]; }
  std::size_t next_start() const;
  std::size_t column_of(std::size_t at) const;
  std::string_view tag_of(const Event& event) const { return stream_.tag(event.tag); }
  [[noreturn]] void fail_tag(const Event& event, const Origin& origin, std::string_view what);

  const Characters& text_;
  Gaps& gaps_;
  const EventStream& stream_;
  const std::vector<Event>& events_;
  const Limits& limits_;
  Locator& locator_;
  Remarks& remarks_;
  std::size_t next_ = 0;
  std::size_t depth_ = 0;
  std::size_t indent_ = 0;  ///< column that the continuation of a scalar must reach: one more than the block around it
  std::size_t value_floor_ = 0;  ///< column that the value about to be composed must reach
  std::unordered_map<std::uint32_t, Anchored> anchors_;
};

}  // namespace primus_plan::yaml
