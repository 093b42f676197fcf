#include "primus_plan/support/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t context = 3;

using Lines = std::vector<std::string_view>;

/// With their line breaks.
Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// A run of lines: those of `before` from a to a + removed give way to those of `after` from b to b + added.
struct Hunk {
  std::size_t a = 0;
  std::size_t removed = 0;
  std::size_t b = 0;
  std::size_t added = 0;
};

/// The shortest way from one list of lines to the other.
/// Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy algorithm.
class ShortestEdit {
 public:
  ShortestEdit(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::vector<Hunk> find() {
    search();
    return walk_back();
  }

 private:
  using Signed = std::ptrdiff_t;

  Signed size_a() const { return static_cast<Signed>(before_.size()); }
  Signed size_b() const { return static_cast<Signed>(after_.size()); }

  /// How far along `before` the best path on diagonal k got before step d.
  static Signed reach(const std::vector<Signed>& row, Signed d, Signed k) {
    return row[static_cast<std::size_t>(k + d)];
  }

  /// Whether the best path of d steps comes to diagonal k from the one above: by a line that was added.
  static bool comes_from_above(const std::vector<Signed>& row, Signed d, Signed k) {
    if (k == -d) return true;
    return k != d && reach(row, d - 1, k - 1) < reach(row, d - 1, k + 1);
  }

  Signed slide(Signed x, Signed k) const {
    while (x < size_a() && x - k < size_b() &&
           before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(x - k)]) {
      ++x;
    }
    return x;
  }

  void search() {
    rows_.push_back({slide(0, 0)});
    for (Signed d = 1; reach_of_end(d - 1) < size_a(); ++d) {
      const std::vector<Signed>& last = rows_.back();
      std::vector<Signed> row(static_cast<std::size_t>(2 * d + 1), 0);
      for (Signed k = -d; k <= d; k += 2) {
        const bool above = comes_from_above(last, d, k);
        const Signed x = above ? reach(last, d - 1, k + 1) : reach(last, d - 1, k - 1) + 1;
        row[static_cast<std::size_t>(k + d)] = slide(x, k);
      }
      rows_.push_back(std::move(row));
    }
  }

  /// How far the diagonal that ends both texts got within d steps.
  Signed reach_of_end(Signed d) const {
    const Signed k = size_a() - size_b();
    if (std::abs(k) > d || (k + d) % 2 != 0) return -1;
    return reach(rows_[static_cast<std::size_t>(d)], d, k);
  }

  std::vector<Hunk> walk_back() const {
    std::vector<Hunk> hunks;
    Signed x = size_a();
    Signed k = size_a() - size_b();
    for (auto d = static_cast<Signed>(rows_.size()) - 1; d > 0; --d) {
      const std::vector<Signed>& last = rows_[static_cast<std::size_t>(d - 1)];
      const bool above = comes_from_above(last, d, k);
      k += above ? 1 : -1;
      x = reach(last, d - 1, k);
      const Hunk step{static_cast<std::size_t>(x), above ? 0U : 1U, static_cast<std::size_t>(x - k), above ? 1U : 0U};
      if (!hunks.empty() && step.a + step.removed == hunks.back().a && step.b + step.added == hunks.back().b) {
        hunks.back() = {step.a, step.removed + hunks.back().removed, step.b, step.added + hunks.back().added};
      } else {
        hunks.push_back(step);
      }
    }
    std::reverse(hunks.begin(), hunks.end());
    return hunks;
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<std::vector<Signed>> rows_;
};

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

/// "12,3": where a range begins and how many lines it has.
std::string range_text(std::size_t first, std::size_t count) {
  if (count == 1) return fmt::format("{}", first + 1);
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

/// One block of the diff: hunks whose surroundings touch.
std::string block_text(const Hunk* begin, const Hunk* end, const Lines& before, const Lines& after) {
  const Hunk& last = *(end - 1);
  const std::size_t lead = std::min(context, begin->a);
  const std::size_t stop = std::min(before.size(), last.a + last.removed + context);
  const std::size_t tail = stop - last.a - last.removed;
  const std::size_t a = begin->a - lead;
  const std::size_t b = begin->b - lead;
  std::string out =
      fmt::format("@@ -{} +{} @@\n", range_text(a, stop - a), range_text(b, last.b + last.added + tail - b));
  std::size_t at = a;
  for (const Hunk* hunk = begin; hunk != end; ++hunk) {
    for (; at < hunk->a; ++at) append_line(out, ' ', before[at]);
    for (; at < hunk->a + hunk->removed; ++at) append_line(out, '-', before[at]);
    for (std::size_t i = 0; i < hunk->added; ++i) append_line(out, '+', after[hunk->b + i]);
  }
  for (; at < stop; ++at) append_line(out, ' ', before[at]);
  return out;
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines a = split_lines(before);
  const Lines b = split_lines(after);
  const std::vector<Hunk> hunks = ShortestEdit(a, b).find();
  std::string out = fmt::format("--- {0}\n+++ {0}\n", escape_controls(path));
  for (std::size_t i = 0; i < hunks.size();) {
    std::size_t j = i + 1;
    while (j < hunks.size() && hunks[j].a - hunks[j - 1].a - hunks[j - 1].removed <= 2 * context) ++j;
    out += block_text(&hunks[i], &hunks[i] + (j - i), a, b);
    i = j;
  }
  return out;
}

}  // namespace primus_plan
