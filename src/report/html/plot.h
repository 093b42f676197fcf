#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html/markup.h"

namespace primus_plan::html {

/// Round numbers that an axis is marked with: from 0 or below `low` to `high` or above, about `wanted` of them.
std::vector<double> axis_marks(double low, double high, int wanted);

/// A drawing with two axes in an SVG of its own. Coordinates are data; the frame leaves room for the words.
class Plot {
 public:
  struct Axis {
    std::string_view title;
    double low = 0;
    double high = 1;
    std::vector<double> marks;
    double unit = 1;  ///< marks are shown in these
  };

  /// `label` is what a screen reader says instead.
  Plot(Markup& out, Axis x, Axis y, std::string_view label);
  /// Axes whose x is one of several words, equally far apart: x counts from 0.
  Plot(Markup& out, const std::vector<std::string>& words, std::string_view title, Axis y, std::string_view label);
  ~Plot();
  Plot(const Plot&) = delete;
  Plot& operator=(const Plot&) = delete;

  void dots(const std::vector<std::pair<double, double>>& points, std::string_view style, double radius);
  void line(const std::vector<std::pair<double, double>>& points, std::string_view style);
  /// From one y to another, with ends.
  void interval(double x, double low, double high, std::string_view style);
  /// From 0 to y.
  void column(double x, double y, std::string_view style);
  void vertical(double x, std::string_view style);
  void horizontal(double y, std::string_view style);
  /// A small cross on the x axis.
  void cross(double x);
  void word(double x, double y, std::string_view text);

 private:
  void begin(std::string_view label);
  void y_axis();
  void x_title(std::string_view title);
  double px(double x) const;
  double py(double y) const;

  Markup& out_;
  Axis x_;
  Axis y_;
};

}  // namespace primus_plan::html
