#pragma once

#include <string_view>

/// Where Megatron and Primus decide, "path:function", as several topics name them.
namespace primus_plan::megatron::sites {

inline constexpr std::string_view validate_args = "megatron/training/arguments.py:validate_args";
inline constexpr std::string_view transformer_config = "megatron/core/transformer/transformer_config.py:__post_init__";
inline constexpr std::string_view rocm_validation =
    "primus/backends/megatron/patches/args/rocm_arg_validation.py:validate_args_on_rocm";
inline constexpr std::string_view parallel_state = "megatron/core/parallel_state.py:initialize_model_parallel";
inline constexpr std::string_view calculator = "megatron/core/num_microbatches_calculator.py:__init__";

}  // namespace primus_plan::megatron::sites
