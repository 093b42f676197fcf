#include "config/yaml/composer.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "config/document_rules.h"
#include "support/utf8.h"

namespace primus_plan::yaml {

using Type = Event::Type;

Composer::Composer(const Characters& text, Gaps& gaps, const EventStream& stream, const std::vector<Event>& events,
                   const Limits& limits, Locator& locator, Remarks& remarks)
    : text_(text),
      gaps_(gaps),
      stream_(stream),
      events_(events),
      limits_(limits),
      locator_(locator),
      remarks_(remarks) {}

NodePtr Composer::compose() { return compose_value(Role::any, false).node; }

std::size_t Composer::next_start() const {
  const std::size_t after = next_ + 1;
  const bool known =
      after < events_.size() && events_[after].type != Type::sequence_end && events_[after].type != Type::map_end;
  return known ? events_[after].at : std::numeric_limits<std::size_t>::max();
}

std::size_t Composer::column_of(std::size_t at) const {
  std::size_t line = at;
  while (line > 0 && !text_.is_break(line - 1)) --line;
  if (line == 0 && text_.between(0, text_.size()).starts_with(byte_order_mark)) line = byte_order_mark.size();
  return at - std::min(line, at);
}

Composer::Composed Composer::compose_value(Role role, bool flow) {
  const Event& event = peek();
  Composed result = compose_node(flow);
  if (result.type == ScalarType::merge || result.type == ScalarType::value) {
    fail_tag(event, result.node->origin,
             fmt::format("'{}' can only be a key; quote it to make it a text", result.node->text));
  }
  if (result.nothing && role == Role::flow_item) {
    locator_.fail(loading::invalid_yaml, {event.at, event.at + 1}, "an item is missing before this place");
  }
  return result;
}

Composer::Composed Composer::compose_node(bool flow) {
  switch (peek().type) {
    case Type::alias:
      return compose_alias(flow);
    case Type::sequence_start:
      return compose_sequence(flow);
    case Type::map_start:
      return compose_mapping(flow);
    default:
      return compose_scalar(flow);
  }
}

void Composer::remember(const Event& event, const Composed& composed) {
  if (event.anchor != 0) anchors_[event.anchor] = {composed, true};
}

void Composer::count(Composed& parent, const Composed& child, std::size_t at) {
  parent.nodes += child.nodes;
  parent.height = std::max(parent.height, child.height + 1);
  if (parent.nodes > limits_.nodes) {
    locator_.fail(
        loading::limit_exceeded, {at, at + 1},
        fmt::format("with its aliases written out the document has more than {} values, the limit of this reader",
                    limits_.nodes));
  }
  if (depth_ + parent.height > limits_.depth) {
    locator_.fail(
        loading::limit_exceeded, {at, at + 1},
        fmt::format("with its aliases written out the nesting is deeper than {} levels, the limit of this reader",
                    limits_.depth));
  }
}

// ---- aliases ----

Composer::Composed Composer::compose_alias(bool flow) {
  const Event& event = peek();
  check_floor(std::exchange(value_floor_, 0), event.at);
  const Gaps::Passed passed = gaps_.pass(event.at, flow);
  gaps_.pass_alias();
  const Range range{event.at, gaps_.at()};
  const auto anchored = anchors_.find(event.anchor);
  if (anchored == anchors_.end() || !anchored->second.complete) {
    locator_.fail(
        loading::bad_alias, range,
        fmt::format("the alias {} stands within the value that it repeats", text_.between(range.begin, range.end)));
  }
  Composed result = anchored->second.composed;
  result.explicit_key = passed.key_indicator;
  result.node = std::make_shared<Node>(*result.node);
  result.node->origin = locator_.origin(range);
  ++next_;
  return result;
}

// ---- scalars ----

namespace {

bool starts_null(char c) { return c == '~' || c == 'n' || c == 'N'; }

}  // namespace

std::size_t Composer::start_of_scalar(const Event& event, bool flow, bool& has_content, bool& plain_tag,
                                      std::size_t& end) {
  const char first = text_.peek(event.at);
  const bool has_tag = event.tag > EventStream::quoted_tag || (event.tag == EventStream::quoted_tag && first == '!');
  std::size_t at = event.at;
  end = event.at;
  if (event.anchor != 0 || has_tag) {
    const Gaps::Properties properties = gaps_.pass_properties();
    plain_tag = properties.plain_tag;
    end = properties.end;
    at = gaps_.at();
  }
  const char c = text_.peek(at);
  if (event.type == Type::null) {
    has_content = at != next_start() && starts_null(c);
  } else if (event.empty) {
    const bool opens = c == '\'' || c == '"' || (!flow && (c == '|' || c == '>'));
    has_content = at != next_start() && opens;
  } else {
    has_content = true;
  }
  return at;
}

Composer::Composed Composer::compose_scalar(bool flow) {
  const Event& event = peek();
  // yaml-cpp marks an empty value by the token after it, or by the end of what it has read.
  const bool may_lag = event.type == Type::null && event.anchor == 0;
  const std::size_t floor = std::exchange(value_floor_, 0);
  const Gaps::Passed passed = gaps_.pass(may_lag ? std::max(event.at, gaps_.at()) : event.at, flow);
  Composed result;
  result.node = std::make_shared<Node>();
  result.explicit_key = passed.key_indicator;
  bool has_content = false;
  bool plain_tag = false;
  Scalar scalar;
  const std::size_t at = start_of_scalar(event, flow, has_content, plain_tag, scalar.end);
  const char first = text_.peek(at);
  bool quoted = has_content && (first == '\'' || first == '"');
  const bool block = has_content && !flow && (first == '|' || first == '>');
  Range range{event.at, scalar.end};
  if (has_content) {
    scalar = quoted  ? read_quoted(text_, at, locator_)
             : block ? read_block(text_, at, std::max<std::size_t>(indent_, 1), locator_)
                     : read_plain(text_, at, indent_, flow, locator_);
    range = {at, block ? text_.line_end(at) : scalar.end};
    quoted = quoted || block;
  } else if (scalar.end == event.at && passed.after_indicator != 0) {
    range = {passed.after_indicator, passed.after_indicator};
  }
  result.nothing = !has_content && scalar.end == event.at;
  if (!result.nothing && !(block && at == event.at)) check_floor(floor, has_content && !block ? at : event.at);
  if (!result.nothing) gaps_.move_to(scalar.end);
  type_scalar(result, event, std::move(scalar), quoted, plain_tag, range);
  remember(event, result);
  ++next_;
  return result;
}

void Composer::type_scalar(Composed& composed, const Event& event, Scalar scalar, bool quoted, bool plain_tag,
                           Range range) {
  Node& node = *composed.node;
  node.origin = locator_.origin(range);
  node.quoted = quoted;
  if (event.tag > EventStream::quoted_tag) {
    const auto type = type_of_tag(tag_of(event));
    if (!type) fail_tag(event, node.origin, "Primus's YAML reader knows no such type");
    composed.type = *type;
  } else {
    composed.type = quoted && !plain_tag ? ScalarType::string : resolve(scalar.value);
  }
  const std::string fault = construct(node, composed.type, std::move(scalar.value));
  if (!fault.empty()) locator_.fail(loading::bad_value, node.origin, "the value " + fault);
}

void Composer::fail_tag(const Event& event, const Origin& origin, std::string_view what) {
  if (event.tag <= EventStream::quoted_tag) locator_.fail(loading::unknown_tag, origin, std::string(what));
  locator_.fail(loading::unknown_tag, {event.at, event.at + 1}, fmt::format("the tag <{}>: {}", tag_of(event), what));
}

// ---- sequences ----

std::size_t Composer::enter_collection(const Event& event, bool flow) {
  const std::size_t floor = std::exchange(value_floor_, 0);
  gaps_.pass(event.at, flow);
  if (event.flow) check_floor(floor, event.at);
  const bool tagged =
      event.tag > EventStream::quoted_tag || (event.tag == EventStream::quoted_tag && text_.peek(event.at) == '!');
  if (event.anchor != 0 || tagged) gaps_.pass_properties();
  if (event.anchor != 0) anchors_[event.anchor] = {};
  return gaps_.at();
}

Composer::Composed Composer::compose_sequence(bool flow) {
  const Event& event = peek();
  const std::size_t at = enter_collection(event, flow);
  Composed result;
  result.node = std::make_shared<Node>();
  result.node->kind = Kind::sequence;
  result.node->origin = locator_.origin({at, at + 1});
  const std::size_t outer_indent = indent_;
  if (event.flow) {
    gaps_.pass_opening_bracket(event.at);
  } else {
    indent_ = column_of(at) + 1;
  }
  ++next_;
  ++depth_;
  while (peek().type != Type::sequence_end) {
    const std::size_t item_at = gaps_.at();
    Composed item = compose_value(event.flow ? Role::flow_item : Role::any, flow || event.flow);
    --depth_;
    count(result, item, item_at);
    ++depth_;
    result.node->items.push_back(std::move(item.node));
  }
  ++next_;
  --depth_;
  indent_ = outer_indent;
  if (event.flow) {
    gaps_.pass_closing(']');
    close_flow(result);
  }
  finish_sequence(result, event);
  remember(event, result);
  return result;
}

void Composer::close_flow(Composed& collection) {
  const Origin end = locator_.origin({gaps_.at(), gaps_.at()});
  Origin& origin = collection.node->origin;
  if (end.line == origin.line) origin.length = end.column - origin.column;
}

// ---- mappings ----

Composer::Composed Composer::compose_mapping(bool flow) {
  const Event& event = peek();
  const std::size_t at = enter_collection(event, flow);
  const bool first_is_collection = next_start() == at && (events_[next_ + 1].type == Type::map_start);
  const bool braces = event.flow && text_.peek(at) == '{' && !first_is_collection;
  Composed result;
  result.node = std::make_shared<Node>();
  result.node->origin = locator_.origin({at, at + 1});
  const std::size_t outer_indent = indent_;
  if (braces) {
    gaps_.move_to(at + 1);
  } else if (!event.flow) {
    indent_ = column_of(at) + 1;
  }
  ++next_;
  ++depth_;
  std::vector<Pair> pairs;
  while (peek().type != Type::map_end) {
    const std::size_t pair_at = gaps_.at();
    pairs.push_back(compose_pair(flow || event.flow));
    --depth_;
    count(result, pairs.back().key, pair_at);
    count(result, pairs.back().value, pair_at);
    ++depth_;
  }
  ++next_;
  --depth_;
  indent_ = outer_indent;
  if (braces) {
    gaps_.pass_closing('}');
    close_flow(result);
  } else if (!pairs.empty() && pairs.front().key.node->origin.line == result.node->origin.line) {
    result.node->origin.length = std::max<std::uint32_t>(1, pairs.front().key.node->origin.length);
  }
  finish_mapping(result, event, std::move(pairs));
  remember(event, result);
  return result;
}

Composer::Pair Composer::compose_pair(bool flow) {
  Pair pair;
  const Event& event = peek();
  pair.key = compose_node(flow);
  if (pair.key.nothing && !pair.key.explicit_key) {
    locator_.fail(loading::bad_key, {event.at, event.at + 1}, "a key is missing before this colon");
  }
  check_key(pair);
  if (!pair.key.explicit_key) check_simple_key(event.at, flow);
  value_floor_ = flow ? 0 : indent_;
  pair.value = compose_value(Role::any, flow);
  return pair;
}

/// PyYAML takes a token at the column of the mapping's keys for a key.
void Composer::check_floor(std::size_t floor, std::size_t at) {
  if (floor == 0 || column_of(at) >= floor) return;
  locator_.fail(loading::invalid_yaml, {at, at + 1},
                "this value stands where the next key is expected: indent it more than its key");
}

void Composer::check_key(const Pair& pair) {
  switch (pair.key.node->kind) {
    case Kind::sequence:
    case Kind::mapping:
    case Kind::set:
    case Kind::tuple:
      locator_.fail(loading::bad_key, pair.key.node->origin,
                    fmt::format("{} cannot be a key; quote a text that begins with a bracket or a brace",
                                to_string(pair.key.node->kind)));
    default:
      return;
  }
}

void Composer::check_simple_key(std::size_t begin, bool flow) {
  constexpr std::size_t longest_key = 1024;
  const std::size_t key_end = gaps_.at();
  std::size_t colon = text_.skip_spaces(key_end);
  bool same_line = true;
  while (text_.is_break(colon) || text_.peek(colon) == '#') {
    same_line = false;
    colon = text_.peek(colon) == '#' ? text_.line_end(colon) : text_.skip_spaces(text_.after_break(colon));
  }
  const bool has_colon = text_.peek(colon) == ':' && (flow || text_.is_blank(colon + 1));
  if (!has_colon && !flow) {
    locator_.fail(loading::invalid_yaml, {begin, key_end},
                  "this line stands where a key is expected, but it has no colon after its key");
  }
  if (!has_colon) return;
  same_line = same_line && text_.between(begin, key_end).find_first_of("\r\n") == std::string_view::npos;
  if (!same_line || colon - begin > longest_key) {
    locator_.fail(loading::invalid_yaml, {begin, key_end},
                  "a key and its colon must stand on one line, at most 1024 characters long");
  }
}

}  // namespace primus_plan::yaml
