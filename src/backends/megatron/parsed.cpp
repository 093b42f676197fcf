#include "backends/megatron/parsed.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "config/python_text.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

constexpr std::size_t most_items = 100'000;

/// The list expressions that moe_layer_freq holds, e.g. "([0]*3+[1]*58)"; no value where Python's eval would fail.
/// Source: primus/backends/megatron/patches/args/moe_layer_freq_patches.py. Recursive descent over `sum := product ('+'
/// product)*`, `product := atom ('*' atom)*`, `atom := int | list | '(' sum
/// ')'`. A value is a list or a number; `*` takes one of each, as Python does.
class ListExpression {
 public:
  explicit ListExpression(std::string_view text) : text_(text) {}

  struct Value {
    bool is_list = false;
    std::int64_t number = 0;
    std::vector<std::int64_t> list;
  };

  std::optional<Value> evaluate() {
    auto value = sum(0);
    skip_spaces();
    if (position_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  static constexpr int deepest = 50;

  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool take(char c) {
    skip_spaces();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  std::optional<Value> sum(int depth) {
    auto left = product(depth);
    while (left && take('+')) {
      auto right = product(depth);
      if (!right || right->is_list != left->is_list) return std::nullopt;
      if (left->is_list) {
        if (left->list.size() + right->list.size() > most_items) return std::nullopt;
        left->list.insert(left->list.end(), right->list.begin(), right->list.end());
      } else if (__builtin_add_overflow(left->number, right->number, &left->number)) {
        return std::nullopt;
      }
    }
    return left;
  }

  std::optional<Value> product(int depth) {
    auto left = atom(depth);
    while (left && take('*')) {
      auto right = atom(depth);
      if (!right || (left->is_list && right->is_list)) return std::nullopt;
      if (!left->is_list && !right->is_list) {
        if (__builtin_mul_overflow(left->number, right->number, &left->number)) return std::nullopt;
        continue;
      }
      const std::int64_t times = left->is_list ? right->number : left->number;
      auto list = repeat(left->is_list ? left->list : right->list, times);
      if (!list) return std::nullopt;
      left = Value{.is_list = true, .number = 0, .list = std::move(*list)};
    }
    return left;
  }

  static std::optional<std::vector<std::int64_t>> repeat(const std::vector<std::int64_t>& list, std::int64_t times) {
    std::vector<std::int64_t> out;
    if (times <= 0 || list.empty()) return out;
    if (static_cast<std::uint64_t>(times) > most_items / list.size()) return std::nullopt;
    for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), list.begin(), list.end());
    return out;
  }

  std::optional<Value> atom(int depth) {
    if (depth > deepest) return std::nullopt;
    if (take('(')) {
      auto value = sum(depth + 1);
      if (!value || !take(')')) return std::nullopt;
      return value;
    }
    if (take('[')) {
      Value value{.is_list = true, .number = 0, .list = {}};
      if (take(']')) return value;
      do {
        skip_spaces();
        if (position_ < text_.size() && text_[position_] == ']') break;  // a trailing comma
        const auto item = sum(depth + 1);
        if (!item || item->is_list) return std::nullopt;
        value.list.push_back(item->number);
      } while (take(','));
      if (!take(']')) return std::nullopt;
      return value;
    }
    return number();
  }

  std::optional<Value> number() {
    skip_spaces();
    Value value;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value.number);
    if (error != std::errc{}) return std::nullopt;
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// An entry of a list: 0 and 1 as Python compares them; what is neither becomes -1.
Int layer_flag(const Node& item) {
  if (item.kind == Kind::boolean) return item.boolean ? 1 : 0;
  if (item.kind == Kind::real) return item.real == 0 ? 0 : (item.real == 1 ? 1 : -1);
  return item.kind == Kind::integer ? item.integer : -1;
}

LayerFrequency parse_layer_frequency(const Raw& field) {
  LayerFrequency out;
  if (field.value == nullptr) {
    if (!field.is_explicit) out.every = 1;
    return out;
  }
  const Node& node = *field.value;
  if (node.kind == Kind::integer) {
    out.every = node.integer;
  } else if (node.is_sequence()) {
    for (const NodePtr& item : node.items) out.pattern.push_back(layer_flag(*item));
  } else if (node.is_string()) {
    auto value = ListExpression(node.text).evaluate();
    out.readable = value.has_value();
    if (value && value->is_list) out.pattern = std::move(value->list);
    if (value && !value->is_list) out.every = value->number;
  } else {
    out.readable = false;
  }
  return out;
}

/// Python's int(text): spaces around, a sign, digits with single underscores between them.
std::optional<Int> python_int(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  Int value = 0;
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, Int{10}, &value) || __builtin_add_overflow(value, Int{c - '0'}, &value))
      return std::nullopt;
    after_digit = true;
  }
  if (!after_digit) return std::nullopt;
  return negative ? -value : value;
}

