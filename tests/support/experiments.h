#pragma once

#include <string_view>

namespace primus_plan::test {

/// An experiment that is legal on one node of 8 (DP 4, 4 accumulation steps).
inline constexpr std::string_view good_experiment =
    "# primus-plan: world-size=8\n"
    "work_group: team\n"
    "user_name: user\n"
    "exp_name: small\n"
    "workspace: ./output\n"
    "modules:\n"
    "  pre_trainer:\n"
    "    framework: megatron\n"
    "    config: pre_trainer.yaml\n"
    "    model: llama3_8B.yaml\n"
    "    overrides:\n"
    "      tensor_model_parallel_size: 2\n"
    "      pipeline_model_parallel_size: 1\n"
    "      micro_batch_size: 2\n"
    "      global_batch_size: 32\n";

/// The same with a global batch that does not divide.
inline constexpr std::string_view bad_experiment =
    "# primus-plan: world-size=8\n"
    "work_group: team\n"
    "user_name: user\n"
    "exp_name: small\n"
    "workspace: ./output\n"
    "modules:\n"
    "  pre_trainer:\n"
    "    framework: megatron\n"
    "    config: pre_trainer.yaml\n"
    "    model: llama3_8B.yaml\n"
    "    overrides:\n"
    "      tensor_model_parallel_size: 2\n"
    "      pipeline_model_parallel_size: 1\n"
    "      micro_batch_size: 2\n"
    "      global_batch_size: 33\n";

/// The first without anything to remark on, and the second with its error alone, on line 15.
inline constexpr std::string_view silent_experiment =
    "# primus-plan: world-size=8\n"
    "work_group: team\n"
    "user_name: user\n"
    "exp_name: small\n"
    "workspace: ./output\n"
    "modules:\n"
    "  pre_trainer:\n"
    "    framework: megatron\n"
    "    config: pre_trainer.yaml\n"
    "    model: llama3_8B.yaml\n"
    "    overrides:\n"
    "      tensor_model_parallel_size: 2\n"
    "      train_iters: 100\n"
    "      micro_batch_size: 1\n"
    "      global_batch_size: 32\n";
inline constexpr std::string_view one_error_experiment =
    "# primus-plan: world-size=8\n"
    "work_group: team\n"
    "user_name: user\n"
    "exp_name: small\n"
    "workspace: ./output\n"
    "modules:\n"
    "  pre_trainer:\n"
    "    framework: megatron\n"
    "    config: pre_trainer.yaml\n"
    "    model: llama3_8B.yaml\n"
    "    overrides:\n"
    "      tensor_model_parallel_size: 2\n"
    "      train_iters: 100\n"
    "      micro_batch_size: 1\n"
    "      global_batch_size: 33\n";

}  // namespace primus_plan::test
