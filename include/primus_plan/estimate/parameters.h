#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// What the parameters of a model are for.
enum class ParameterPart : std::uint8_t {
  embedding,       ///< of tokens and learned positions; where output is tied to it, counted here
  attention,       ///< whatever mixes tokens: attention, latent attention, linear attention, state space, convolution
  dense_ffn,       ///< feed-forward blocks of dense layers
  router,          ///< of experts
  experts,         ///< routed experts
  shared_experts,  ///< experts that see every token, and projections into the experts' own space
  norms,
  mtp,          ///< multi-token-prediction layers, but for their routed experts
  mtp_experts,  ///< routed experts of those layers
  output,
};
inline constexpr std::size_t parameter_parts = 10;

/// "embedding", "attention", "dense feed-forward" …
std::string_view to_string(ParameterPart part);

/// Numbers of parameters by part.
struct Parameters {
  std::array<double, parameter_parts> parts{};

  double operator[](ParameterPart part) const { return parts[static_cast<std::size_t>(part)]; }
  double& operator[](ParameterPart part) { return parts[static_cast<std::size_t>(part)]; }
  double total() const;
  double expert() const;  ///< routed experts: what expert parallel splits and the experts' own replicas share
  double dense() const;   ///< everything else
  /// Multi-token prediction with its experts, which published sizes leave out; part of the total.
  double prediction() const;
  /// Weights of large matrix products inside the layers: not embedding, output, norms and router.
  double matrices() const;
};

/// Of the whole model. The vocabulary is the tokenizer's, not the padded one, so that totals can be compared with
/// published sizes. MTP layers are counted in parts of their own.
Parameters model_parameters(const ModelShape& model);

/// What one token uses: everything but the routed experts that it is not sent to.
Parameters active_parameters(const ModelShape& model);

/// Of one rank of a pipeline stage, whole (before optimizer states or weights are shared among data-parallel ranks):
/// layers of its chunks divided by tensor, expert and expert-tensor parallel; what is replicated over tensor-parallel
/// ranks (norms, router, down projections of latent attention) in full. The vocabulary is padded. Tied embeddings are
/// held once without a pipeline and on both ends with one; a stage with MTP layers holds a copy of the embedding
/// (megatron/core/models/gpt/gpt_model.py: embedding when mtp_process).
/// `rank`: index into workload.run.stages.
Parameters rank_parameters(const Workload& workload, std::size_t rank);

}  // namespace primus_plan
