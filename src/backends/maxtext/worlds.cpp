#include "backends/maxtext/worlds.h"

#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

constexpr Int usual_node = 8;

/// Product of the degrees that are written out, and whether one is left open.
struct Product {
  Int value = 1;
  int open = 0;
  bool legal = true;
};

Product product_of(const MaxTextConfig& config, const ParsedKeys& parsed, Count MaxTextConfig::*AxisInfo::*keys) {
  Product out;
  for (const MeshAxis axis : parsed.order.list()) {
    const auto key = info(axis).*keys;
    if (key == nullptr) continue;
    const Int degree = *(config.*key);
    if (degree == -1) {
      ++out.open;
    } else if (degree < 1) {
      out.legal = false;
    } else {
      out.value = saturating_multiply(out.value, degree);
    }
  }
  return out;
}

}  // namespace

Int smallest_world(const MaxTextConfig& config, const ParsedKeys& parsed) {
  const Product inside = product_of(config, parsed, &AxisInfo::ici);
  const Product across = product_of(config, parsed, &AxisInfo::dcn);
  if (!inside.legal || inside.open > 1) return 0;
  if (*config.num_slices == 1 || across.value == 1) return inside.value;
  if (!across.legal || across.open > 1) return 0;
  const bool fills_node = inside.open == 1 && usual_node % inside.value == 0;
  return checked_multiply(fills_node ? usual_node : inside.value, across.value).value_or(0);
}

}  // namespace primus_plan::maxtext
