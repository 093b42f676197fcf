#include "plan_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "command.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

constexpr std::string_view pin_flag = "--pin";

std::int64_t read_number(std::string_view text, std::string_view flag) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > largest_launch) {
    throw Trouble(fmt::format("{}: must be a whole number from 1 to {}, not '{}'", flag, largest_launch, text));
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    out.push_back(text.substr(0, end));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

const AxisName& read_axis(const std::string& text, std::string_view flag) {
  const std::size_t equals = text.find('=');
  const AxisName* axis =
      equals == std::string::npos ? nullptr : find_axis_name(std::string_view(text).substr(0, equals));
  if (axis != nullptr) return *axis;
  std::vector<std::string_view> names;
  for (const AxisName& name : axis_names()) names.push_back(name.name);
  throw Trouble(fmt::format("{} {}: expected AXIS=VALUE, AXIS one of {}", flag, text, join(names, ", ")));
}

}  // namespace

AskedAxes::AskedAxes(const std::vector<std::string>& pins, const std::vector<std::string>& allowed) {
  for (const std::string& text : allowed) read(text, "--allow");
  for (const std::string& text : pins) read(text, pin_flag);
}

void AskedAxes::read(const std::string& text, std::string_view flag) {
  const AxisName& axis = read_axis(text, flag);
  const std::string given = fmt::format("{} {}", flag, text);
  std::vector<std::int64_t> values;
  for (const std::string_view word : split(std::string_view(text).substr(text.find('=') + 1), ',')) {
    const auto value = parse_value(axis.axis, word);
    if (!value) throw Trouble(fmt::format("{}: {} takes {}", given, axis.name, value_help(axis.axis)));
    if (std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  if (flag == pin_flag && values.size() > 1)
    throw Trouble(fmt::format("{}: a pin is one value; --allow {} tries several", given, text));
  const auto before = flags_.find(axis.axis);
  if (before != flags_.end()) {
    const std::vector<std::int64_t>& known = values_[axis.axis];
    const bool both_kinds = flag == pin_flag && !before->second.starts_with(pin_flag);
    if (!both_kinds && values != known)
      throw Trouble(fmt::format("{}: {} is given already by {}; say it once", given, axis.name, before->second));
    if (both_kinds && std::ranges::find(known, values.front()) == known.end())
      throw Trouble(fmt::format("{}: {} allows other values only; give one of the two", given, before->second));
  }
  values_[axis.axis] = std::move(values);
  flags_[axis.axis] = given;
}

std::string AskedAxes::sentence(const AxisTrouble& trouble) const {
  const auto flag = flags_.find(trouble.axis);
  return fmt::format("{}: {}", flag == flags_.end() ? "" : flag->second, trouble.why);
}

std::vector<std::int64_t> read_sizes(const std::string& text, std::string_view flag) {
  std::vector<std::int64_t> out;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
      out.push_back(read_number(part, flag));
      continue;
    }
    const std::int64_t first = read_number(part.substr(0, colon), flag);
    const std::int64_t last = read_number(part.substr(colon + 1), flag);
    if (last < first) throw Trouble(fmt::format("{} {}: the range ends before it begins", flag, part));
    for (std::int64_t world = first; world <= last; world *= 2) out.push_back(world);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

PlanObjective read_objective(const std::string& word) {
  for (const PlanObjective objective :
       {PlanObjective::throughput, PlanObjective::memory, PlanObjective::gpus, PlanObjective::latency}) {
    if (word == to_string(objective)) return objective;
  }
  throw Trouble(fmt::format("--objective {}: expected throughput, memory, gpus or latency", word));
}

}  // namespace primus_plan::app
