#include <fmt/core.h>

#include <map>

#include "primus_plan/report/accuracy.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/markdown_text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
/// With its sign, "+" for an estimate above the measurement. What rounds to nothing has none.
std::string signed_percent(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  return text == "-0.0 %" || text == "+0.0 %" ? "0.0 %" : text;
}
std::string part_of(std::size_t inside, std::size_t count) {
  return percent(count > 0 ? static_cast<double>(inside) / static_cast<double>(count) : 0);
}

std::string figure_text(Figure figure, double value) {
  return figure == Figure::memory ? fmt::format("{:.2f} GiB", value / gib) : fmt::format("{:.3f} s", value);
}

std::string run_text(const MeasuredRow& row) {
  return fmt::format("{} on {} {}, {}", row.model, row.gpus, row.gpu, row.framework);
}

/// Reasons with how many figures each keeps out.
std::map<std::string, std::size_t> reasons_of(const Accuracy& accuracy) {
  std::map<std::string, std::size_t> out;
  for (const LeftOut& left : accuracy.left_out) ++out[fmt::format("{}: {}", to_string(left.figure), left.reason)];
  return out;
}

std::string ranking_sentence(const Accuracy& accuracy) {
  if (accuracy.rankings.empty()) return {};
  return fmt::format(
      "{} of {} models with {} rows or more are ranked with a correlation of at least 0.9; median {:.2f}",
      accuracy.well_ranked, accuracy.rankings.size(), least_ranked_rows, accuracy.median_correlation);
}

std::string section_text(const AccuracySection& section, const TextStyle& style, const Paint& paint) {
  if (section.groups.empty()) return {};
  Table rows({section.title, "rows", "median", "9 of 10", "worst", "bias", "inside"}, {Table::Side::left});
  for (const AccuracyGroup& group : section.groups) {
    const ErrorStatistics& e = group.errors;
    rows.add({escape_controls(group.name), std::to_string(e.count), percent(e.median), percent(e.ninth_tenth),
              percent(e.worst), signed_percent(e.bias), part_of(group.inside, e.count)});
  }
  return "\n" + rows.text(paint, style);
}

std::string rankings_text(const Accuracy& accuracy, const TextStyle& style, const Paint& paint) {
  if (accuracy.rankings.empty()) return {};
  Table rows({"rank correlation (Spearman) within a model", "rows", "of speeds"}, {Table::Side::left});
  for (const ModelRanking& r : accuracy.rankings) {
    rows.add({escape_controls(r.model), std::to_string(r.rows), fmt::format("{:.2f}", r.correlation)});
  }
  return "\n" + rows.text(paint, style) + wrapped("  " + ranking_sentence(accuracy), 4, style) + "\n";
}

std::string left_out_text(const Accuracy& accuracy, const TextStyle& style, const Paint& paint) {
  if (accuracy.left_out.empty()) return {};
  std::string out = "\n" + paint.bold("not compared") + "\n";
  for (const auto& [reason, count] : reasons_of(accuracy)) {
    out += wrapped(fmt::format("  {:>4}  {}", count, escape_controls(reason)), 8, style) + "\n";
  }
  if (!style.verbose) return out;
  for (const LeftOut& left : accuracy.left_out) {
    const MeasuredRow& row = accuracy.rows[left.row];
    out +=
        escape_controls(fmt::format("  {:>6}  {}: {}: {}", row.id, run_text(row), to_string(left.figure), left.reason));
    out += '\n';
  }
  return out;
}

std::string rows_text(const Accuracy& accuracy, const Paint& paint) {
  std::string out = "\n" +
                    paint.bold(fmt::format("{:>8} {:>12} {:>12} {:>9}  {:<7} {}", "row", "measured", "estimated",
                                           "error", "", "run")) +
                    "\n";
  for (const Comparison& c : accuracy.comparisons) {
    const MeasuredRow& row = accuracy.rows[c.row];
    out += fmt::format("{:>8} {:>12} {:>12} {:>9}  {:<7} {}\n", escape_controls(row.id),
                       figure_text(c.figure, c.measured), figure_text(c.figure, c.expected), signed_percent(c.error()),
                       c.is_inside() ? "" : "outside", escape_controls(run_text(row)));
  }
  return out;
}

std::string section_markdown(const AccuracySection& section) {
  if (section.groups.empty()) return {};
  std::string out = fmt::format(
      "| {} | rows | median error | 9 of 10 within | worst | bias | inside the interval "
      "|\n|---|--:|--:|--:|--:|--:|--:|\n",
      section.title);
  for (const AccuracyGroup& group : section.groups) {
    const ErrorStatistics& e = group.errors;
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(group.name), e.count, percent(e.median),
                    percent(e.ninth_tenth), percent(e.worst), signed_percent(e.bias), part_of(group.inside, e.count));
  }
  return out + "\n";
}

std::string rows_markdown(const Accuracy& accuracy) {
  std::string out = "| row | run | figure | measured | estimated | error |\n|---|---|---|--:|--:|--:|\n";
  for (const Comparison& c : accuracy.comparisons) {
    const MeasuredRow& row = accuracy.rows[c.row];
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_text(row.id), markdown_text(run_text(row)),
                       to_string(c.figure), figure_text(c.figure, c.measured), figure_text(c.figure, c.expected),
                       signed_percent(c.error()));
  }
  return out + "\n";
}

std::string more_markdown(const Accuracy& accuracy, const TextStyle& style) {
  std::string out = section_markdown(accuracy.hardware) + section_markdown(accuracy.framework);
  if (!accuracy.rankings.empty()) {
    out += "| rank correlation of speeds within a model | rows | Spearman |\n|---|--:|--:|\n";
    for (const ModelRanking& r : accuracy.rankings) {
      out += fmt::format("| {} | {} | {:.2f} |\n", markdown_text(r.model), r.rows, r.correlation);
    }
    out += '\n';
  }
  if (!accuracy.left_out.empty()) {
    out += "| not compared | figures |\n|---|--:|\n";
    for (const auto& [reason, count] : reasons_of(accuracy)) {
      out += fmt::format("| {} | {} |\n", markdown_text(reason), count);
    }
    out += '\n';
  }
  return style.verbose ? out + rows_markdown(accuracy) : out;
}

}  // namespace

std::string accuracy_to_text(const Accuracy& accuracy, const std::string& table, const TextStyle& style) {
  const Paint paint(style.color);
  const std::string head =
      fmt::format("{}: {}, {} compared; error = estimate / measurement - 1", escape_controls(table),
                  counted(static_cast<std::int64_t>(accuracy.rows.size()), "row"),
                  counted(static_cast<std::int64_t>(accuracy.comparisons.size()), "figure"));
  std::string out = wrapped(head, 2, style) + "\n";
  out += section_text(accuracy.memory, style, paint) + section_text(accuracy.step, style, paint);
  if (style.quiet) return out;
  out += section_text(accuracy.hardware, style, paint) + section_text(accuracy.framework, style, paint);
  out += rankings_text(accuracy, style, paint) + left_out_text(accuracy, style, paint);
  return style.verbose ? out + rows_text(accuracy, paint) : out;
}

std::string accuracy_to_markdown(const Accuracy& accuracy, const TextStyle& style) {
  std::string out = section_markdown(accuracy.memory) + section_markdown(accuracy.step);
  const std::string ranking = ranking_sentence(accuracy);
  if (!ranking.empty()) out += ranking + ".\n\n";
  if (!style.quiet) out += more_markdown(accuracy, style);
  if (!out.empty()) out.pop_back();  // the empty line at the end
  return out;
}

}  // namespace primus_plan
