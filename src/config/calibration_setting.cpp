#include "config/calibration_setting.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr double most_extra_gib = 1024;
constexpr std::array<std::string_view, 4> known_keys = {"hardware", "compute-scale", "memory-extra-gib", "run"};

class Reader {
 public:
  explicit Reader(const TellFault& tell) : tell_(tell) {}

  double number(const Entry& entry, double least, double most) {
    const Node& node = *entry.value;
    const double value = node.kind == Kind::integer ? static_cast<double>(node.integer)
                         : node.kind == Kind::real  ? node.real
                                                    : std::nan("");
    if (value >= least && value <= most) return value;
    fail(entry, fmt::format("a number from {} to {}", least, most));
    return least;
  }

  std::string word(const Entry& entry) {
    if (!entry.value->is_string() || entry.value->text.empty()) fail(entry, "text");
    return entry.value->text;
  }

 private:
  void fail(const Entry& entry, const std::string& wanted) {
    tell_(entry.value->origin ? entry.value->origin : entry.key_origin,
          fmt::format("{} of calibration must be {}, not {:.80}", entry.key->text, wanted, to_text(*entry.value)));
  }

  const TellFault& tell_;
};

}  // namespace

StoredCalibration read_calibration(const Entry& entry, const std::string& path, const TellFault& tell) {
  StoredCalibration out;
  out.path = path;
  if (!entry.value->is_mapping()) {
    tell(entry.key_origin, fmt::format("calibration must be a mapping, not {:.80}", to_text(*entry.value)));
    return out;
  }
  Reader read(tell);
  for (const Entry& line : entry.value->entries()) {
    std::string key = line.key->is_string() ? line.key->text : to_text(*line.key);
    std::ranges::replace(key, '_', '-');
    if (key == "hardware") {
      out.hardware = read.word(line);
    } else if (key == "run") {
      out.run = read.word(line);
    } else if (key == "compute-scale") {
      out.constants.compute_scale = read.number(line, least_compute_scale, most_compute_scale);
    } else if (key == "memory-extra-gib") {
      out.constants.memory_extra_bytes = gib * read.number(line, -most_extra_gib, most_extra_gib);
    } else {
      tell(line.key_origin, fmt::format("calibration has no key {}; its keys are {}", key, join(known_keys, ", ")));
    }
  }
  if (entry.value->get("hardware") == nullptr)
    tell(entry.key_origin, "calibration must name the part that was measured: hardware: MI300X, say");
  return out;
}

}  // namespace primus_plan
