#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "primus_plan/run/calibration.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// How the GPUs of a scale-up domain are wired.
enum class Fabric : std::uint8_t {
  switched,  ///< any group of GPUs sees the whole link bandwidth (NVSwitch, a torus taken as one)
  mesh,      ///< every pair has one link of its own: a group of t GPUs reaches (t - 1) of the links (xGMI)
};

/// One accelerator in its machine: the facts that estimates read. 0 = the part does not have it, or nobody knows.
/// Built-in parts and users' own come from config/hardware.h.
struct Hardware {
  std::string name;
  std::vector<std::string> aliases;  ///< other names it goes by
  double marketed_memory_bytes = 0;  ///< the label
  double memory_bytes = 0;           ///< what a framework sees as the total
  double memory_bytes_per_second = 0;
  double compute_units =
      0;  ///< compute units, streaming multiprocessors or cores: matrix products run in waves of them
  // Dense peaks of the data sheet.
  double peak_bf16_flops = 0;
  double peak_fp8_flops = 0;
  double peak_fp4_flops = 0;
  double peak_fp32_flops = 0;  ///< of plain FP32 (matrix cores where there are), not of TF32
  // What large matrix products reach inside training steps.
  double gemm_bf16_flops = 0;
  double gemm_fp8_flops = 0;
  double gemm_fp4_flops = 0;
  double attention_flops = 0;  ///< what fused attention reaches
  // Scale-up domain.
  Fabric fabric = Fabric::switched;
  double link_bytes_per_second = 0;  ///< of one GPU to all others of its domain, one direction
  double gpus_per_domain = 8;
  double gpus_per_node = 8;
  // Network between domains.
  double nic_bytes_per_second = 0;  ///< of one GPU, one direction
  double link_latency_seconds = 0;  ///< of one transfer
  double nic_latency_seconds = 0;
  std::vector<std::string> sources;
  Calibration calibration;  ///< what runs of this cluster measured; every estimate for the part heeds it

  /// Data-sheet peak for GEMM inputs of this format; 0 where the part has none.
  double peak_flops(NumberFormat format) const;
  /// What large matrix products of this format reach; 0 where the part has none. Those of fp32 reach the share of their
  /// peak that those of bf16 do.
  double gemm_flops(NumberFormat format) const;
  /// What fused attention reaches on tensors of 16 bits or of fp32, slower there by as much as matrix products are.
  double attention_flops_of(NumberFormat format) const;
  /// Whether scales of 32 numbers are read by the matrix cores themselves (MX formats, NVFP4): the parts that compute
  /// in fp4. Source: transformer_engine/pytorch/fp8.py, check_mxfp8_support (compute capability 10.0, gfx95x).
  bool has_microscaling() const { return peak_fp4_flops > 0; }
  /// Whether matrix products as `precision` asks for them have a rate on the part.
  bool computes(const Precision& precision) const;
};

}  // namespace primus_plan
