#include <algorithm>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::maxtext {
namespace {

using Keys = Count MaxTextConfig::*AxisInfo::*;

bool is_degree(Int value) { return value >= 1 || value == -1; }

/// The first degree of the mesh that is no size at all; null when all are.
const Count* bad_degree(const MaxTextRun& run, Keys keys) {
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key != nullptr && !is_degree(*(run.config.*key))) return &(run.config.*key);
  }
  return nullptr;
}

/// What to write for a degree that is no size: 1, or -1 where no other axis takes what is left and 1 leaves some.
std::string legal_degree(const MaxTextRun& run, Keys keys, const Count& bad) {
  if (&bad != bad_degree(run, keys)) return "1";
  const Int available = keys == &AxisInfo::ici ? run.mesh.devices_per_slice : run.mesh.slices;
  Int product = 1;
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr || &(run.config.*key) == &bad) continue;
    if (*(run.config.*key) == -1) return "1";
    product = saturating_multiply(product, std::max<Int>(*(run.config.*key), 1));
  }
  return product == available ? "1" : "-1";
}

void report_bad_degrees(const MaxTextRun& run, Keys keys, Findings& out) {
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr || is_degree(*(run.config.*key))) continue;
    const Count& degree = run.config.*key;
    out.add(degree, [&](Message& m) {
      m.say("{} is {}: a degree is 1 or more, or -1 for what is left", degree.key, *degree);
      const std::string legal = legal_degree(run, keys, degree);
      m.help("write {}", legal == "1" ? "1 to switch this axis off" : "-1 to give this axis what the others leave");
      m.fix(fmt::format("set {} to {}", degree.key, legal), degree, legal);
    });
  }
}

void degree_not_positive(const MaxTextRun& run, Findings& out) {
  report_bad_degrees(run, &AxisInfo::ici, out);
  // With one slice MaxText never looks at the dcn degrees.
  if (run.mesh.slices > 1) report_bad_degrees(run, &AxisInfo::dcn, out);
}

/// Points at every degree of -1, the default's last.
void report_twice(const MaxTextRun& run, Keys keys, const Count& usual, std::string_view where, Findings& out) {
  const Count* written = nullptr;
  for (const MeshAxis axis : run.mesh.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr || *(run.config.*key) != -1) continue;
    const Count& degree = run.config.*key;
    if (written == nullptr || (degree.is_explicit && &degree != &usual)) written = &degree;
  }
  if (written == nullptr) return;
  out.add(*written, [&](Message& m) {
    m.say("more than one degree {} is -1: {}", where, degrees_text(run, keys));
    std::string others;
    const Count* to_mend = nullptr;  // in a file, so that it can be edited
    for (const MeshAxis axis : run.mesh.order.list()) {
      const auto key = info(axis).*keys;
      if (key == nullptr || *(run.config.*key) != -1 || &(run.config.*key) == written) continue;
      const Count& other = run.config.*key;
      m.also(other, "-1 here too");
      others += fmt::format("{}{}: 1", others.empty() ? "" : " and ", other.key);
      if (other.is_explicit && to_mend == nullptr) to_mend = &other;
    }
    because_of_model_file(m, run, usual);
    m.help("set {} to let {} take what is left", others, written->key);
    if (to_mend != nullptr) m.fix(fmt::format("set {} to 1", to_mend->key), *to_mend, "1");
  });
}

void ici_unspecified_twice(const MaxTextRun& run, Findings& out) {
  if (run.mesh.slices == 0 || run.mesh.ici_fill.fault != FillFault::twice) return;
  report_twice(run, &AxisInfo::ici, run.config.ici_fsdp_parallelism, "inside a slice", out);
}

void dcn_unspecified_twice(const MaxTextRun& run, Findings& out) {
  if (run.mesh.slices <= 1 || run.mesh.dcn_fill.fault != FillFault::twice || run.mesh.diloco_unresolved) return;
  report_twice(run, &AxisInfo::dcn, run.config.dcn_data_parallelism, "across slices", out);
}

/// "choose degrees whose product is 8": without a -1 the product fills what there is, with one the rest divides it.
void help_with_product(Message& m, const FillResult& result, Int available) {
  const bool open = result.fault == FillFault::undetermined;
  m.help("choose degrees whose product {} {}{}", open ? "divides" : "is", available,
         open ? "" : fmt::format(", or one -1 beside degrees whose product divides {}", available));
}

bool placed(const MaxTextRun& run) { return run.mesh.slices == 1 || run.mesh.slices == run.launch.nodes; }

/// Offers to leave the usual degree open, where the others divide what there is.
void help_with_rest(Message& m, const Count& usual, const FillResult& result, Int available) {
  if (result.fault != FillFault::product || result.product == largest_product || *usual < 1) return;
  if (available % (result.product / *usual) == 0) m.help("{}: -1 takes what the other degrees leave", usual.key);
}

