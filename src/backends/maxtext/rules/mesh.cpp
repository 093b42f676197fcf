#include <algorithm>
#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/text.h"

namespace primus_plan::maxtext {
namespace {

/// Degrees of axes that the mesh does not have.
void axis_without_effect(const MaxTextRun& run, Findings& out) {
  for (const AxisInfo& axis : axis_infos()) {
    if (contains(run.mesh.axes, axis.axis)) continue;
    if (axis.axis == MeshAxis::stage && run.pipelined()) continue;  // stage_axis_missing
    for (const auto key : {axis.ici, axis.dcn}) {
      if (key == nullptr) continue;
      const Count& degree = run.config.*key;
      if (!degree.is_explicit || *degree == 1) continue;
      out.add(degree, [&](Message& m) {
        m.say("{}: {} has no effect: the mesh has no axis {}", degree.key, *degree, axis.name);
        if (run.parsed.custom_rule != nullptr) {
          m.because("custom_mesh_and_rule: {} brings axes of its own", run.parsed.custom_rule->name);
          m.also(run.config.custom_mesh_and_rule);
        }
        if (axis.axis == MeshAxis::sequence) m.help("ici_context_parallelism splits the sequence");
        m.help("remove it, or set it to 1");
      });
    }
  }
}

void mesh_axis_unknown(const MaxTextRun& run, Findings& out) {
  for (const std::string& name : run.parsed.unknown_axes) {
    out.add(run.config.mesh_axes, [&](Message& m) {
      m.say("mesh_axes names {}, which is no axis of MaxText", name);
      std::array<std::string_view, axis_count> names{};
      std::ranges::transform(axis_infos(), names.begin(), &AxisInfo::name);
      for (const std::string_view near : nearest_names(name, names, 1)) m.help("did you mean {}?", near);
    });
  }
  for (const std::string_view name : run.parsed.repeated_axes) {
    out.add(run.config.mesh_axes,
            [&](Message& m) { m.say("mesh_axes names {} twice: JAX wants each axis once", name); });
  }
}

void custom_rule_without_file(const MaxTextRun& run, Findings& out) {
  const CustomRule* eval = find_custom_rule(*run.config.custom_mesh_and_rule_for_eval);
  const std::array<std::pair<const CustomRule*, const Word*>, 2> both{
      {{run.parsed.custom_rule, &run.config.custom_mesh_and_rule}, {eval, &run.config.custom_mesh_and_rule_for_eval}}};
  for (const auto& entry : both) {
    const CustomRule* rule = entry.first;
    const Word* word = entry.second;
    if (rule == nullptr || !rule->order.empty()) continue;
    out.add(*word, [&](Message& m) {
      m.say("{}: {} names no file: MaxText lists the name, but ships no {}.yml", word->key, rule->name, rule->name);
      m.help("use one of pure-fsdp, cp-as-ep, ep-as-cp, pipeline-large-moe, ep-as-dp, shard-exp-on-fsdp");
    });
  }
}

/// The degrees that a ring strategy is made for, sorted.
struct Ring {
  std::string_view name;
  std::array<Int, 3> degrees;
};
constexpr std::array<Ring, 2> rings{{{"hybrid_ring_64x4", {1, 4, 64}}, {"hybrid_ring_32x8", {1, 8, 32}}}};

/// Whether the set of ici degrees is exactly that of the ring.
bool fits(const MaxTextRun& run, const Ring& ring) {
  std::array<bool, 3> seen{};
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto at = std::find(ring.degrees.begin(), ring.degrees.end(), run.mesh.ici[static_cast<std::size_t>(axis)]);
    if (at == ring.degrees.end()) return false;
    seen[static_cast<std::size_t>(at - ring.degrees.begin())] = true;
  }
  return seen[0] && seen[1] && seen[2];
}

void custom_mesh_illegal(const MaxTextRun& run, Findings& out) {
  const std::string_view name = *run.config.custom_mesh;
  if (name.empty() || !run.mesh.resolved) return;
  if (run.mesh.slices <= 1 && !*run.config.allow_split_physical_axes) return;
  const auto ring = std::find_if(rings.begin(), rings.end(), [&](const Ring& each) { return each.name == name; });
  if (ring != rings.end() && fits(run, *ring)) return;
  out.add(run.config.custom_mesh, [&](Message& m) {
    if (ring == rings.end()) {
      m.say("custom_mesh: {:.60} is no way to lay out a mesh", name);
      m.help("MaxText knows hybrid_ring_64x4 and hybrid_ring_32x8, both for 256 devices a slice");
      offer_word(m, run.config.custom_mesh, "hybrid_ring_64x4|hybrid_ring_32x8");
    } else {
      m.say("custom_mesh: {} needs ici degrees of exactly {}, {} and {}; the mesh is {}", name, ring->degrees[0],
            ring->degrees[1], ring->degrees[2], axes_text(run, run.mesh.axes));
    }
    m.help("leave custom_mesh empty on GPUs");
    if (ring != rings.end()) m.fix("empty custom_mesh", run.config.custom_mesh, "\"\"");
  });
}

void hardware_not_gpu(const MaxTextRun& run, Findings& out) {
  const Word& hardware = run.config.hardware;
  if (*hardware == "gpu") return;
  out.add(hardware, [&](Message& m) {
    m.say("hardware is {}: Primus runs MaxText on GPUs, one process for each node", *hardware);
    if (*hardware == "gpu_multiprocess")
      m.because("gpu_multiprocess expects one process for each GPU, as SLURM starts them");
    because_of_model_file(m, run, hardware);
    m.help("hardware: gpu");
    m.fix("set hardware to gpu", hardware, "gpu");
  });
}

void stage_axis_missing(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || contains(run.mesh.axes, MeshAxis::stage)) return;
  out.add(largest_of({&run.config.ici_pipeline_parallelism, &run.config.dcn_pipeline_parallelism}), [&](Message& m) {
    m.say("pipelining is on with {} stages, but the mesh has no axis stage", run.pipeline_stages);
    m.because("the axes are {}", axes_text(run, run.mesh.axes));
    m.help(
        "use a mesh with stage (the default, cp-as-ep, ep-as-cp, pipeline-large-moe, shard-exp-on-fsdp), or set both "
        "pipeline degrees to 1");
  });
}

