#pragma once

#include <string_view>

/// Where MaxText and Primus decide, "path:function", as several topics name them.
namespace primus_plan::maxtext::sites {

inline constexpr std::string_view fields = "src/maxtext/configs/types.py:MaxTextConfig";
inline constexpr std::string_view validate = "src/maxtext/configs/types.py:set_derived_and_validate_values";
inline constexpr std::string_view initialize = "src/maxtext/configs/pyconfig.py:_initialize_pydantic";
inline constexpr std::string_view fill_axes = "src/maxtext/utils/max_utils.py:fill_unspecified_mesh_axes";
inline constexpr std::string_view device_mesh = "src/maxtext/utils/maxtext_utils.py:create_device_mesh";
inline constexpr std::string_view train_config = "src/maxtext/utils/train_utils.py:validate_train_config";
inline constexpr std::string_view train_loop = "src/maxtext/utils/train_utils.py:setup_train_loop";
inline constexpr std::string_view experts = "src/maxtext/layers/moe.py:__init__";

inline constexpr std::string_view config_error = "MaxText prints MAXTEXT CONFIG ERROR and exits with status 2";

}  // namespace primus_plan::maxtext::sites
