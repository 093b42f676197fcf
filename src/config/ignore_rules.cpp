#include "config/ignore_rules.h"

#include <array>

namespace primus_plan::loading {

const RuleInfo ignore_without_reason{
    .id = "CF222",
    .name = "ignore-without-reason",
    .severity = Severity::warning,
    .stage = Stage::advice,
    .summary = "A comment that silences a rule must say why.",
    .explanation =
        "`# primus-plan: ignore[MG203] waits for the next release` silences MG203 on its own line or, standing alone, "
        "on the line below. The reason is for whoever reads the experiment next and wonders whether the comment may "
        "go; "
        "without one the comment silences nothing.",
    .bad = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG203]
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG203] the launcher sets the batch that really runs
global_batch_size: 33
)"},
};

const RuleInfo ignore_of_unknown_rule{
    .id = "CF220",
    .name = "ignore-of-unknown-rule",
    .severity = Severity::warning,
    .stage = Stage::advice,
    .summary = "A comment silences a rule that does not exist.",
    .explanation =
        "Rules are called by their id (MG203), by their name (global-batch-not-divisible), or many at once by the "
        "first letters of their ids (MG2). A word that is none of these silences nothing.",
    .bad = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG2033] the launcher sets the batch that really runs
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG203] the launcher sets the batch that really runs
global_batch_size: 33
)"},
};

const RuleInfo unused_ignore{
    .id = "CF221",
    .name = "unused-ignore",
    .severity = Severity::warning,
    .stage = Stage::advice,
    .summary = "A comment silences a rule that has nothing to say there.",
    .explanation =
        "What the comment was about is mended, has moved to another line, or does not arise at this launch size. Left "
        "in place, the comment would hide the same fault when it comes back.",
    .bad = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG203] the launcher sets the batch that really runs
global_batch_size: 16
)"},
    .good = {.world_size = 8, .yaml = R"(micro_batch_size: 2
# primus-plan: ignore[MG203] the launcher sets the batch that really runs
global_batch_size: 33
)"},
};

std::span<const RuleInfo* const> ignore_rules() {
  static constexpr std::array list = {&ignore_without_reason, &ignore_of_unknown_rule, &unused_ignore};
  return list;
}

}  // namespace primus_plan::loading
