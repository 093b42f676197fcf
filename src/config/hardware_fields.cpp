#include <array>

#include "primus_plan/config/hardware.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double micro = 1e-6;

constexpr std::array<HardwareField, 18> table{{
    {"hbm_gb", "memory on the label, GB", &Hardware::marketed_memory_bytes, giga},
    {"memory_gib", "memory that a framework sees, GiB", &Hardware::memory_bytes, gib, true},
    {"hbm_gbs", "memory bandwidth, GB/s", &Hardware::memory_bytes_per_second, giga, true},
    {"compute_units", "compute units, or streaming multiprocessors", &Hardware::compute_units, 1},
    {"peak_bf16_tflops", "dense peak of the data sheet, TFLOP/s", &Hardware::peak_bf16_flops, tera, true},
    {"peak_fp8_tflops", "dense peak of the data sheet, TFLOP/s", &Hardware::peak_fp8_flops, tera},
    {"peak_fp4_tflops", "dense peak of the data sheet, TFLOP/s", &Hardware::peak_fp4_flops, tera},
    {"peak_fp32_tflops", "plain FP32 of the data sheet, without TF32, TFLOP/s", &Hardware::peak_fp32_flops, tera},
    {"gemm_bf16_tflops", "what large matrix products reach in training, TFLOP/s", &Hardware::gemm_bf16_flops, tera},
    {"gemm_fp8_tflops", "what large matrix products reach in training, TFLOP/s", &Hardware::gemm_fp8_flops, tera},
    {"gemm_fp4_tflops", "what large matrix products reach in training, TFLOP/s", &Hardware::gemm_fp4_flops, tera},
    {"attention_tflops", "what fused attention reaches, TFLOP/s", &Hardware::attention_flops, tera},
    {"link_gbs", "one GPU to all others of its domain, one direction, GB/s", &Hardware::link_bytes_per_second, giga,
     true},
    {"link_latency_us", "of a collective inside a domain, us", &Hardware::link_latency_seconds, micro},
    {"nic_gbs", "one GPU to other domains, one direction, GB/s", &Hardware::nic_bytes_per_second, giga, true},
    {"nic_latency_us", "of a collective between domains, us", &Hardware::nic_latency_seconds, micro},
    {"gpus_per_domain", "GPUs that the scale-up links connect", &Hardware::gpus_per_domain, 1},
    {"gpus_per_node", "GPUs of one host", &Hardware::gpus_per_node, 1},
}};

}  // namespace

std::span<const HardwareField> hardware_fields() { return table; }

}  // namespace primus_plan