void context_axis_missing(const MaxTextRun& run, Findings& out) {
  const CustomRule* rule = run.parsed.custom_rule;
  if (rule != nullptr ? rule->order.empty() : !run.parsed.unknown_axes.empty()) return;
  if (*run.config.attention != "cudnn_flash_te" || contains(run.mesh.axes, run.mesh.context)) return;
  const auto describe = [&](Message& m) {
    const std::string_view axis = info(run.mesh.context).name;
    if (rule != nullptr) {
      m.say("custom_mesh_and_rule: {} has no axis {}, which cudnn_flash_te attention looks up in the mesh", rule->name,
            axis);
    } else {
      m.say("mesh_axes has no axis {}, which cudnn_flash_te attention looks up in the mesh", axis);
      m.help("add {} to mesh_axes; its degrees are 1 unless set", axis);
    }
    m.because(
        "read from the code of upstream MaxText, not tried on the ROCm fork: the first trace may stop with KeyError");
    m.help("attention: dot_product does not look it up");
    m.also(run.config.attention);
  };
  if (rule != nullptr) return out.add(run.config.custom_mesh_and_rule, describe);
  out.add(run.config.mesh_axes, describe);
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX109",
      .name = "axis-without-effect",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "MaxText accepts the degree and never uses it",
      .summary = "A degree of an axis that the mesh does not have changes nothing.",
      .explanation =
          "mesh_axes decides which axes exist. The default mesh has no sequence axis: ici_sequence_parallelism is a "
          "left-over of older versions. custom_mesh_and_rule replaces mesh_axes by a shorter list.",
      .bad = {.world_size = 8, .yaml = "ici_sequence_parallelism: 2\n"},
      .good = {.world_size = 8, .yaml = "ici_sequence_parallelism: 1\n"}},
     axis_without_effect},
    {{.id = "MX111",
      .name = "mesh-axis-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "MaxText stops when it collects the degrees of the mesh (KeyError)",
      .summary = "mesh_axes lists axes that MaxText has degrees for, each once.",
      .explanation = "Each name in mesh_axes is looked up among the ici and dcn degrees. \"stage\" is the pipeline's "
                     "axis, \"model\" another name of tensor.",
      .bad = {.world_size = 8, .yaml = "mesh_axes: [data, fsdp, tensors]\n"},
      .good = {.world_size = 8, .yaml = "mesh_axes: [data, fsdp, context, tensor]\n"}},
     mesh_axis_unknown},
    {{.id = "MX112",
      .name = "custom-rule-without-file",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:_load_mesh_config_from_yaml",
      .outcome = sites::config_error,
      .summary = "custom_mesh_and_rule names a file that MaxText ships.",
      .explanation = "2d-fsdp is an accepted name without a file behind it.",
      .bad = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\ncustom_mesh_and_rule: 2d-fsdp\n"},
      .good = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\ncustom_mesh_and_rule: cp-as-ep\n"}},
     custom_rule_without_file},
    {{.id = "MX113",
      .name = "custom-mesh-illegal",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = "src/maxtext/utils/max_utils.py:is_valid_custom_mesh",
      .outcome = "MaxText stops when it builds the mesh (ValueError)",
      .summary = "custom_mesh is a known ring layout that fits the degrees.",
      .explanation = "The two layouts were made for TPU slices of 256 devices. MaxText looks at custom_mesh only with "
                     "more than one slice or with allow_split_physical_axes.",
      .bad = {.world_size = 8, .yaml = "custom_mesh: ring\nallow_split_physical_axes: true\n"},
      .good = {.world_size = 8, .yaml = "custom_mesh: \"\"\nallow_split_physical_axes: true\n"}},
     custom_mesh_illegal},
    {{.id = "MX115",
      .name = "hardware-not-gpu",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/utils/max_utils.py:maybe_initialize_jax_distributed_system",
      .outcome = "the processes may not find each other, and options for GPUs are refused",
      .summary = "hardware is gpu under Primus.",
      .explanation = "Primus starts one Python process on each node, which owns all its GPUs. That is hardware: gpu. "
                     "gpu_multiprocess expects one process for each GPU; tpu and cpu leave out what GPUs need.",
      .bad = {.world_size = 8, .yaml = "hardware: gpu_multiprocess\n"},
      .good = {.world_size = 8, .yaml = "hardware: gpu\n"}},
     hardware_not_gpu},
    {{.id = "MX117",
      .name = "stage-axis-missing",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = sites::validate,
      .outcome = "the pipeline's code runs without devices for its stages",
      .summary = "Pipelining needs the mesh axis stage.",
      .explanation = "A pipeline degree above 1 switches pipelining on, whatever the mesh. pure-fsdp and ep-as-dp have "
                     "no stage axis.",
      .bad = {.world_size = 8,
              .yaml =
                  "ici_pipeline_parallelism: 2\nici_fsdp_parallelism: 8\nmesh_axes: [data, fsdp, context, tensor]\n"},
      .good = {.world_size = 8, .yaml = "ici_pipeline_parallelism: 2\nici_fsdp_parallelism: 4\n"}},
     stage_axis_missing},
    {{.id = "MX118",
      .name = "context-axis-missing",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/layers/attention_op.py:cudnn_flash_attention",
      .outcome = "the first trace may stop (KeyError)",
      .summary = "cudnn_flash_te attention looks up the context axis of the mesh.",
      .explanation =
          "pure-fsdp and ep-as-dp leave the axis out, a mesh_axes of one's own may, and Primus's presets use "
          "cudnn_flash_te. Upstream's dot_product attention does not need the axis.",
      .bad = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\ncustom_mesh_and_rule: pure-fsdp\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\ncustom_mesh_and_rule: pure-fsdp\nattention: dot_product\n"}},
     context_axis_missing},
};

}  // namespace

RuleList mesh_rules() { return rules; }

}  // namespace primus_plan::maxtext
