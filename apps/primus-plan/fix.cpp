#include "fix.h"

#include <fmt/core.h>

#include "command.h"
#include "primus_plan/support/diff.h"
#include "primus_plan/support/text.h"
#include "replace_file.h"

namespace primus_plan::app {

namespace {

std::string fixes(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "fix" : "fixes"); }

std::string done_text(const std::string& path, const Mended& mended) {
  if (mended.applied.empty()) return {};
  std::string text = fmt::format("{}: {} applied\n", escape_controls(path), fixes(mended.applied.size()));
  for (const AppliedFix& fix : mended.applied)
    text += fmt::format("  {} {}\n", fix.rule->id, escape_controls(fix.title));
  return text;
}

std::string left_over_text(const std::string& path, const Mended& mended) {
  if (mended.unsafe_left_over == 0) return {};
  return fmt::format("{}: {} more with --fix-unsafe\n", escape_controls(path), fixes(mended.unsafe_left_over));
}

}  // namespace

void FixFlags::declare(CLI::App& app) {
  constexpr const char* group = "Fixes";
  app.add_flag("--fix", safe, "edit the files: fixes that keep the meaning of the experiment")->group(group);
  app.add_flag("--fix-unsafe", unsafe, "edit the files: the other fixes too, the nearest legal global batch, say")
      ->group(group);
  app.add_flag("--diff", diff, "print the edits as a diff and write nothing; exit code 1 when there are any")
      ->group(group);
}

Fixed fix_file(const std::string& path, const std::string& text, const Judge& judge, const FixFlags& flags,
               const OneChangeIsEnough& one_change_is_enough) {
  Fixed out{.mended = mend_unless_one_change_does(text, judge, flags.level(), one_change_is_enough),
            .diff = {},
            .remark = {}};
  if (flags.diff) {
    out.diff = unified_diff(path, text, out.mended.text);
    out.remark = left_over_text(path, out.mended);
    return out;
  }
  if (out.mended.text != text) {
    if (const std::string reason = replace_file(path, text, out.mended.text); !reason.empty()) {
      out.mended = {.text = text, .applied = {}};
      out.remark = fmt::format("{}: not edited: {}\n", escape_controls(path), reason);
      return out;
    }
  }
  out.remark = done_text(path, out.mended) + left_over_text(path, out.mended);
  return out;
}

}  // namespace primus_plan::app
