#include "report/html/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/support/number.h"

namespace primus_plan::html {

namespace {

constexpr double total_width = 480;
constexpr double total_height = 280;
constexpr double left = 56;
constexpr double right = total_width - 14;
constexpr double top = 26;
constexpr double bottom = total_height - 44;
constexpr double column_width = 22;

std::string number(double value) { return fmt::format("{:.1f}", value); }

/// "1,200", "0.5".
std::string mark_text(double value) {
  if (std::abs(value - std::round(value)) < 1e-6) return with_commas(std::llround(value));
  return fmt::format("{:g}", value);
}

}  // namespace

std::vector<double> axis_marks(double low, double high, int wanted) {
  const double span = std::max(high - low, 1e-12);
  const double rough = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> marks;
  for (double at = std::floor(low / step) * step; marks.empty() || marks.back() < high - 1e-9 * span; at += step)
    marks.push_back(at);
  return marks;
}

Plot::Plot(Markup& out, Axis x, Axis y, std::string_view label) : out_(out), x_(std::move(x)), y_(std::move(y)) {
  begin(label);
  y_axis();
  for (const double mark : x_.marks) {
    out_.element("text", mark_text(mark / x_.unit),
                 {{"class", "x"}, {"x", number(px(mark))}, {"y", number(bottom + 15)}});
  }
  x_title(x_.title);
}

Plot::Plot(Markup& out, const std::vector<std::string>& words, std::string_view title, Axis y, std::string_view label)
    : out_(out), x_{title, -0.6, static_cast<double>(words.size()) - 0.4, {}, 1}, y_(std::move(y)) {
  begin(label);
  y_axis();
  const std::size_t every = words.size() / 12 + 1;
  for (std::size_t i = 0; i < words.size(); i += every) {
    out_.element("text", words[i],
                 {{"class", "x"}, {"x", number(px(static_cast<double>(i)))}, {"y", number(bottom + 15)}});
  }
  x_title(title);
}

Plot::~Plot() { out_.close().line(); }

void Plot::begin(std::string_view label) {
  out_.open("svg", {{"class", "plot"},
                    {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", total_width, total_height)},
                    {"role", "img"},
                    {"aria-label", label}});
}

void Plot::y_axis() {
  std::string grid;
  for (const double mark : y_.marks) {
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", left, py(mark), right);
    out_.element("text", mark_text(mark / y_.unit),
                 {{"class", "y"}, {"x", number(left - 8)}, {"y", number(py(mark) + 4)}});
  }
  out_.empty("path", {{"class", "grid"}, {"d", grid}});
  out_.element("text", y_.title, {{"class", "title"}, {"x", "2"}, {"y", "12"}});
}

void Plot::x_title(std::string_view title) {
  out_.element("text", title,
               {{"class", "x title"}, {"x", number((left + right) / 2)}, {"y", number(total_height - 8)}});
}

double Plot::px(double x) const { return left + (x - x_.low) / (x_.high - x_.low) * (right - left); }
double Plot::py(double y) const { return bottom - (y - y_.low) / (y_.high - y_.low) * (bottom - top); }

void Plot::dots(const std::vector<std::pair<double, double>>& points, std::string_view style, double radius) {
  if (points.empty()) return;
  std::string path;  // dots are lines without length and round ends: much shorter than circles
  for (const auto& [x, y] : points) path += fmt::format("M{:.1f} {:.1f}h0", px(x), py(y));
  out_.empty("path", {{"class", fmt::format("dots {}", style)}, {"stroke-width", number(2 * radius)}, {"d", path}});
}

void Plot::line(const std::vector<std::pair<double, double>>& points, std::string_view style) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px(x), py(y));
  if (points.size() > 1) out_.empty("path", {{"class", style}, {"d", path}});
}

void Plot::interval(double x, double low, double high, std::string_view style) {
  const double at = px(x);
  out_.empty("path", {{"class", style},
                      {"d", fmt::format("M{0:.1f} {2:.1f}h8m-4 0V{3:.1f}m-4 0h8", at - 4, at, py(low), py(high))}});
}

void Plot::column(double x, double y, std::string_view style) {
  const double width = std::min(column_width, 0.6 * (px(1) - px(0)));
  out_.empty("rect", {{"class", style},
                      {"x", number(px(x) - width / 2)},
                      {"y", number(py(y))},
                      {"width", number(width)},
                      {"height", number(std::max(0.0, bottom - py(y)))}});
}

void Plot::vertical(double x, std::string_view style) {
  out_.empty("path", {{"class", style}, {"d", fmt::format("M{:.1f} {:.1f}V{:.1f}", px(x), top, bottom)}});
}

void Plot::horizontal(double y, std::string_view style) {
  out_.empty("path", {{"class", style}, {"d", fmt::format("M{:.1f} {:.1f}H{:.1f}", left, py(y), right)}});
}

void Plot::cross(double x) {
  out_.empty("path", {{"class", "cross"}, {"d", fmt::format("M{:.1f} {:.1f}l6 6m0-6l-6 6", px(x) - 3, bottom - 11)}});
}

void Plot::word(double x, double y, std::string_view text) {
  out_.element("text", text, {{"class", "word"}, {"x", number(px(x))}, {"y", number(py(y))}});
}

}  // namespace primus_plan::html