std::optional<Int> layer_id(const Node& item) {
  switch (item.kind) {
    case Kind::integer:
      return item.integer;
    case Kind::boolean:
      return item.boolean ? 1 : 0;
    case Kind::real:
      // int() cuts the fraction off; it fails on infinities and on what is no number.
      return std::abs(item.real) < 9e15 ? std::optional<Int>(static_cast<Int>(item.real)) : std::nullopt;
    case Kind::string:
      return python_int(item.text);
    default:
      return std::nullopt;
  }
}

void add_layer_id(LayerIds& out, std::optional<Int> id) {
  if (id) {
    out.ids.push_back(*id);
  } else {
    out.readable = false;
  }
}

/// Source: primus/backends/megatron/patches/recompute_layer_patches.py:validate_specified_recompute_layers.
LayerIds parse_layer_ids(const Raw& field) {
  LayerIds out;
  if (field.value == nullptr) return out;
  const Node& node = *field.value;
  if (node.is_string()) {
    std::string_view rest = node.text;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view part = rest.substr(0, comma);
      if (part.find_first_not_of(" \t\n\r\f\v") != std::string_view::npos) add_layer_id(out, python_int(part));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  } else if (node.is_sequence() || node.kind == Kind::set || node.kind == Kind::tuple) {
    for (const NodePtr& item : node.items) add_layer_id(out, layer_id(*item));
  } else {
    out.readable = false;
  }
  return out;
}

std::vector<std::string_view> words(const Raw& field) {
  std::vector<std::string_view> out;
  if (field.value == nullptr) return out;
  if (field.value->is_string()) out.emplace_back(field.value->text);
  for (const NodePtr& item : field.value->items) {
    if (item->is_string()) out.emplace_back(item->text);
  }
  return out;
}

/// Python's int() of an item; -1 where that stops. Source: megatron/core/num_microbatches_calculator.py.
Int ramp_number(const Node& item) {
  if (item.kind == Kind::integer) return item.integer;
  if (item.kind == Kind::boolean) return item.boolean ? 1 : 0;
  if (item.kind == Kind::real && std::abs(item.real) < largest_exact_integer) return static_cast<Int>(item.real);
  if (!item.is_string()) return -1;
  const NodePtr number = python::to_integer(python::strip(item.text), {});
  return number && number->kind == Kind::integer ? number->integer : -1;
}

/// What the micro-batch calculator unpacks. A text has a length too, which is almost never 3.
std::optional<std::vector<Int>> parse_ramp(const Raw& field) {
  if (field.value == nullptr) return std::nullopt;
  std::vector<Int> out;
  for (const NodePtr& item : field.value->items) out.push_back(ramp_number(*item));
  return out;
}

/// The pattern that validate_args goes on with: the deprecated hybrid_override_pattern stands in for
/// hybrid_layer_pattern, and mtp_hybrid_override_pattern is written behind it once for each prediction depth.
std::string hybrid_text(const MegatronConfig& config) {
  constexpr Int deepest = 1000;
  const bool old = config.hybrid_layer_pattern.value.data() == nullptr;
  std::string text(old ? *config.hybrid_override_pattern : *config.hybrid_layer_pattern);
  const Int depths = std::min(config.mtp_num_layers.value.value_or(0), deepest);
  if (text.empty() || config.mtp_hybrid_override_pattern.value.empty() || text.find('/') != std::string::npos)
    return text;
  for (Int depth = 0; depth < depths; ++depth) {
    text += '/';
    text += *config.mtp_hybrid_override_pattern;
  }
  return text;
}

void parse_layouts(const MegatronConfig& config, ParsedKeys& out) {
  if (const Node* text = config.pipeline_model_parallel_layout.value; text != nullptr && text->is_string()) {
    LayoutParse parse = parse_pipeline_layout(text->text);
    out.layout_error = parse.error;
    if (!parse.error) out.layout = std::move(parse.layout);
  }
  const std::string hybrid = hybrid_text(config);
  if (!hybrid.empty()) {
    HybridParse parse = parse_hybrid_pattern(hybrid);
    out.hybrid_error = parse.error;
    if (!parse.error) out.hybrid = std::move(parse.pattern);
  }
}

}  // namespace

ParsedKeys parse_keys(const MegatronConfig& config) {
  ParsedKeys out;
  out.moe_layers = parse_layer_frequency(config.moe_layer_freq);
  if (config.linear_attention_freq.value != nullptr)
    out.linear_layers = parse_layer_frequency(config.linear_attention_freq);
  out.recompute_modules = words(config.recompute_modules);
  out.recompute_layer_ids = parse_layer_ids(config.recompute_layer_ids);
  out.cp_comm_types = words(config.cp_comm_type);
  out.ramp_up = parse_ramp(config.rampup_batch_size);
  parse_layouts(config, out);
  return out;
}

}  // namespace primus_plan::megatron
