#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;

/// Whether MaxText takes expert parallel for switched on, before the mesh exists: any -1 counts.
/// Source: types.py:ep_enabled.
bool experts_enabled(const MaxTextRun& run) {
  Int product = 1;
  for (const AxisInfo& axis : axis_infos()) {
    if (!contains(run.parsed.logical.experts, axis.axis) || axis.ici == nullptr || axis.axis == MeshAxis::stage)
      continue;
    const Int ici = *(run.config.*axis.ici);
    const Int dcn = *(run.config.*axis.dcn);
    if (ici == -1 || dcn == -1) return true;
    product = saturating_multiply(product, saturating_multiply(ici, dcn > 1 ? dcn : 1));
  }
  return product != 1;
}

/// One option that only makes sense with expert parallel.
template <class T>
void report_flag(const MaxTextRun& run, const Sourced<T>& flag, std::string_view off, Findings& out) {
  out.add(flag, [&](Message& m) {
    m.say("{} is set, but expert parallel is off: it must be {}", flag.key, off);
    m.because("ici_expert_parallelism {} x dcn_expert_parallelism {}", *run.config.ici_expert_parallelism,
              *run.config.dcn_expert_parallelism);
    m.help("switch expert parallel on with ici_expert_parallelism, or remove {}", flag.key);
    m.fix(fmt::format("set {} to {}", flag.key, off), flag, std::string(off));
  });
}

void flags_without_experts(const MaxTextRun& run, Findings& out) {
  if (*run.config.override_logical_axis_rules || experts_enabled(run)) return;
  for (const auto key : {&C::use_random_routing, &C::use_ragged_sort, &C::use_ring_of_experts}) {
    if (const Flag& flag = run.config.*key; *flag) report_flag(run, flag, "false", out);
  }
  if (*run.config.ragged_buffer_factor != -1) report_flag(run, run.config.ragged_buffer_factor, "-1", out);
  if (*run.config.num_moe_emb_chunks != 0) report_flag(run, run.config.num_moe_emb_chunks, "0", out);
}

/// A degree of -1 that the devices, not the author, made a multiple of the experts.
bool grew_past_experts(const MaxTextRun& run, Int shards) {
  const bool open = *run.config.ici_expert_parallelism == -1 || *run.config.dcn_expert_parallelism == -1;
  return open && shards % *run.config.num_experts == 0;
}

void experts_not_over_axis(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.experts);
  const Int experts = *run.config.num_experts;
  if (!run.is_moe() || shards <= 1 || experts % shards == 0 || grew_past_experts(run, shards)) return;
  out.add(largest_of({&run.config.ici_expert_parallelism, &run.config.dcn_expert_parallelism}), [&](Message& m) {
    m.say("{} experts do not split over {} expert shards", experts, shards);
    m.because("expert shards = {}", axes_text(run, run.mesh.logical.experts));
    because_of_model_file(m, run, run.config.num_experts);
    m.help("choose a divisor of {}", experts);
  });
}

void open_axis_wider_than_experts(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.experts);
  const Int experts = *run.config.num_experts;
  if (!run.is_moe() || shards <= experts || !grew_past_experts(run, shards)) return;
  const bool across = *run.config.dcn_expert_parallelism == -1;
  out.add(across ? run.config.dcn_expert_parallelism : run.config.ici_expert_parallelism, [&](Message& m) {
    m.say("the expert axis grows to {} for {} experts: JAX is expected to refuse the weights when the state is created",
          shards, experts);
    m.because("expert shards = {}", axes_text(run, run.mesh.logical.experts));
    m.because("read from upstream's code, which builds the mesh without a word; not tried on the ROCm fork");
    because_of_model_file(m, run, run.config.num_experts);
    m.help("write a divisor of {} and leave the -1 to fsdp", experts);
  });
}

void expert_axis_on_dense(const MaxTextRun& run, Findings& out) {
  if (run.is_moe() || !run.mesh.resolved || run.mesh.size_of(MeshAxis::expert) <= 1) return;
  out.add(largest_of({&run.config.ici_expert_parallelism, &run.config.dcn_expert_parallelism}), [&](Message& m) {
    m.say("the model has no experts: the expert axis of {} works as one more fsdp axis",
          run.mesh.size_of(MeshAxis::expert));
    because_of_model_file(m, run, run.config.num_experts);
    m.help("ici_fsdp_parallelism says the same in plain words");
  });
}

