#include "config/hardware_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

/// Keys of Primus's hardware_config that say something of the part or its network here; its latencies are those of
/// single hops, and pods are taken for the whole network.
struct PrimusKey {
  std::string_view name;
  double fallback;
};
constexpr PrimusKey node_bandwidth{"node_bw", 0};
constexpr PrimusKey pod_bandwidth{"pod_bw", 0};
constexpr PrimusKey node_size{"node_size", 8};
constexpr PrimusKey nics_per_node{"nics_per_node", 0};

double number_of(const Node& node, std::string_view path, std::string_view key) {
  if (node.kind == Kind::integer) return static_cast<double>(node.integer);
  if (node.kind == Kind::real) return node.real;
  throw HardwareError(fmt::format("{}: {} must be a number, but it is {}", path, key, to_string(node.kind)));
}

double number_or_fallback(const Node& root, std::string_view path, const PrimusKey& key) {
  const Node* value = root.get(key.name);
  return value == nullptr ? key.fallback : number_of(*value, path, key.name);
}

NodePtr parse(const std::string& path, const std::string& text) {
  Remarks remarks;
  const auto source = std::make_shared<Source>(path, text);
  try {
    return parse_yaml(*source, Layer::experiment, {}, remarks);
  } catch (const LoadError& error) {
    throw HardwareError(fmt::format("{}: {}", path, error.what()));
  }
}

std::vector<std::string> texts(const Node& list) {
  std::vector<std::string> out;
  for (const NodePtr& item : list.items) out.push_back(item->text);
  return out;
}

/// The part that a file starts from: its `base`, or the one that a network file is named after.
Hardware base_of(const Node& root, const std::string& path, const std::string& text, bool network_only,
                 const Hardware& (*known)(std::string_view)) {
  if (known == nullptr) return {};
  if (const Node* base = root.get("base"); base != nullptr && base->is_string()) return known(base->text);
  if (!network_only) return {};
  if (const auto hint = guess_hardware(path, text)) return known(hint->name);
  throw HardwareError(fmt::format("{} describes a network, not which part it connects: add a line base: MI300X", path));
}

void read_network(const Node& config, const std::string& path, HardwareEdit& edit) {
  const double size = number_or_fallback(config, path, node_size);
  edit.set("gpus_per_node", size);
  edit.set("gpus_per_domain", size);
  if (const double links = number_or_fallback(config, path, node_bandwidth); links > 0) edit.set("link_gbs", links);
  if (const double nic = number_or_fallback(config, path, pod_bandwidth); nic > 0) {
    const double nics = number_or_fallback(config, path, nics_per_node);
    edit.set("nic_gbs", nics > 0 ? nic * nics / size : nic);
  }
  if (const Node* topology = config.get("node_topology"); topology != nullptr && topology->is_string()) {
    edit.set_fabric(topology->text == "mesh" ? "mesh" : "switched");
  }
}

/// Whether a number says that the part has none of something, as the program's own JSON of a part does.
bool says_none(const Hardware& part, std::string_view key, double number) {
  const auto fields = hardware_fields();
  const auto field = std::find_if(fields.begin(), fields.end(), [key](const auto& f) { return f.name == key; });
  return number == 0 && field != fields.end() && !field->needed && part.*field->member == 0;
}

void read_fields(const Node& root, const std::string& path, Hardware& part, HardwareEdit& edit) {
  for (const Entry& entry : root.entries()) {
    const std::string& key = entry.key->text;
    if (key == "base") continue;
    if (key == "name" && entry.value->is_string()) {
      part.name = escape_controls(entry.value->text);  // reports show it as it is
    } else if (key == "aliases" && entry.value->is_sequence()) {
      part.aliases = texts(*entry.value);
    } else if (key == "sources" && entry.value->is_sequence()) {
      part.sources = texts(*entry.value);
    } else if (key == "fabric" && entry.value->is_string()) {
      edit.set_fabric(entry.value->text);
    } else if (const double number = number_of(*entry.value, path, key); !says_none(part, key, number)) {
      edit.set(key, number);
    }
  }
}