void ici_product_mismatch(const MaxTextRun& run, Findings& out) {
  const FillResult& result = run.mesh.ici_fill;
  const bool broken = result.fault == FillFault::undetermined || result.fault == FillFault::product;
  if (!broken || !placed(run) || bad_degree(run, &AxisInfo::ici) != nullptr) return;
  const Int devices = run.mesh.devices_per_slice;
  out.add(largest_degree(run, &AxisInfo::ici), [&](Message& m) {
    if (result.fault == FillFault::undetermined) {
      m.say("{} devices per slice cannot be divided by the ici degrees' product {}", devices,
            product_text(result.product));
    } else {
      m.say("the ici degrees' product is {}, a slice has {} devices", product_text(result.product), devices);
    }
    m.because("{}", degrees_text(run, &AxisInfo::ici));
    because_of_slices(m, run);
    help_with_rest(m, run.config.ici_fsdp_parallelism, result, devices);
    help_with_product(m, result, devices);
    if (run.launch.nodes > 1 && run.mesh.slices > 1 && result.product > devices) {
      m.help("an axis wider than a node needs a dcn degree too{}",
             run.devices() % result.product == 0 ? ", or num_slices: 1 for one flat mesh" : "");
    }
  });
}

void dcn_product_mismatch(const MaxTextRun& run, Findings& out) {
  const FillResult& result = run.mesh.dcn_fill;
  const bool broken = result.fault == FillFault::undetermined || result.fault == FillFault::product;
  if (!broken || run.mesh.slices <= 1 || !placed(run) || run.mesh.diloco_unresolved ||
      bad_degree(run, &AxisInfo::dcn) != nullptr)
    return;
  out.add(largest_degree(run, &AxisInfo::dcn), [&](Message& m) {
    if (result.fault == FillFault::undetermined) {
      m.say("{} slices cannot be divided by the dcn degrees' product {}", run.mesh.slices,
            product_text(result.product));
    } else {
      m.say("the dcn degrees' product is {}, the run has {} slices", product_text(result.product), run.mesh.slices);
    }
    m.because("{}", degrees_text(run, &AxisInfo::dcn));
    m.because("{} nodes of GPUs are {} slices", run.launch.nodes, run.mesh.slices);
    help_with_rest(m, run.config.dcn_data_parallelism, result, run.mesh.slices);
    help_with_product(m, result, run.mesh.slices);
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX101",
      .name = "axis-degree-not-positive",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::fill_axes,
      .outcome = "MaxText stops when it builds the mesh (AssertionError)",
      .summary = "Every ici and dcn degree is 1 or more, or -1.",
      .explanation = "A degree of 1 switches an axis off and -1 takes what the others leave; 0 and other negatives "
                     "fill no mesh. The dcn degrees count only when the run has more than one slice.",
      .bad = {.world_size = 8, .yaml = "ici_tensor_parallelism: 0\n"},
      .good = {.world_size = 8, .yaml = "ici_tensor_parallelism: 1\n"}},
     degree_not_positive},
    {{.id = "MX102",
      .name = "ici-unspecified-twice",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::fill_axes,
      .outcome = "MaxText stops when it builds the mesh (AssertionError)",
      .summary = "At most one ici degree is -1.",
      .explanation = "-1 means \"what the other degrees leave\", which only one axis can be. ici_fsdp_parallelism is "
                     "-1 unless you set it, so another -1 needs ici_fsdp_parallelism: 1 beside it.",
      .bad = {.world_size = 8, .yaml = "ici_tensor_parallelism: -1\n"},
      .good = {.world_size = 8, .yaml = "ici_tensor_parallelism: -1\nici_fsdp_parallelism: 1\n"}},
     ici_unspecified_twice},
    {{.id = "MX103",
      .name = "ici-product-mismatch",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::fill_axes,
      .outcome = "MaxText stops when it builds the mesh (AssertionError)",
      .summary = "The product of the ici degrees is the number of devices of a slice.",
      .explanation = "A slice is a node on GPUs, or all devices with num_slices: 1. One degree may be -1; it becomes "
                     "devices / product of the others, which has to be whole. The number of nodes does not enter: an "
                     "axis that spans nodes takes a dcn degree.",
      .bad = {.world_size = 8, .yaml = "ici_tensor_parallelism: 3\n"},
      .good = {.world_size = 8, .yaml = "ici_tensor_parallelism: 4\n"}},
     ici_product_mismatch},
    {{.id = "MX104",
      .name = "dcn-unspecified-twice",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::fill_axes,
      .outcome = "MaxText stops when it builds the mesh (AssertionError)",
      .summary = "At most one dcn degree is -1.",
      .explanation = "dcn_data_parallelism is -1 unless you set it. To give the nodes to another axis, write -1 there "
                     "and dcn_data_parallelism: 1.",
      .bad = {.world_size = 16, .yaml = "dcn_fsdp_parallelism: -1\n"},
      .good = {.world_size = 16, .yaml = "dcn_fsdp_parallelism: -1\ndcn_data_parallelism: 1\n"}},
     dcn_unspecified_twice},
    {{.id = "MX105",
      .name = "dcn-product-mismatch",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::fill_axes,
      .outcome = "MaxText stops when it builds the mesh (AssertionError)",
      .summary = "The product of the dcn degrees is the number of slices.",
      .explanation = "On GPUs every node is a slice, so the dcn degrees multiply up to the number of nodes. Leave one "
                     "of them -1 to have it follow the number of nodes.",
      .bad = {.world_size = 16, .yaml = "dcn_data_parallelism: 4\n"},
      .good = {.world_size = 32, .yaml = "dcn_data_parallelism: 4\n"}},
     dcn_product_mismatch},
};

}  // namespace

RuleList degree_rules() { return rules; }

}  // namespace primus_plan::maxtext
