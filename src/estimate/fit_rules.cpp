#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "primus_plan/estimate/fit.h"
#include "primus_plan/estimate/step_time.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// The farthest that an estimate has been above a measurement was 1.57 times (docs/accuracy.md): what even a low
/// estimate says is so far beyond every part cannot run.
constexpr double certainty = 1.5;

std::span<const Hardware> known_parts(const FitTarget& target) {
  return target.known_parts == nullptr ? std::span<const Hardware>() : target.known_parts();
}

double largest_memory(const FitTarget& target) {
  double most = target.hardware.memory_bytes;
  for (const Hardware& part : known_parts(target)) most = std::max(most, part.memory_bytes);
  return most;
}

/// Memory that was not judged has no stages, is 0 bytes, and fits.
Fit fit_of(const FittedRun& run) { return compare_with_hardware(run.memory, run.target.hardware.memory_bytes); }

bool is_hopeless(const FittedRun& run) {
  return run.memory.device.low > certainty * run.target.hardware.memory_bytes &&
         run.memory.device.low > certainty * largest_memory(run.target);
}

/// Where the fullest stage is, when there are several.
std::string stage_text(const FittedRun& run) {
  const std::size_t stages = run.memory.stages.size();
  return stages > 1 ? fmt::format(" of pipeline rank {} of {}", run.memory.fullest, stages) : std::string();
}

std::string needs(const FittedRun& run) {
  const MemoryRange& device = run.memory.device;
  return fmt::format("needs about {:.0f} GiB ({:.0f} to {:.0f}) on each GPU{}", device.expected / gib, device.low / gib,
                     device.high / gib, stage_text(run));
}

/// The largest parts of the fullest stage: "activations 120 GiB, logits 41 GiB, …".
std::string parts_text(const StageMemory& stage) {
  constexpr std::size_t shown = 4;
  std::array<std::size_t, memory_parts> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return stage.parts[a] > stage.parts[b]; });
  std::vector<std::string> texts;
  for (const std::size_t part : order) {
    if (texts.size() == shown || stage.parts[part] < gib / 2) break;
    texts.push_back(fmt::format("{} {:.0f} GiB", to_string(static_cast<MemoryPart>(part)), stage.parts[part] / gib));
  }
  return join(texts, ", ");
}

/// What would lower the two kinds of memory that settings decide about.
void help(const FittedRun& run, Message& m) {
  const StageMemory& stage = run.memory.stages[run.memory.fullest];
  const Workload& workload = run.workload;
  const double state = stage[MemoryPart::weights] + stage[MemoryPart::gradients] + stage[MemoryPart::optimizer];
  const double passing = stage[MemoryPart::activations] + stage[MemoryPart::logits];
  if (passing >= state) {
    if (workload.run.batch.micro > 1)
      m.help("a micro-batch below {} holds fewer activations", workload.run.batch.micro);
    if (workload.recompute.granularity != RecomputeGranularity::full) {
      m.help("recomputing activations keeps one hidden state a layer instead of {:.0f} GiB",
             stage[MemoryPart::activations] / gib);
    }
  }
  if (state > passing && workload.sharding.state == StateSharding::none) {
    m.help(
        "sharing the optimizer's states over the data-parallel ranks (distributed optimizer, FSDP) saves up to "
        "{:.0f} GiB",
        stage[MemoryPart::optimizer] / gib);
  }
  m.help(
      "more tensor, pipeline or context parallelism splits it over more GPUs; primus-plan estimate -v shows each part");
}

/// Parts that have room, smallest first.
std::string parts_with_room(const FittedRun& run) {
  std::vector<const Hardware*> parts;
  for (const Hardware& part : known_parts(run.target)) {
    const bool is_kin = part.fabric == run.target.hardware.fabric && part.memory_bytes > 0;
    if (is_kin && compare_with_hardware(run.memory, part.memory_bytes) == Fit::fits) parts.push_back(&part);
  }
  std::ranges::stable_sort(parts, {}, [](const Hardware* part) { return part->memory_bytes; });
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (const Hardware* part : parts) texts.push_back(fmt::format("{} ({:.0f})", part->name, part->memory_bytes / gib));
  return join(texts, ", ");
}

void hopeless(const FittedRun& run, Findings& out) {
  if (!is_hopeless(run)) return;
  out.add(run.workload.run.keys.micro_batch.origin, [&](Message& m) {
    m.say("the run {}, and no GPU has more than {:.0f} GiB", needs(run), largest_memory(run.target) / gib);
    m.because("{}", parts_text(run.memory.stages[run.memory.fullest]));
    help(run, m);
  });
}

