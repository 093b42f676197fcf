#include "primus_plan/planner/short_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::array<ShortName, 11> names{{
    {"tp", "tensor parallel", nullptr, &Degrees::tensor, &RunKeys::tensor},
    {"pp", "pipeline parallel", nullptr, &Degrees::pipeline, &RunKeys::pipeline},
    {"cp", "context parallel", nullptr, &Degrees::context, &RunKeys::context},
    {"ep", "expert parallel", nullptr, &Degrees::expert, &RunKeys::expert},
    {"etp", "expert tensor parallel", nullptr, &Degrees::expert_tensor, &RunKeys::expert_tensor},
    {"vpp", "model chunks on a pipeline rank", nullptr, &Degrees::virtual_pipeline, &RunKeys::virtual_pipeline},
    {"mbs", "micro-batch", &Wish::micro, nullptr, &RunKeys::micro_batch},
    {"gbs", "global batch", &Wish::global, nullptr, &RunKeys::global_batch},
    {"seq", "sequence length", &Wish::sequence_length, nullptr, &RunKeys::sequence_length},
    {"world", "GPUs", &Wish::world_size, nullptr, nullptr},
    {"nodes", "nodes", &Wish::nodes, nullptr, nullptr},
}};

}  // namespace

std::span<const ShortName> short_names() { return names; }

const ShortName* find_short_name(std::string_view name) {
  const auto found =
      std::ranges::find_if(names, [name](const ShortName& one) { return equal_ignoring_case(one.name, name); });
  return found == names.end() ? nullptr : &*found;
}

std::string short_names_text() {
  std::vector<std::string_view> out;
  out.reserve(names.size());
  for (const ShortName& name : names) out.push_back(name.name);
  return join(out, ", ");
}

void ask_for(Wish& wish, const ShortName& name, std::int64_t value) {
  if (name.degree != nullptr) {
    wish.degrees.*(name.degree) = value;
  } else {
    wish.*(name.member) = value;
  }
}

}  // namespace primus_plan
