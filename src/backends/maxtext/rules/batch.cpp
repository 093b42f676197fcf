#include <cmath>

#include "backends/maxtext/rules/accumulation.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

bool batch_is_sound(const MaxTextRun& run) {
  return *run.config.per_device_batch_size > 0 && run.batch_sizes.micro >= 1;
}

void batch_not_positive(const MaxTextRun& run, Findings& out) {
  const Number& size = run.config.per_device_batch_size;
  if (batch_is_sound(run)) return;
  out.add(size, [&](Message& m) {
    const double samples = *size * static_cast<double>(run.devices());
    if (*size <= 0) {
      m.say("per_device_batch_size is {}: it is above 0", number_text(*size));
    } else if (samples < 1) {
      m.say("per_device_batch_size {} x {} devices is less than one sample", number_text(*size), run.devices());
    } else {
      m.say("per_device_batch_size {} x {} devices is no number of samples", number_text(*size), run.devices());
    }
    if (samples < 1) {
      m.because("micro-batch = int(devices x per_device_batch_size) = int({} x {}) = {}", run.devices(),
                number_text(*size), run.batch_sizes.micro);
    }
    m.help("1 gives each device a sample; 1/{} is one sample for all of them", run.devices());
    m.fix("set per_device_batch_size to 1", size, "1");
  });
}

void batch_truncated(const MaxTextRun& run, Findings& out) {
  if (!batch_is_sound(run)) return;
  const Number& size = run.config.per_device_batch_size;
  const double samples = static_cast<double>(run.devices()) * *size;
  if (samples == std::trunc(samples)) return;
  out.add(size, [&](Message& m) {
    m.say("{} devices x per_device_batch_size {} = {} samples: MaxText trains on {}", run.devices(), number_text(*size),
          number_text(samples), run.batch_sizes.micro);
    m.because("the product is cut to a whole number");
    m.help("choose a per_device_batch_size that is a multiple of {}", fraction_text(1, run.devices()));
  });
}

void vocabulary_tiling(const MaxTextRun& run, Findings& out) {
  const Number& size = run.config.per_device_batch_size;
  const Int tiles = *run.config.num_vocab_tiling;
  if (*size <= 0 || !std::isfinite(*size)) return;
  const double tokens = *size * static_cast<double>(*run.config.max_target_length);
  if (tiles != 0 && std::fmod(tokens, static_cast<double>(tiles)) == 0) return;
  const auto describe = [&](Message& m) {
    if (tiles == 1) {
      m.say("per_device_batch_size x max_target_length = {} x {} = {} is not whole", number_text(*size),
            *run.config.max_target_length, number_text(tokens));
    } else {
      m.say("per_device_batch_size x max_target_length = {} x {} = {} is not a multiple of num_vocab_tiling {}",
            number_text(*size), *run.config.max_target_length, number_text(tokens), tiles);
    }
    m.because("MaxText checks this even with num_vocab_tiling 1: a device's tokens must be whole");
    m.help("per_device_batch_size is a multiple of 1/max_target_length, num_vocab_tiling a divisor of the product");
    m.also(run.config.max_target_length);
    if (tiles != 1) m.also(size);
  };
  if (tiles == 1) {
    out.add(size, describe);
  } else {
    out.add(run.config.num_vocab_tiling, describe);
  }
}

void fp8_with_accumulation(const MaxTextRun& run, Findings& out) {
  const Count& steps = run.config.gradient_accumulation_steps;
  if (*steps <= 1 || !refuses_accumulation(*run.config.quantization)) return;
  out.add(steps, [&](Message& m) {
    m.say("gradient_accumulation_steps {} does not go with quantization: {}", *steps, *run.config.quantization);
    m.also(run.config.quantization, "quantization set here");
    const Number& size = run.config.per_device_batch_size;
    const std::string whole = number_text(*size * static_cast<double>(*steps));
    m.help("gradient_accumulation_steps: 1 with per_device_batch_size {}, the same global batch", whole);
    m.help("te_fp8_currentscaling accumulates");
    fix_both(m, steps, "1", size, whole);
  });
}

bool real_data(const MaxTextRun& run) { return *run.config.dataset_type != "synthetic"; }

void batch_not_over_shards(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.batch);
  if (real_data(run) || shards <= 1 || !batch_is_sound(run) || run.batch_sizes.load % shards == 0) return;
  out.add(run.config.per_device_batch_size, [&](Message& m) {
    m.say("a batch of {} samples does not split over {} batch shards", run.batch_sizes.load, shards);
    m.because("batch shards = {}", axes_text(run, run.mesh.logical.batch));
    m.because("batch = {} devices x per_device_batch_size {} x gradient_accumulation_steps {}", run.devices(),
              number_text(*run.config.per_device_batch_size), *run.config.gradient_accumulation_steps);
    m.help("whole numbers of per_device_batch_size always split; tensor or context axes leave fewer shards");
  });
}

void batch_not_over_devices(const MaxTextRun& run, Findings& out) {
  if (!real_data(run) || !batch_is_sound(run) || !run.mesh.resolved || *run.config.expansion_factor_real_data > 1)
    return;
  if (run.batch_sizes.load % run.devices() == 0) return;
  out.add(run.config.per_device_batch_size, [&](Message& m) {
    m.say("a batch of {} samples does not split over {} devices: the {} loader wants a whole number each",
          run.batch_sizes.load, run.devices(), *run.config.dataset_type);
    m.because("batch = int({} devices x per_device_batch_size {}) x gradient_accumulation_steps {}", run.devices(),
              number_text(*run.config.per_device_batch_size), *run.config.gradient_accumulation_steps);
    m.help(
        "use a whole per_device_batch_size, or enough gradient_accumulation_steps to make the product a multiple of {}",
        run.devices());
    m.also(run.config.dataset_type);
  });
}

