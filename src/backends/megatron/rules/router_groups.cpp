#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

/// Numbers of group-limited routing, as the experiment gives them: experts fall into groups, and a token may go to
/// experts of a few groups only. Both are 0 where unset, as Python's truth has it.
Int groups(const MegatronRun& run) { return run.given.moe_router_num_groups.value.value_or(0); }
Int group_topk(const MegatronRun& run) { return run.given.moe_router_group_topk.value.value_or(0); }

bool groups_are_sound(const MegatronRun& run) {
  const Int experts = run.config.num_experts.value.value_or(0);
  return groups(run) > 0 && experts > 0 && experts % groups(run) == 0 && group_topk(run) > 0 &&
         group_topk(run) <= groups(run);
}

void groups_wrong(const MegatronRun& run, Findings& out) {
  if (group_topk(run) == 0 || !has_megatron_config(run) || groups_are_sound(run)) return;
  const MaybeCount& limit = run.given.moe_router_group_topk;
  const Int experts = run.config.num_experts.value.value_or(0);
  if (group_topk(run) < 0 && groups(run) > 0 && experts > 0 && experts % groups(run) == 0) return;
  out.add(limit, [&](Message& m) {
    if (groups(run) == 0) {
      m.say("moe_router_group_topk is {}, but moe_router_num_groups is not set", group_topk(run));
      m.help("set moe_router_num_groups to a divisor of num_experts {}", experts);
    } else if (experts == 0) {
      m.say("moe_router_group_topk is {}, but the model has no experts: num_experts is not set", group_topk(run));
    } else if (experts % groups(run) != 0) {
      m.say("num_experts {} is not a multiple of moe_router_num_groups {}", experts, groups(run));
      m.also(run.given.moe_router_num_groups);
    } else {
      m.say("moe_router_group_topk {} exceeds moe_router_num_groups {}", group_topk(run), groups(run));
      m.also(run.given.moe_router_num_groups);
    }
  });
}

void limited_devices_with_groups(const MegatronRun& run, Findings& out) {
  const MaybeCount& limited = run.given.moe_router_topk_limited_devices;
  if (limited.value.value_or(0) == 0 || group_topk(run) == 0 || !has_megatron_config(run)) return;
  out.add(limited, [&](Message& m) {
    m.say("moe_router_topk_limited_devices {} and moe_router_group_topk {} limit the same thing", *limited.value,
          group_topk(run));
    m.also(run.given.moe_router_group_topk);
    m.help("moe_router_topk_limited_devices is the old name: remove it");
    m.fix("unset the old name", limited, "null");
  });
}

void limited_devices_alone(const MegatronRun& run, Findings& out) {
  const MaybeCount& limited = run.given.moe_router_topk_limited_devices;
  if (limited.value.value_or(0) == 0 || group_topk(run) != 0 || !builds_experts(run)) return;
  out.add(limited, [&](Message& m) {
    m.say(
        "moe_router_topk_limited_devices {} ties routing to the launch: experts form one group an expert-parallel "
        "rank, {} groups here",
        *limited.value, run.ep());
    m.also(run.config.expert_model_parallel_size);
    m.help("moe_router_group_topk: {} and moe_router_num_groups: {} in its place keep the limit when EP changes",
           *limited.value, run.ep());
  });
}

/// Experts that one group is ranked by, and that it must hold: moe_router_topk / moe_router_group_topk.
void group_too_small(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !groups_are_sound(run)) return;
  const Int topk = run.config.moe_router_topk.value.value_or(0);
  const Int in_group = *run.config.num_experts.value / groups(run);
  if (topk < 1 || topk / group_topk(run) <= in_group) return;
  out.add(run.given.moe_router_group_topk, [&](Message& m) {
    m.say("{} groups of {} experts cannot give a token moe_router_topk {}", group_topk(run), in_group, topk);
    m.because("a group holds num_experts {} / moe_router_num_groups {} = {} experts", *run.config.num_experts.value,
              groups(run), in_group);
    m.help("choose moe_router_group_topk x {} of at least {}", in_group, topk);
  });
}

