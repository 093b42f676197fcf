#include <fmt/core.h>

#include <array>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/loading.h"
#include "config/namespaces.h"

namespace primus_plan {
namespace {

constexpr std::array<std::string_view, 8> required_keys = {"name",
                                                           "num_nodes_env_key",
                                                           "node_rank_env_key",
                                                           "master_addr_env_key",
                                                           "master_port_env_key",
                                                           "gpus_per_node_env_key",
                                                           "master_sink_level",
                                                           "workspace"};

/// What Primus takes when an experiment names no platform.
Entry default_platform() {
  const NodePtr overrides = make_mapping({make_entry("master_sink_level", make_string("INFO"), {})}, {});
  return make_entry(
      "platform",
      make_mapping(
          {make_entry("config", make_string("platform_azure.yaml"), {}), make_entry("overrides", overrides, {})}, {}),
      {});
}

void require_keys(Loading& loading, const Node& platform, const Entry& named) {
  std::string missing;
  for (const std::string_view key : required_keys) {
    if (platform.find(key) == nullptr) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", key);
  }
  if (missing.empty()) return;
  loading.fail(fault(loading::platform_incomplete, named.value->origin,
                     fmt::format("the platform preset {} lacks {}", to_text(*named.value), missing),
                     {"use platform_azure.yaml, or add the keys under platform.overrides"}));
}

}  // namespace

NodePtr load_platform(Loading& loading, const Node& experiment) {
  const Entry* written = experiment.find("platform");
  const Entry platform = written != nullptr ? *written : default_platform();
  const Entry* config = platform.value->find("config");
  if (config == nullptr) {
    loading.fail(fault(loading::wrong_shape, platform.key_origin,
                       fmt::format("platform must be a mapping with the key config, not {}", to_text(*platform.value)),
                       {"leave platform out for Primus's default, or write platform: {config: platform_azure.yaml}"}));
    return nullptr;
  }
  const NodePtr preset = load_preset(loading, PresetKind::platform, "", *config);
  if (!preset) return nullptr;
  NodePtr result = with_entry(preset, *config);
  const Entry* overrides = platform.value->find("overrides");
  if (overrides != nullptr && !overrides->value->is_null()) {
    if (!overrides->value->is_mapping()) {
      loading.fail(
          fault(loading::wrong_shape, overrides->value->origin,
                fmt::format("platform.overrides must be a mapping, not {}", to_string(overrides->value->kind))));
      return nullptr;
    }
    result = merge_namespaces(result, overrides->value);
  }
  require_keys(loading, *result, *config);
  return result;
}

}  // namespace primus_plan
