#include "backends/maxtext/rules/heads.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

const Count& context_degree(const MaxTextRun& run) {
  const AxisInfo& axis = info(run.mesh.context);
  return axis.ici != nullptr ? largest_of({&(run.config.*axis.ici), &(run.config.*axis.dcn)})
                             : run.config.ici_context_parallelism;
}

bool transformer_engine(const MaxTextRun& run) { return run.on_gpu() && *run.config.attention == "cudnn_flash_te"; }

bool balanced_ring(const MaxTextRun& run) {
  return *run.config.context_parallel_strategy == "ring" && *run.config.context_parallel_load_balance;
}

void packed_context(const MaxTextRun& run, Findings& out) {
  if (run.context_size() <= 1 || !*run.config.packing || !transformer_engine(run) || balanced_ring(run)) return;
  out.add(context_degree(run), [&](Message& m) {
    m.say("context parallel {} with packed sequences needs the load-balanced ring strategy", run.context_size());
    m.because(
        "packing: true, context_parallel_strategy: {}, context_parallel_load_balance: {}, attention: cudnn_flash_te",
        *run.config.context_parallel_strategy, *run.config.context_parallel_load_balance);
    m.also(run.config.packing, "packing set here").also(run.config.context_parallel_strategy);
    m.help("packing: false, or context_parallel_strategy: ring with context_parallel_load_balance: true");
    m.fix("set packing to false", run.config.packing, "false");
  });
}

void packing_without_segments(const MaxTextRun& run, Findings& out) {
  if (*run.config.hardware != "gpu" || !*run.config.packing || *run.config.attention != "cudnn_flash_te") return;
  const Count& segments = run.config.max_segments_per_seq;
  if (*segments > 0) return;
  out.add(segments, [&](Message& m) {
    m.say("max_segments_per_seq is {}: packing with cudnn_flash_te needs a bound", *segments);
    m.also(run.config.packing);
    m.help("32 is what Primus's preset has");
    m.fix("set max_segments_per_seq to 32", segments, "32");
  });
}

/// Whether sequences are reordered so that the causal mask costs each context rank the same.
bool reorders(const MaxTextRun& run) { return run.context_size() > 1 && *run.config.context_parallel_load_balance; }

void load_balance(const MaxTextRun& run, Findings& out) {
  if (!reorders(run)) return;
  const Int size = run.context_size();
  const Int chunks = saturating_multiply(2, size);
  const Count& length = run.config.max_target_length;
  const Word& order = run.config.context_parallel_reorder_strategy;
  if (*order == "striped" && !run.on_gpu()) {
    out.add(order, [&](Message& m) {
      m.say("context_parallel_reorder_strategy: striped is Transformer Engine's, for GPUs; hardware is {}",
            *run.config.hardware);
      m.also(run.config.hardware);
    });
  } else if (size % 2 != 0) {
    out.add(context_degree(run), [&](Message& m) {
      m.say("load balancing gives each context rank one chunk from both ends: context parallel {} is not even", size);
      m.help("context_parallel_load_balance: false, or an even degree");
    });
  } else if (*length >= 1 && floor_remainder(*length, chunks) != 0 &&
             floor_remainder(*length, run.mesh.shards(run.mesh.logical.length)) == 0) {
    out.add(length, [&](Message& m) {
      m.say("max_target_length {} is not a multiple of 2 x context parallel = {}", *length, chunks);
      m.also(context_degree(run));
      m.because("load balancing cuts a sequence into two chunks for each context rank");
      if (!key_heads_split(run)) return;  // the degrees have to change first
      const std::vector<Int> legal = multiples_around(*length, chunks);
      help_with_nearest(m, legal);
      fix_to_nearest(m, length, *length, legal);
    });
  }
}

bool slides(std::string_view block) {
  return block == "gemma2" || block == "gemma3" || block == "gemma4" || block == "gpt_oss";
}

void sliding_window_context(const MaxTextRun& run, Findings& out) {
  if (run.context_size() <= 1 || !transformer_engine(run)) return;
  const bool window = slides(*run.config.decoder_block) || *run.config.attention_type == "local_sliding";
  // The packed branch is for real data. With packing on and no balanced ring, the packing itself is refused already.
  const bool synthetic = *run.config.dataset_type == "synthetic";
  if (!window || (*run.config.packing && (!synthetic || !balanced_ring(run)))) return;
  out.add(context_degree(run), [&](Message& m) {
    m.say(
        "the {} decoder has sliding-window layers, which split over {} context ranks only in packed sequences of real "
        "data with a load-balanced ring",
        *run.config.decoder_block, run.context_size());
    because_of_model_file(m, run, run.config.decoder_block);
    m.also(run.config.packing, "packing set here");
    if (synthetic) {
      m.because("MaxText takes dataset_type: synthetic for sequences that are not packed, whatever packing says");
      m.also(run.config.dataset_type);
    }
    m.help(
        "packing: true with context_parallel_strategy: ring, context_parallel_load_balance: true{}, or context "
        "parallel 1",
        synthetic ? " and another dataset_type" : "");
  });
}

