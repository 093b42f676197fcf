#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/torchtitan/config.h"
#include "backends/torchtitan/model.h"
#include "backends/torchtitan/schedule.h"

namespace primus_plan::torchtitan {

/// A key that TorchTitan does not have.
struct StrayKey {
  std::string path;  ///< dotted
  Origin origin;     ///< of the key
  std::string_view
      nearest;  ///< a field that was probably meant, of model and moe keys; empty when none is near. Static text.
};

/// A section whose value is no mapping.
struct BrokenSection {
  std::string_view name;
  const Entry* entry = nullptr;
  const char* outcome = nullptr;  ///< what comes of it; null = nobody reads the section
};

/// What a walk over the keys themselves finds, wherever they stand.
struct KeyFaults {
  std::vector<StrayKey> unknown;       ///< attached as attributes that nobody reads
  std::vector<StrayKey> dotted;        ///< "parallelism.tensor_parallel_degree" written as one key
  std::vector<StrayKey> experimental;  ///< unknown keys below `experimental`: they stop the run
  std::vector<StrayKey> model;         ///< below `model`, but no field of the model's arguments
  std::vector<StrayKey> moe;           ///< below `model.moe_args`, but no field of MoEArgs
  std::vector<BrokenSection> sections;
};

/// model.converters by what they do.
struct Converters {
  bool readable = true;  ///< a list of strings
  std::vector<std::string_view> names;
  bool turbo = false;           ///< primus_turbo
  bool float8_linear = false;   ///< quantize.linear.float8
  bool mx_linear = false;       ///< quantize.linear.mx
  bool grouped_float8 = false;  ///< quantize.grouped_mm.float8
};

/// One list of modules of parallelism.module_fqns_per_model_part.
struct StageParts {
  std::vector<Int> layers;
  bool embedding = false;
  bool norm = false;
  bool output = false;
};

/// parallelism.module_fqns_per_model_part: modules of each virtual stage, as the user lists them.
struct ModelParts {
  bool given = false;
  bool readable = true;  ///< a list of lists of strings
  std::vector<StageParts> stages;
};

/// Keys whose values have a syntax of their own, read once for all launches and candidates.
struct ParsedKeys {
  const Model* model = nullptr;          ///< null: unknown name, or an experiment
  const Flavor* flavor = nullptr;        ///< null: unknown flavor
  Architecture architecture;             ///< the flavor with the overrides of `model.*`; zeros when unknown
  Experts flavor_experts;                ///< the flavor's routing, which `model.moe_args` replaces
  std::vector<BadValue> bad_moe_values;  ///< of `model.moe_args`: itself no mapping, or a field of a wrong type
  const Schedule* schedule = nullptr;
  bool schedule_csv_is_missing = false;  ///< pipeline_parallel_schedule_csv names a file that is not there
  Converters converters;
  bool compiles_model = false;  ///< compile.enable, and "model" among the components
  bool compiles_loss = false;   ///< ... and "loss"
  bool components_readable = true;
  ModelParts parts;
  KeyFaults keys;
};

/// What a list of converters says.
Converters parse_converters(const Raw& field);

/// Reads them; what cannot be read is left empty for the rules to report.
ParsedKeys parse_keys(const TorchTitanConfig& config, const Node& params);

/// Walks the keys of a module. Source: primus/backends/torchtitan/config_utils.py:build_job_config_from_namespace and
/// _dict_to_dataclass; patches/model_override_patches.py.
KeyFaults find_key_faults(const Node& params, const Model* model);

}  // namespace primus_plan::torchtitan