bool loads_evenly(const MaxTextRun& run, Int shards) {
  return real_data(run) ? run.batch_sizes.load % run.devices() == 0 : run.batch_sizes.load % shards == 0;
}

void micro_batch_underfills(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.batch);
  if (shards <= 1 || !batch_is_sound(run) || run.batch_sizes.micro % shards == 0 || !loads_evenly(run, shards)) return;
  out.add(run.config.per_device_batch_size, [&](Message& m) {
    m.say("a micro-batch of {} samples does not fill {} batch shards evenly", run.batch_sizes.micro, shards);
    m.because("micro-batch = int({} devices x per_device_batch_size {})", run.devices(),
              number_text(*run.config.per_device_batch_size));
    m.because("batch shards = {}", axes_text(run, run.mesh.logical.batch));
    if (*run.config.shard_mode == "explicit") {
      m.because("shard_mode: explicit may refuse it: not tried");
    } else {
      m.because("XLA pads: some devices compute for nothing");
    }
    m.help("raise per_device_batch_size to a multiple of {}, or let tensor or context axes absorb the fraction",
           fraction_text(shards, run.devices()));
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX201",
      .name = "per-device-batch-not-positive",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/configs/types.py:calculate_global_batch_sizes",
      .outcome = "MaxText accepts it and fails on the empty batch",
      .summary = "per_device_batch_size is positive and gives the run at least one sample.",
      .explanation =
          "The batch of a forward pass is int(devices x per_device_batch_size), over all devices: those of tensor, "
          "pipeline, context and expert parallel count too. Fractions are fine as long as the product reaches 1.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 0\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\n"}},
     batch_not_positive},
    {{.id = "MX202",
      .name = "per-device-batch-truncated",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:calculate_global_batch_sizes",
      .outcome = "MaxText cuts the product to a whole number",
      .summary = "devices x per_device_batch_size is a whole number.",
      .explanation = "MaxText rounds int(devices x per_device_batch_size) down without a word, so the global batch is "
                     "smaller than the key says.",
      .bad = {.world_size = 1, .yaml = "per_device_batch_size: 1.5\n"},
      .good = {.world_size = 1, .yaml = "per_device_batch_size: 2\n"}},
     batch_truncated},
    {{.id = "MX203",
      .name = "vocabulary-tiling-not-whole",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "per_device_batch_size x max_target_length is a multiple of num_vocab_tiling.",
      .explanation =
          "The loss is computed in num_vocab_tiling parts of a device's tokens. The check runs with the default 1 too, "
          "where it demands that the product is a whole number: 1.3 samples of 2048 tokens are not.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nnum_vocab_tiling: 3\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nnum_vocab_tiling: 4\n"}},
     vocabulary_tiling},
    {{.id = "MX204",
      .name = "fp8-with-accumulation",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "fp8 with delayed scaling does not accumulate gradients.",
      .explanation =
          "quantization fp8, nanoo_fp8, fp8_gpu and te_fp8_delayedscaling keep a history of scales that micro-steps "
          "would disturb. per_device_batch_size is the batch of one micro-step, so raising it keeps the global batch.",
      .bad = {.world_size = 8,
              .yaml = "gradient_accumulation_steps: 2\nquantization: nanoo_fp8\nper_device_batch_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "gradient_accumulation_steps: 1\nquantization: nanoo_fp8\nper_device_batch_size: 2\n"}},
     fp8_with_accumulation},
    {{.id = "MX205",
      .name = "batch-not-over-shards",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/input_pipeline/synthetic_data_processing.py:__init__",
      .outcome = "JAX refuses to lay out the input (ValueError)",
      .summary = "The batch to load splits over the batch shards.",
      .explanation =
          "Input arrays are laid out over the axes data, stage, fsdp, fsdp_transpose and expert. Their product divides "
          "the devices, so whole per_device_batch_size always fit; fractions above 1 may not.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1.5\ndataset_type: synthetic\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1.5\ndataset_type: synthetic\nici_tensor_parallelism: 2\n"}},
     batch_not_over_shards},
    {{.id = "MX206",
      .name = "batch-not-over-devices",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/input_pipeline/hf_data_processing.py:preprocessing_pipeline",
      .outcome = "the data pipeline stops (AssertionError)",
      .summary = "With real data the batch to load is a multiple of the number of devices.",
      .explanation = "Loaders give each device of a host its own whole samples, whatever the mesh. Below one sample a "
                     "device MaxText loads one for each and passes; 1.5 does not, unless gradient accumulation makes "
                     "the sum whole. Primus's preset reads data from Hugging Face (dataset_type: hf).",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1.5\nici_tensor_parallelism: 2\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1.5\nici_tensor_parallelism: 2\ngradient_accumulation_steps: 2\n"}},
     batch_not_over_devices},
    {{.id = "MX208",
      .name = "micro-batch-underfills-shards",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/trainers/pre_train/train.py:loss_fn",
      .outcome = "XLA pads the batch: devices wait or compute for nothing",
      .summary = "A micro-batch splits evenly over the batch shards.",
      .explanation = "Each step trains on int(devices x per_device_batch_size) samples, laid out over data, stage, "
                     "fsdp, fsdp_transpose and expert. Half a sample a device on 8 fsdp shards is 4 samples for 8 "
                     "shards. Tensor or context axes of 2 would leave 4 shards.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 0.5\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 0.5\nici_tensor_parallelism: 2\n"}},
     micro_batch_underfills},
};

}  // namespace

RuleList batch_rules() { return rules; }

}  // namespace primus_plan::maxtext