void too_much(const FittedRun& run, Findings& out) {
  if (run.target.assumed || fit_of(run) != Fit::does_not_fit || is_hopeless(run)) return;
  out.add(run.workload.run.keys.micro_batch.origin, [&](Message& m) {
    const Hardware& part = run.target.hardware;
    m.say("the run {}, more than the {:.0f} GiB of {}", needs(run), part.memory_bytes / gib, part.name);
    m.because("{}", parts_text(run.memory.stages[run.memory.fullest]));
    m.because("{} is known from {}", part.name, run.target.from);
    help(run, m);
  });
}

void tight(const FittedRun& run, Findings& out) {
  if (run.target.assumed || fit_of(run) != Fit::tight) return;
  out.add(run.workload.run.keys.micro_batch.origin, [&](Message& m) {
    const Hardware& part = run.target.hardware;
    m.say("the run {}: with fragmentation it may not fit in the {:.0f} GiB of {}", needs(run), part.memory_bytes / gib,
          part.name);
    m.because("{}", parts_text(run.memory.stages[run.memory.fullest]));
    m.because("{} is known from {}", part.name, run.target.from);
    m.help("PYTORCH_HIP_ALLOC_CONF=expandable_segments:True wastes less; one measured run settles it");
  });
}

void needs_larger_part(const FittedRun& run, Findings& out) {
  if (!run.target.assumed || fit_of(run) == Fit::fits || is_hopeless(run)) return;
  out.add(run.workload.run.keys.micro_batch.origin, [&](Message& m) {
    const Hardware& part = run.target.hardware;
    m.say("the run {}: too much for {} with {:.0f} GiB", needs(run), part.name, part.memory_bytes / gib);
    m.because("{}", parts_text(run.memory.stages[run.memory.fullest]));
    const std::string larger = parts_with_room(run);
    if (larger.empty()) {
      help(run, m);
    } else {
      m.help("it fits {}: say which GPU it is for with --hardware, or hardware: in .primus-plan.yaml", larger);
    }
  });
}

/// Parts that have a rate for the run's matrix products.
std::string parts_that_compute(const FittedRun& run) {
  std::vector<std::string_view> names;
  for (const Hardware& part : known_parts(run.target)) {
    if (part.computes(run.workload.precision)) names.emplace_back(part.name);
  }
  return join(names, ", ");
}

void lacks_format(const FittedRun& run, Findings& out) {
  const Precision& precision = run.workload.precision;
  const Hardware& part = run.target.hardware;
  // What computes fp32 slowly, or at a rate that nobody knows, computes it.
  if (run.target.assumed || precision.compute == NumberFormat::fp32 || part.computes(precision)) return;
  const RunKey& key = run.workload.keys.precision;
  out.add(key.origin, [&](Message& m) {
    m.say("{} asks for matrix products in {}, which {} does not have", key.name != nullptr ? key.name : "the run",
          name_of(precision), part.name);
    m.because("{}", run.workload.runtime == Runtime::xla
                        ? "XLA computes them in a wider format, which gains nothing; Transformer Engine refuses"
                        : "Transformer Engine and torchao ask the GPU what it can do, and refuse");
    m.because("{} is known from {}", part.name, run.target.from);
    const std::string others = parts_that_compute(run);
    if (!others.empty()) m.help("these have it: {}", others);
    m.help("without it the products are computed in 16 bits, which every part does");
  });
}

/// Where PyTorch raises its OutOfMemoryError; the ROCm build translates the file.
constexpr std::string_view allocator = "c10/cuda/CUDACachingAllocator.cpp:malloc";

