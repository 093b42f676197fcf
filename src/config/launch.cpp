#include "primus_plan/config/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/pragma.h"

namespace primus_plan {
namespace {

/// One place that may give sizes, and the names under which it does.
struct SizeSource {
  std::optional<std::int64_t> world_size;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus_per_node;
  std::string name;  ///< what a report says: the flags or variables, set apart by commas

  bool decides() const { return world_size || nodes; }
};

Finding bad_size(std::string_view where, std::string_view text, const Origin& origin = {}) {
  return fault(loading::bad_launch_size, origin,
               fmt::format("{} must be a whole number from 1 to {}, not '{}'", where, largest_launch, text));
}

void add_name(SizeSource& source, std::string_view name) {
  source.name += fmt::format("{}{}", source.name.empty() ? "" : ", ", name);
}

SizeSource from_flags(const LaunchOptions& options) {
  SizeSource source{options.world_size, options.nodes, options.gpus_per_node, ""};
  const auto take = [&](const std::optional<std::int64_t>& value, std::string_view name) {
    if (!value) return;
    if (*value < 1 || *value > largest_launch) throw LoadError(bad_size(name, std::to_string(*value)));
    add_name(source, name);
  };
  take(source.world_size, "--world-size");
  take(source.nodes, "--nodes");
  take(source.gpus_per_node, "--gpus-per-node");
  return source;
}

/// A variable's size; unset and empty are nothing. Slurm writes "mi300x:8" for typed GPUs and "8(x2)" for equal nodes.
std::optional<std::int64_t> variable(const Environment& environment, std::string_view name, bool of_slurm = false) {
  const auto text = environment.get(name);
  if (!text || text->empty()) return std::nullopt;
  std::string_view number = *text;
  if (of_slurm) {
    number = number.substr(number.rfind(':') + 1);
    number = number.substr(0, number.find('('));
  }
  if (const auto size = parse_launch_size(number)) return size;
  throw LoadError(bad_size(fmt::format("the environment variable {}", name), *text));
}

struct Variable {
  std::string_view name;
  std::optional<std::int64_t> SizeSource::*size;
};

SizeSource from_variables(const Environment& environment, std::initializer_list<Variable> variables, bool of_slurm) {
  SizeSource source;
  for (const auto& [name, size] : variables) {
    if (name.empty() || source.*size) continue;
    source.*size = variable(environment, name, of_slurm);
    if (source.*size) add_name(source, name);
  }
  return source;
}

SizeSource from_file(const Pragma& pragma, std::string_view what) {
  const Origin& place = pragma.origin;
  return {pragma.world_size, pragma.nodes, pragma.gpus_per_node,
          place ? fmt::format("{} in {}:{}", what, place.source->path(), place.line) : std::string(what)};
}

/// Variables that a platform names for the numbers of nodes and GPUs.
struct PlatformVariables {
  std::string_view nodes = "NNODES";
  std::string_view gpus_per_node = "GPUS_PER_NODE";
};

Launch decide(const LaunchOptions& options, const Environment& environment, const Pragma& pragma,
              const PlatformVariables& platform, const Pragma* settings = nullptr) {
  const SizeSource sources[] = {
      from_flags(options),
      from_variables(environment,
                     {{platform.nodes, &SizeSource::nodes},
                      {platform.gpus_per_node, &SizeSource::gpus_per_node},
                      {"WORLD_SIZE", &SizeSource::world_size}},
                     false),
      from_variables(environment,
                     {{"SLURM_NNODES", &SizeSource::nodes},
                      {"SLURM_GPUS_ON_NODE", &SizeSource::gpus_per_node},
                      {"SLURM_GPUS_PER_NODE", &SizeSource::gpus_per_node}},
                     true),
      from_file(pragma, "the comment"),
      settings != nullptr ? from_file(*settings, "settings") : SizeSource{},
  };
  Launch launch;
  const auto gpus = std::ranges::find_if(sources, [](const SizeSource& s) { return s.gpus_per_node.has_value(); });
  const auto size = std::ranges::find_if(sources, &SizeSource::decides);
  if (gpus != std::end(sources)) launch.gpus_per_node = *gpus->gpus_per_node;
  if (size == std::end(sources)) {
    if (gpus != std::end(sources)) launch.source = gpus->name;
    return launch;
  }
  launch.source = size->name;
  if (gpus != std::end(sources) && gpus != size) launch.source += ", " + gpus->name;
  if (size->world_size) {
    launch.world_size = *size->world_size;
    const bool even = size->nodes && launch.world_size % *size->nodes == 0;
    if (gpus == std::end(sources) && even) {
      launch.gpus_per_node = launch.world_size / *size->nodes;
    }
    launch.nodes = (launch.world_size + launch.gpus_per_node - 1) / launch.gpus_per_node;
    // Variables may be left over from another job; flags are meant as they stand.
    if (size == sources && size->nodes && launch.nodes != *size->nodes) {
      throw LoadError(fault(loading::bad_launch_size, {},
                            fmt::format("--world-size {} does not fit --nodes {}: {} ranks take {} node{} of {} GPUs",
                                        launch.world_size, *size->nodes, launch.world_size, launch.nodes,
                                        launch.nodes == 1 ? "" : "s", launch.gpus_per_node)));
    }
    return launch;
  }
  launch.nodes = *size->nodes;
  launch.world_size = launch.nodes * launch.gpus_per_node;  // each is at most 2^20
  if (launch.world_size > largest_launch) {
    throw LoadError(bad_size(fmt::format("the product of nodes and GPUs per node ({})", launch.source),
                             fmt::format("{} x {}", launch.nodes, launch.gpus_per_node)));
  }
  return launch;
}

}  // namespace

Launch find_launch(const LaunchOptions& options, const Environment& environment, const Pragma& pragma) {
  return decide(options, environment, pragma, {});
}

Launch find_launch(const LaunchOptions& options, const Environment& environment, const Experiment& experiment,
                   const Pragma* settings) {
  PlatformVariables variables;
  const auto take = [&](std::string_view path, std::string_view& name) {
    const Node* key = experiment.exp ? experiment.exp->at_path(path) : nullptr;
    if (key != nullptr && key->is_string() && !key->text.empty()) name = key->text;
  };
  take("platform.num_nodes_env_key", variables.nodes);
  take("platform.gpus_per_node_env_key", variables.gpus_per_node);
  return decide(options, environment, experiment.pragma, variables, settings);
}

Launch assume_launch(std::int64_t smallest_legal_world, std::int64_t gpus_per_node) {
  const std::int64_t gpus = std::max<std::int64_t>(gpus_per_node, 1);
  if (smallest_legal_world < 1 || smallest_legal_world > largest_launch) {
    return {.world_size = gpus, .nodes = 1, .gpus_per_node = gpus, .source = "one node", .assumed = true};
  }
  const std::int64_t world = smallest_legal_world;
  const std::int64_t nodes = 1 + (world - 1) / gpus;
  return {.world_size = nodes == 1 ? world : nodes * gpus,
          .nodes = nodes,
          .gpus_per_node = gpus,
          .source = "smallest world for these degrees",
          .assumed = true};
}

Launch sized_launch(std::int64_t world_size, std::int64_t gpus_per_node) {
  Launch out = assume_launch(world_size, gpus_per_node);
  out.world_size = world_size;
  out.source = "as planned";
  out.assumed = false;
  return out;
}

}  // namespace primus_plan