void chunked_context(const MaxTextRun& run, Findings& out) {
  if (run.context_size() <= 1 || !transformer_engine(run)) return;
  if (*run.config.decoder_block != "llama4" && *run.config.attention_type != "chunk") return;
  out.add(context_degree(run), [&](Message& m) {
    m.say("chunked attention does not split over {} context ranks with cudnn_flash_te", run.context_size());
    because_of_model_file(m, run, run.config.decoder_block);
    m.help("use tensor or fsdp axes instead");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX603",
      .name = "packed-sequences-need-balanced-ring",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = sites::train_loop,
      .outcome = "MaxText stops when it sets the training up (ValueError)",
      .summary = "Context parallel with packing needs the load-balanced ring strategy.",
      .explanation = "Transformer Engine handles packed sequences across ranks only as a ring. Primus's preset packs, "
                     "and MaxText's default strategy is all_gather, so every context degree above 1 meets this rule "
                     "until one of the two changes.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_context_parallelism: 2\nici_tensor_parallelism: 4\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_context_parallelism: 2\nici_tensor_parallelism: "
                       "4\ncontext_parallel_strategy: ring\n"}},
     packed_context},
    {{.id = "MX612",
      .name = "packing-needs-segment-bound",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Packing with cudnn_flash_te needs max_segments_per_seq.",
      .explanation = "Transformer Engine wants to know how many documents a packed sequence can hold. MaxText's "
                     "default of -1 is refused.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmax_segments_per_seq: -1\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmax_segments_per_seq: 32\n"}},
     packing_without_segments},
    {{.id = "MX604",
      .name = "context-load-balance-not-whole",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/utils/max_utils.py:reorder_sequence",
      .outcome = "MaxText stops at the first batch (ValueError)",
      .summary = "Load balancing cuts a sequence into two chunks for each context rank.",
      .explanation = "With context_parallel_load_balance (on unless switched off) each rank holds a chunk from the "
                     "start and one from the end, so that the causal mask costs all the same. The degree is even and "
                     "the length a multiple of twice the degree.",
      .bad = {.world_size = 8,
              .yaml =
                  "per_device_batch_size: 1\nici_context_parallelism: 4\npacking: false\nmax_target_length: 4100\n"},
      .good = {.world_size = 8,
               .yaml =
                   "per_device_batch_size: 1\nici_context_parallelism: 4\npacking: false\nmax_target_length: 4096\n"}},
     load_balance},
    {{.id = "MX611",
      .name = "sliding-window-with-context-parallel",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/layers/attention_op.py:cudnn_flash_attention",
      .outcome = "MaxText stops at the first trace (AssertionError)",
      .summary = "Sliding-window layers split over context ranks only in packed, ring-balanced sequences.",
      .explanation = "Gemma 2, 3 and 4 and gpt-oss alternate global layers with windows. Transformer Engine cuts "
                     "windows across ranks only for packed data on a load-balanced ring; synthetic data never count "
                     "as packed.",
      .bad = {.world_size = 8,
              .yaml = "model_name: gemma2-9b\nper_device_batch_size: 1\nici_context_parallelism: 2\npacking: false\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: gemma2-9b\nper_device_batch_size: 1\nici_context_parallelism: "
                       "2\ncontext_parallel_strategy: ring\n"}},
     sliding_window_context},
    {{.id = "MX614",
      .name = "chunked-attention-with-context-parallel",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/layers/attention_op.py:cudnn_flash_attention",
      .outcome = "MaxText stops at the first trace (ValueError)",
      .summary = "Chunked attention does not split over context ranks.",
      .explanation = "Llama 4 attends in chunks, which cudnn_flash_te does not support across ranks.",
      .bad = {.world_size = 8,
              .yaml = "model_name: llama4-17b-16e\nper_device_batch_size: 1\nmegablox: false\nici_context_parallelism: "
                      "2\npacking: false\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: llama4-17b-16e\nper_device_batch_size: 1\nmegablox: false\npacking: false\n"}},
     chunked_context},
};

}  // namespace

RuleList context_rules() { return rules; }

}  // namespace primus_plan::maxtext
