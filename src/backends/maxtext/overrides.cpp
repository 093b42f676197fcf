#include "backends/maxtext/overrides.h"

#include <fmt/core.h>

#include <numeric>
#include <string_view>

#include "run/gpus_of_node.h"

namespace primus_plan::maxtext {
namespace {

void ask(Overrides& out, std::string_view side, std::string_view axis, std::int64_t degree) {
  out.emplace_back(fmt::format("{}_{}_parallelism", side, axis), fmt::format("{}", degree));
}

}  // namespace

Overrides degree_overrides(const Degrees& degrees, const Launch& launch) {
  Overrides out;
  if (degrees.expert_tensor > 0 && degrees.expert_tensor != degrees.tensor) return out;
  std::int64_t room = gpus_of_node(launch);
  const auto place = [&](std::string_view axis, std::int64_t degree) {
    if (degree < 1) return;
    const std::int64_t inside = std::gcd(degree, room);
    room /= inside;
    ask(out, "ici", axis, inside);
    if (degree > inside) ask(out, "dcn", axis, degree / inside);
  };
  place("tensor", degrees.tensor);
  place("expert", degrees.expert);
  place("context", degrees.context);
  place("pipeline", degrees.pipeline);
  ask(out, "ici", "fsdp", -1);
  if (degrees.data_replicate == 1) {
    // One copy of the model: fsdp takes the nodes too.
    ask(out, "ici", "data", 1);
    ask(out, "dcn", "data", 1);
    ask(out, "dcn", "fsdp", -1);
  }
  return out;
}

}  // namespace primus_plan::maxtext