constexpr Rule<FittedRun> rules[] = {
    {{.id = "FT101",
      .name = "does-not-fit",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = allocator,
      .outcome = "the first steps run out of GPU memory",
      .summary = "The estimated memory of every pipeline stage is within the memory of the GPU.",
      .explanation =
          "Weights, gradients, optimizer states, activations of the micro-batches in flight, logits and buffers are "
          "added up for each pipeline stage and compared with the memory that a framework sees. The GPU is the one of "
          "--hardware, else of a comment `# primus-plan: hardware=PART`, else of the settings, else the one that the "
          "experiment's path or comments name. An estimate is "
          "an interval: primus-plan estimate shows what it is made of and what it takes for granted.",
      .bad = {.world_size = 8,
              .yaml = "# run with: --hardware MI300X\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                      "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                      "    model: llama3.1_70B.yaml\n    overrides:\n      mock_data: true\n      "
                      "tensor_model_parallel_size: 8\n      micro_batch_size: 2\n      global_batch_size: 16\n      "
                      "seq_length: 32768\n      max_position_embeddings: 32768\n"},
      .good = {.world_size = 8,
               .yaml = "# run with: --hardware MI300X\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                       "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                       "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                       "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n"}},
     too_much},
    {{.id = "FT102",
      .name = "memory-tight",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = allocator,
      .outcome = "the run fits or not as its memory fragments",
      .summary = "The estimated memory leaves some room: at most 94 % of the GPU's.",
      .explanation =
          "Allocators hold more than they give out, and drivers and communication libraries take their share. Above 94 "
          "% of the GPU's memory a run may stop hours after it started. Expandable segments, a smaller micro-batch, "
          "or recomputation of a few layers give room.",
      .bad = {.world_size = 8,
              .yaml = "# run with: --hardware MI300X:memory_gib=33\nwork_group: team\nuser_name: me\nexp_name: "
                      "run\nworkspace: ./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: "
                      "pre_trainer.yaml\n    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                      "tensor_model_parallel_size: 8\n      micro_batch_size: 2\n      global_batch_size: 16\n      "
                      "seq_length: 8192\n      max_position_embeddings: 8192\n"},
      .good = {.world_size = 8,
               .yaml = "# run with: --hardware MI300X\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                       "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                       "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                       "tensor_model_parallel_size: 8\n      micro_batch_size: 2\n      global_batch_size: 16\n      "
                       "seq_length: 8192\n      max_position_embeddings: 8192\n"}},
     tight},
    {{.id = "FT103",
      .name = "fits-no-gpu",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = allocator,
      .outcome = "the first step runs out of GPU memory",
      .summary = "A run does not need half as much again as the largest GPU has, even by a low estimate.",
      .explanation = "The low end of the estimate lies more than half above the memory of every GPU that is known. No "
                     "measured run "
                     "has been overestimated by so much, so this one cannot start.",
      .bad = {.world_size = 8,
              .yaml = "# run with: --hardware MI355X\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                      "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                      "    model: llama3.1_405B.yaml\n    overrides:\n      mock_data: true\n      "
                      "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "# run with: --hardware MI355X\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                       "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                       "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                       "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n"}},
     hopeless},
    {{.id = "FT104",
      .name = "needs-larger-gpu",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = allocator,
      .outcome = "runs out of GPU memory on the smaller of the GPUs that Primus is run on",
      .summary = "A run that names no GPU fits the smallest one that Primus has experiments for.",
      .explanation =
          "Neither --hardware nor the settings, the path or a comment of the experiment say which GPU it is for, and "
          "it needs more than an MI300X has. On a larger one it may be fine: name the GPU, and it is judged against "
          "that.",
      .bad = {.world_size = 8,
              .yaml = "work_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                      "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                      "    model: llama3.1_70B.yaml\n    overrides:\n      mock_data: true\n      "
                      "tensor_model_parallel_size: 8\n      micro_batch_size: 2\n      global_batch_size: 16\n      "
                      "seq_length: 32768\n      max_position_embeddings: 32768\n"},
      .good = {.world_size = 8,
               .yaml = "work_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                       "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                       "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                       "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n"}},
     needs_larger_part},
    {{.id = "FT105",
      .name = "format-not-on-part",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "transformer_engine/pytorch/fp8.py:check_fp8_support",
      .outcome = "the first step stops, or XLA computes in a wider format",
      .summary = "Matrix products are asked for in a format that the GPU computes in.",
      .explanation =
          "fp8 needs an MI300X or later, or compute capability 8.9 (H100); a scale for every 32 numbers (mxfp8) and "
          "fp4 need an MI350X or later, or compute capability 10.0 (B200). The GPU is the one of --hardware, else of a "
          "comment `# primus-plan: hardware=PART`, else of the settings, else the one that the experiment's path or "
          "comments name; primus-plan hardware lists what each "
          "computes in. A part of your own has the formats that its file gives a peak of.",
      .bad = {.world_size = 8,
              .yaml = "# run with: --hardware A100-80GB\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                      "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                      "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                      "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n      "
                      "fp8: hybrid\n"},
      .good = {.world_size = 8,
               .yaml = "# run with: --hardware H100\nwork_group: team\nuser_name: me\nexp_name: run\nworkspace: "
                       "./output\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
                       "    model: llama3.1_8B.yaml\n    overrides:\n      mock_data: true\n      "
                       "tensor_model_parallel_size: 8\n      micro_batch_size: 1\n      global_batch_size: 16\n      "
                       "fp8: hybrid\n"}},
     lacks_format},
};

}  // namespace

std::span<const Rule<FittedRun>> fit_rules() { return rules; }

}  // namespace primus_plan