/// All that is missing is told at once.
void require(const Hardware& part, const std::string& path) {
  std::string missing;
  std::size_t count = 0;
  for (const HardwareField& field : hardware_fields()) {
    if (!field.needed || part.*field.member > 0) continue;
    missing += fmt::format("{}{} ({})", count++ == 0 ? "" : ", ", field.name, field.about);
  }
  if (count == 0) return;
  throw HardwareError(fmt::format("{}: {} {} missing; base: MI300X would take {} from that part", path, missing,
                                  count == 1 ? "is" : "are", count == 1 ? "it" : "them"));
}

/// Where nothing is said but the data sheet's peaks: what parts reach in the median of those that were measured.
void fill_rates(Hardware& part) {
  const auto fill = [](double& rate, double peak, double share) {
    if (rate <= 0) rate = share * peak;
  };
  fill(part.gemm_bf16_flops, part.peak_bf16_flops, 0.6);
  fill(part.gemm_fp8_flops, part.peak_fp8_flops, 0.53);
  fill(part.gemm_fp4_flops, part.peak_fp4_flops, 0.4);
  fill(part.attention_flops, part.peak_bf16_flops, 0.4);
}

}  // namespace

void HardwareEdit::set(std::string_view field, double value) {
  const auto fields = hardware_fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [field](const auto& f) { return f.name == field; });
  if (found == fields.end()) {
    std::vector<std::string_view> names;
    for (const HardwareField& known : fields) names.push_back(known.name);
    names.emplace_back("fabric");
    const auto nearest = nearest_names(field, names, 1);
    throw HardwareError(nearest.empty() ? fmt::format("hardware has no field {}; it has {}", field, join(names, ", "))
                                        : fmt::format("hardware has no field {}; did you mean {}?", field, nearest[0]));
  }
  const bool may_be_zero = found->name.ends_with("_us") || found->name == "compute_units";
  if (!std::isfinite(value) || value < 0 || (value == 0 && !may_be_zero) || value > 1e9)
    throw HardwareError(fmt::format("hardware field {}: {} is no size that a part has", field, value));
  part_.*found->member = value * found->unit;
  if (found->name == "memory_gib") seen_memory_given_ = true;
}

void HardwareEdit::set_fabric(std::string_view word) {
  if (word != "mesh" && word != "switched")
    throw HardwareError(fmt::format("hardware field fabric: it is mesh or switched, not {}", word));
  part_.fabric = word == "mesh" ? Fabric::mesh : Fabric::switched;
}

void HardwareEdit::finish() {
  fill_rates(part_);
  const bool label_changed = part_.marketed_memory_bytes != before_.marketed_memory_bytes;
  if (seen_memory_given_ || !label_changed) return;
  part_.memory_bytes = before_.marketed_memory_bytes > 0
                           ? before_.memory_bytes * part_.marketed_memory_bytes / before_.marketed_memory_bytes
                           : part_.marketed_memory_bytes;
}

Hardware read_hardware_file(const std::string& path, const std::string& text,
                            const Hardware& (*known)(std::string_view)) {
  NodePtr root = parse(path, text);
  // `primus-plan hardware PART --format json` lists parts; the list of one is a file.
  if (root->is_sequence() && root->items.size() == 1) root = root->items.front();
  if (!root->is_mapping())
    throw HardwareError(fmt::format("{}: a hardware file is a mapping of fields, or a list of one", path));
  const Node* network = root->get("hardware_config");
  if (network != nullptr && !network->is_mapping())
    throw HardwareError(fmt::format("{}: hardware_config must be a mapping", path));
  Hardware out = base_of(*root, path, text, network != nullptr, known);
  HardwareEdit edit(out);
  if (network != nullptr) {
    read_network(*network, path, edit);
    out.name += fmt::format(" ({})", escape_controls(path));
  } else {
    read_fields(*root, path, out, edit);
  }
  edit.finish();
  require(out, path);
  return out;
}

}  // namespace primus_plan
