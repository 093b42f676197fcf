#include "backends/maxtext/layers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "backends/common/choices.h"
#include "backends/maxtext/coerce.h"

namespace primus_plan::maxtext {
namespace {

/// maxtext_pretrain_trainer.py:_PRIMUS_ONLY_PARAMS, and the map that it hands over in another way.
constexpr std::array<std::string_view, 6> primus_keys{"file_sink_level", "stderr_sink_level", "sink_level", "trainable",
                                                      "model",           "override_model"};

/// A mapping under construction: later layers replace values, keys keep their first place.
class Layers {
 public:
  void set(const NodePtr& key, const NodePtr& value, const Origin& key_origin) {
    const auto [found, added] = index_.try_emplace(key->text, entries_.size());
    if (added) entries_.emplace_back();
    Entry& entry = entries_[found->second];
    auto assignment = std::make_shared<Assignment>();
    assignment->value = value;
    assignment->key_origin = key_origin;
    assignment->previous = entry.history;
    entry = {key, value, key_origin, std::move(assignment)};
  }
  const Node* get(std::string_view key) const {
    const auto found = index_.find(std::string(key));
    return found == index_.end() ? nullptr : entries_[found->second].value.get();
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

NodePtr to_node(const Literal& literal) {
  switch (literal.type) {
    case Literal::Type::boolean:
      return make_boolean(literal.integer != 0);
    case Literal::Type::integer:
      return make_integer(literal.integer);
    case Literal::Type::real:
      return make_real(literal.real);
    case Literal::Type::text:
      return make_string(std::string(literal.text));
    case Literal::Type::null:
      break;
  }
  return make_null();
}

/// Python's ==: 1, 1.0 and true are equal.
bool python_equal(const Node& a, const Node& b) {
  const auto number = [](const Node& node, double& out) {
    if (node.kind == Kind::integer) out = static_cast<double>(node.integer);
    if (node.kind == Kind::real) out = node.real;
    if (node.kind == Kind::boolean) out = node.boolean ? 1 : 0;
    return node.kind == Kind::integer || node.kind == Kind::real || node.kind == Kind::boolean;
  };
  double x = 0;
  double y = 0;
  if (number(a, x) && number(b, y)) return x == y;
  return same_value(a, b);
}

void add_parameters(const Node& params, Layers& layers) {
  for (const Entry& entry : params.entries()) {
    if (!entry.key->is_string()) continue;
    if (std::find(primus_keys.begin(), primus_keys.end(), entry.key->text) != primus_keys.end()) continue;
    layers.set(entry.key, entry.value, entry.key_origin);
  }
}

/// The keys of override_model that Primus passes on; null when there are none.
const Node* read_override_model(const Node& params, LayeredConfig& out) {
  const Node* map = params.get("override_model");
  if (map == nullptr || map->is_null()) return nullptr;
  if (!map->is_mapping()) {
    out.ignored_override_model = params.find("override_model")->key_origin;
    return nullptr;
  }
  for (const Entry& entry : map->entries()) {
    if (!entry.value->is_mapping()) continue;
    out.faults.push_back({.kind = KeyFault::Kind::nested,
                          .key = "override_model." + entry.key->text,
                          .value = entry.value,
                          .key_origin = entry.key_origin,
                          .in_override_model = true});
  }
  return map;
}

const Node* first_of(const Node* stronger, const Layers& layers, std::string_view key) {
  const Node* value = stronger != nullptr ? stronger->get(key) : nullptr;
  return value != nullptr ? value : layers.get(key);
}

void add_model_file(const Node* override_model, Layers& layers, LayeredConfig& out) {
  const Node* name = first_of(override_model, layers, "model_name");
  if (name == nullptr || !name->is_string()) return;
  out.model_file = find_model_file(name->text);
  if (out.model_file == nullptr) return;
  const Node* allows = first_of(override_model, layers, "override_model_config");
  const bool overrides_win = allows != nullptr && allows->kind == Kind::boolean && allows->boolean;
  for (const Setting& setting : out.model_file->settings) {
    const NodePtr value = to_node(setting.value);
    const NodePtr key = make_string(std::string(setting.key));
    const Entry* override_entry = override_model != nullptr ? override_model->find(setting.key) : nullptr;
    if (override_entry != nullptr) {
      if (!overrides_win && !python_equal(*value, *override_entry->value)) {
        out.against_model_file.push_back({key->text, override_entry->value, value, override_entry->key_origin});
      }
      continue;  // set below, with its own origin
    }
    if (const Node* given = layers.get(setting.key); given != nullptr && !python_equal(*given, *value)) {
      const auto entry = std::find_if(layers.entries().begin(), layers.entries().end(),
                                      [&](const Entry& e) { return e.key->text == setting.key; });
      out.behind_model_file.push_back({key->text, entry->value, value, entry->key_origin});
    }
    layers.set(key, value, {});
  }
}

std::string variable_name(std::string_view key) {
  std::string out = "M_";
  for (const char c : key) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// The text a key would have without any layer: what the variable's reading goes by.
NodePtr typical_value(const KeySpec& spec) {
  switch (spec.type) {
    case KeyType::boolean:
      return make_boolean(false);
    case KeyType::integer:
      return make_integer(0);
    case KeyType::real:
      return make_real(0);
    case KeyType::string:
      return make_string("");
    default:
      return make_null();
  }
}

void add_variables(const Environment& environment, const Node* override_model, Layers& layers, LayeredConfig& out) {
  for (const KeySpec& spec : all_keys()) {
    if (spec.type == KeyType::derived) continue;
    const std::string name = variable_name(spec.name);
    const auto text = environment.get(name);
    if (!text) continue;
    Variable variable{.name = name, .key = std::string(spec.name), .text = std::string(*text)};
    const Node* before = layers.get(spec.name);
    const Node* allows = first_of(override_model, layers, "override_model_config");
    const bool overrides_win = allows != nullptr && allows->kind == Kind::boolean && allows->boolean;
    const bool in_model_file =
        out.model_file != nullptr && std::any_of(out.model_file->settings.begin(), out.model_file->settings.end(),
                                                 [&](const Setting& setting) { return setting.key == spec.name; });
    const NodePtr value = read_variable(before != nullptr ? *before : *typical_value(spec), *text);
    if (override_model != nullptr && override_model->get(spec.name) != nullptr) {
      variable.fault = Variable::Fault::also_in_override_model;
    } else if (in_model_file && !overrides_win) {
      variable.fault = Variable::Fault::also_in_model_file;
    } else if (value == nullptr) {
      variable.fault = Variable::Fault::unreadable;
    } else {
      layers.set(make_string(std::string(spec.name)), value, value->origin);
    }
    out.variables.push_back(std::move(variable));
  }
}

std::optional<double> number_of(const Node& node) {
  if (node.kind == Kind::integer) return static_cast<double>(node.integer);
  if (node.kind == Kind::real) return node.real;
  return std::nullopt;
}

/// Judges one key alone; true when its value reaches MaxText's rules.
bool validate(Entry& entry, bool in_override_model, std::vector<KeyFault>& faults) {
  const KeySpec* spec = find_key(entry.key->text);
  const auto report = [&](KeyFault::Kind kind, std::string_view expected = {}) {
    faults.push_back({.kind = kind,
                      .key = entry.key->text,
                      .spec = spec,
                      .value = entry.value,
                      .key_origin = entry.key_origin,
                      .expected = expected,
                      .in_override_model = in_override_model});
  };
  if (spec == nullptr) {
    report(KeyFault::Kind::unknown);
    return false;
  }
  if (spec->type == KeyType::derived) {
    report(KeyFault::Kind::derived);
    return false;
  }
  const Coerced coerced = coerce(*spec, entry.value);
  if (coerced.node == nullptr) {
    // An enumeration has no use for another type than text.
    report(spec->choices.data() != nullptr && !entry.value->is_null() ? KeyFault::Kind::not_a_choice
                                                                      : KeyFault::Kind::wrong_type,
           coerced.expected);
    return false;
  }
  if (coerced.surprising) report(KeyFault::Kind::surprising, coerced.expected);
  const Node& value = *coerced.node;
  if (spec->choices.data() != nullptr && value.is_string() && !is_choice(spec->choices, value.text)) {
    report(KeyFault::Kind::not_a_choice);
    return false;
  }
  if (const auto number = number_of(value)) {
    const bool low = spec->above_least ? *number <= spec->least : *number < spec->least;
    if (low || *number > spec->most) {
      report(KeyFault::Kind::out_of_range);
      return false;
    }
  }
  entry.value = coerced.node;
  return true;
}

}  // namespace

LayeredConfig layer(const Node& params, const Environment& environment) {
  LayeredConfig out;
  Layers layers;
  add_parameters(params, layers);
  const Node* override_model = read_override_model(params, out);
  add_model_file(override_model, layers, out);
  if (override_model != nullptr) {
    for (const Entry& entry : override_model->entries()) {
      if (entry.key->is_string() && !entry.value->is_mapping()) layers.set(entry.key, entry.value, entry.key_origin);
    }
  }
  add_variables(environment, override_model, layers, out);

  std::vector<Entry> kept;
  for (Entry& entry : layers.entries()) {
    const bool overridden = override_model != nullptr && override_model->get(entry.key->text) != nullptr;
    if (validate(entry, overridden, out.faults)) kept.push_back(std::move(entry));
  }
  auto values = std::make_shared<Node>();
  values->kind = Kind::mapping;
  values->set_entries(std::move(kept));
  out.values = std::move(values);
  return out;
}

}  // namespace primus_plan::maxtext
