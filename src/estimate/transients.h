#pragma once

#include "estimate/activations.h"
#include "primus_plan/estimate/memory.h"

namespace primus_plan {

/// Output layers that a stage runs: of the loss and of each MTP depth.
double outputs_on(const Workload& workload, std::size_t rank);
/// Logits of `micro_batches_of_loss` on a stage with the loss, with the copies that it makes; of each MTP depth too.
double logits_bytes(const Workload& workload, const ActivationContext& c, std::size_t rank);

/// Fills logits and transients of a stage: the worse of two moments, the loss (logits, gathered hidden state and its
/// gradients) and the backward pass of one layer (gradients inside it, `made_again` bytes of recomputed activations,
/// whole gradients of an FSDP unit before they are reduced).
void add_transients(StageMemory& out, const Workload& workload, const ActivationContext& c, std::size_t rank,
                    double made_again);

/// Buffers of collectives that the caching allocator holds: two key-value blocks of the context-parallel ring, two
/// hidden states of tensor-parallel overlap, the tokens that an all-gather brings to the experts, an fp32 bucket when
/// gradients are accumulated in 16 bits, and what PyTorch's own pipeline receives: a buffer for each micro-batch and
/// direction (torch/distributed/pipelining/stage.py, _prepare_forward_infra).
double communication_buffers(const Workload& workload, const ActivationContext& c, std::size_t rank);

/// Whether PyTorch's own pipeline runs: it keeps what a stage gave away until its backward pass is done.
bool is_torch_pipeline(const Workload& workload);

/// Whether JAX scans the pipeline as one loop: all forward passes, then the loop's gradient.
/// Source: MaxText/layers/pipeline.py, __call__ and get_pipeline_remat_policy.
bool is_scanned_pipeline(const Workload& workload);
/// Whether a chunk of a scanned pipeline lies outside it: every rank has it, for its share of the batch.
bool lies_outside_pipeline(const Workload& workload, const StageChunk& chunk);
/// Micro-batches whose loss a rank computes at once: one, or after a scanned pipeline its share of them all, for there
/// the stages are one more data axis (MaxText/configs/types.py: data_sharding with `stage` first).
double micro_batches_of_loss(const Workload& workload);

/// The most that DeepEP's dispatch and combine can hold; 0 without it.
double deep_ep_buffers(const Workload& workload, const ActivationContext& c);

/// Whether experts exchange tokens through RCCL's all-to-all on AMD GPUs.
bool uses_rccl_all_to_all(const Workload& workload, const MemoryDevice& device);

}  // namespace primus_plan
