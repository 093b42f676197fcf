#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Which fixes are applied.
enum class FixLevel : std::uint8_t {
  safe,  ///< those that keep the meaning of the experiment
  all,   ///< the others too: the nearest legal global batch, say
};

/// What a check makes of a text.
struct Judgement {
  std::vector<Finding> findings;                       ///< of loading, or of all modules
  std::vector<std::shared_ptr<const Source>> sources;  ///< owners of the texts that the findings point into
  bool is_loaded = false;                              ///< the text could be loaded
};
using Judge = std::function<Judgement(const std::string& text)>;

/// A fix that was applied.
struct AppliedFix {
  const RuleInfo* rule = nullptr;
  std::string title;
};

struct Mended {
  std::string text;                  ///< after all fixes; the given text where there are none
  std::vector<AppliedFix> applied;   ///< in order
  std::size_t errors_left = 0;       ///< in `text`; 1 for a text that cannot be loaded
  std::size_t unsafe_left_over = 0;  ///< fixes that FixLevel::all would then make and FixLevel::safe does not
};

/// Applies the fixes of the findings of a text, round by round until nothing is left to do: of fixes that overlap, the
/// first wins, and the others have their turn when the text has been judged again. Of fixes that are made together each
/// is needed: one whose finding goes away by the others is not made. Only edits of this text itself are made, each
/// checked by edit_document. A fix after which the text has more errors (or as many, and more warnings) is taken back,
/// and so is a chain of fixes, each of what the one before it uncovers, that ends with other faults but not with fewer.
/// Pure but for what `judge` does; every byte outside the edits is kept.
Mended mend(const std::string& text, const Judge& judge, FixLevel level);

/// Whether changing one key makes a text legal altogether (find_repairs).
using OneChangeIsEnough = std::function<bool(const std::string& text)>;

/// The same, but where fixes leave errors and one change of another key would be enough, unsafe fixes of errors are not
/// made: they would only adapt other keys to the one that is wrong. `unsafe_left_over` counts so, too.
Mended mend_unless_one_change_does(const std::string& text, const Judge& judge, FixLevel level,
                                   const OneChangeIsEnough& one_change_is_enough);

}  // namespace primus_plan