void experts_over_fsdp(const MaxTextRun& run, Findings& out) {
  if (!run.is_moe() || !*run.config.shard_exp_on_fsdp || !run.mesh.resolved) return;
  const Int shards = run.mesh.size_of(MeshAxis::fsdp);
  const Int experts = *run.config.num_experts;
  if (shards <= 1 || experts % shards == 0) return;
  out.add(run.config.shard_exp_on_fsdp, [&](Message& m) {
    m.say("shard_exp_on_fsdp: {} experts do not split over {} fsdp shards", experts, shards);
    m.because("fsdp = {}", axes_text(run, only(MeshAxis::fsdp)));
    because_of_model_file(m, run, run.config.num_experts);
    m.help("use it only when the number of experts is a multiple of the fsdp axis");
    m.fix("set shard_exp_on_fsdp to false", run.config.shard_exp_on_fsdp, "false");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX401",
      .name = "expert-option-without-expert-parallel",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of expert parallel are off when it is.",
      .explanation = "use_random_routing, use_ragged_sort, use_ring_of_experts, ragged_buffer_factor and "
                     "num_moe_emb_chunks change how experts on several devices exchange tokens. MaxText refuses them "
                     "when the axes that hold experts have degree 1.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_ring_of_experts: true\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nuse_ring_of_experts: "
                       "true\nici_expert_parallelism: 8\n"
                       "megablox: false\n"}},
     flags_without_experts},
    {{.id = "MX402",
      .name = "experts-not-over-expert-axis",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = sites::experts,
      .outcome = "JAX refuses to lay the experts out (ValueError)",
      .summary = "The number of experts is a multiple of the expert axis.",
      .explanation = "Expert weights are cut along the expert dimension by the axes that the rule exp names, the "
                     "expert axis as a rule.",
      .bad = {.world_size = 6,
              .yaml =
                  "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 6\nmegablox: false\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: false\n"}},
     experts_not_over_axis},
    {{.id = "MX413",
      .name = "open-expert-axis-wider-than-experts",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = sites::experts,
      .outcome = "JAX is expected to refuse the layout of the experts",
      .summary = "An expert degree of -1 stays within the number of experts.",
      .explanation = "-1 takes all devices that the other degrees leave, which on large nodes or with num_slices: 1 "
                     "can be more than there are experts. MaxText does not check it.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\noverride_model: {num_experts: 4}\nper_device_batch_size: 1\n"
                      "ici_expert_parallelism: -1\nici_fsdp_parallelism: 1\nmegablox: false\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: "
                       "-1\nici_fsdp_parallelism: 1\n"
                       "megablox: false\n"}},
     open_axis_wider_than_experts},
    {{.id = "MX403",
      .name = "expert-axis-on-dense-model",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = sites::validate,
      .outcome = "the axis shards weights and samples as fsdp does",
      .summary = "A dense model has no use for the expert axis.",
      .explanation = "The axis takes part in the batch and in the shards of dense weights, so nothing breaks, but it "
                     "is fsdp under another name.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_expert_parallelism: 8\nici_fsdp_parallelism: 1\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_expert_parallelism: 1\nici_fsdp_parallelism: 8\n"}},
     expert_axis_on_dense},
    {{.id = "MX411",
      .name = "experts-not-over-fsdp",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = sites::experts,
      .outcome = "JAX refuses to lay the experts out (ValueError)",
      .summary = "shard_exp_on_fsdp needs a number of experts that is a multiple of the fsdp axis.",
      .explanation = "The option puts the expert dimension of the weights on the fsdp axis.",
      .bad = {.world_size = 6,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nshard_exp_on_fsdp: true\nmegablox: false\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model_name: mixtral-8x7b\nper_device_batch_size: 1\nshard_exp_on_fsdp: true\nmegablox: false\n"}},
     experts_over_fsdp},
};

}  // namespace

RuleList expert_rules() { return rules; }

}  // namespace primus_plan::maxtext