void group_share_uneven(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !groups_are_sound(run)) return;
  const Int topk = run.config.moe_router_topk.value.value_or(0);
  const Int in_group = *run.config.num_experts.value / groups(run);
  if (topk < 1 || topk % group_topk(run) == 0 || topk / group_topk(run) > in_group) return;
  out.add(run.given.moe_router_group_topk, [&](Message& m) {
    m.say("moe_router_topk {} is not a multiple of moe_router_group_topk {}", topk, group_topk(run));
    if (topk < group_topk(run)) {
      m.because("groups are ranked by their best topk / group_topk experts, which is 0 here: any group may win");
    } else {
      m.because("groups are ranked by their best {} experts, the whole part of {} / {}", topk / group_topk(run), topk,
                group_topk(run));
    }
    m.also(run.config.moe_router_topk);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG429",
      .name = "router-groups",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Group-limited routing needs groups that divide the experts.",
      .explanation = "moe_router_group_topk lets a token choose experts from that many of moe_router_num_groups "
                     "equal groups. So the number of groups has to be set, to divide num_experts, and to be at "
                     "least moe_router_group_topk.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_num_groups: 3\n"
                      "moe_router_group_topk: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_num_groups: 4\n"
                       "moe_router_group_topk: 2\n"}},
     groups_wrong},
    {{.id = "MG430",
      .name = "router-groups-too-small",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/transformer/moe/moe_utils.py:group_limited_topk",
      .outcome = "the first forward pass stops when it ranks the groups (RuntimeError)",
      .summary = "The chosen groups hold enough experts.",
      .explanation = "A group is ranked by its best moe_router_topk / moe_router_group_topk experts, so it has "
                     "to hold that many: num_experts / moe_router_num_groups.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_topk: 6\n"
                      "moe_router_num_groups: 4\n"
                      "moe_router_group_topk: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_topk: 4\n"
                       "moe_router_num_groups: 4\n"
                       "moe_router_group_topk: 2\n"}},
     group_too_small},
    {{.id = "MG431",
      .name = "router-groups-uneven",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/transformer/moe/moe_utils.py:group_limited_topk",
      .outcome = "Routing goes on with the rounded number",
      .summary = "moe_router_topk is a multiple of moe_router_group_topk.",
      .explanation = "Groups are ranked by the sum of their best topk / group_topk experts, rounded down. Where "
                     "that is not whole, groups are judged by fewer experts than a token takes from them; where "
                     "it rounds to 0, by none at all.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_topk: 2\n"
                      "moe_router_num_groups: 4\n"
                      "moe_router_group_topk: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_topk: 4\n"
                       "moe_router_num_groups: 4\n"
                       "moe_router_group_topk: 4\n"}},
     group_share_uneven},
    {{.id = "MG432",
      .name = "router-limited-devices",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron takes moe_router_num_groups from expert_model_parallel_size",
      .summary = "moe_router_topk_limited_devices makes routing depend on EP.",
      .explanation = "The old key limits how many expert-parallel ranks a token may visit: it becomes "
                     "moe_router_group_topk with one group a rank. The same model on another EP then routes "
                     "differently. moe_router_num_groups fixes the groups.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "expert_model_parallel_size: 4\n"
                      "moe_router_topk_limited_devices: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 4\n"
                       "moe_router_num_groups: 4\n"
                       "moe_router_group_topk: 2\n"}},
     limited_devices_alone},
    {{.id = "MG433",
      .name = "router-limited-devices-with-groups",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "moe_router_topk_limited_devices and moe_router_group_topk exclude each other.",
      .explanation = "Both limit the groups that a token may choose from; the first is the old name.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_topk_limited_devices: 2\n"
                      "moe_router_num_groups: 4\n"
                      "moe_router_group_topk: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_num_groups: 4\n"
                       "moe_router_group_topk: 2\n"}},
     limited_devices_with_groups},
};

}  // namespace

RuleList router_group_rules() { return rules; }

}  // namespace primus_plan::megatron
