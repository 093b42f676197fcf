#include "primus_plan/config/hardware.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/hardware_file.h"
#include "primus_plan/config/embedded.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

constexpr std::string_view folder = "hardware/";
constexpr std::string_view suffix = ".yaml";

std::vector<Hardware> read_built_in() {
  std::vector<Hardware> out;
  for (const EmbeddedFile& file : embedded_presets()) {
    if (file.path.starts_with(folder)) {
      out.push_back(read_hardware_file(std::string(file.path), std::string(file.text), nullptr));
    }
  }
  std::sort(out.begin(), out.end(), [](const Hardware& a, const Hardware& b) { return a.name < b.name; });
  return out;
}

/// The built-in part whose file has this name: only that file is read.
std::optional<Hardware> from_own_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_presets()) {
    if (!file.path.starts_with(folder) || !file.path.ends_with(suffix)) continue;
    const std::string_view stem = file.path.substr(folder.size(), file.path.size() - folder.size() - suffix.size());
    if (equal_ignoring_case(stem, name)) {
      return read_hardware_file(std::string(file.path), std::string(file.text), nullptr);
    }
  }
  return std::nullopt;
}

bool goes_by(const Hardware& part, std::string_view name) {
  return equal_ignoring_case(part.name, name) ||
         std::any_of(part.aliases.begin(), part.aliases.end(),
                     [name](const std::string& alias) { return equal_ignoring_case(alias, name); });
}

struct Spec {
  std::string_view part;     ///< a name or a path
  std::string_view changes;  ///< "nic_gbs=25,hbm_gb=192", or nothing
  bool is_file = false;
};

/// A slash, or one of these endings, makes a file of a word: what lies in the working directory hides no part.
bool is_file_name(std::string_view part) {
  constexpr std::string_view endings[] = {".yaml", ".yml", ".json"};
  return part.find('/') != std::string_view::npos ||
         std::ranges::any_of(endings, [part](std::string_view ending) { return part.ends_with(ending); });
}

Spec split(std::string_view spec) {
  // A path may hold colons; what follows the last one is a change only with an = in it.
  const std::size_t colon = spec.rfind(':');
  const bool changed = colon != std::string_view::npos && spec.find('=', colon) != std::string_view::npos;
  const std::string_view part = changed ? spec.substr(0, colon) : spec;
  return {part, changed ? spec.substr(colon + 1) : std::string_view(), is_file_name(part)};
}

Hardware from_file(const std::string& path, const FileReader& files) {
  ReadFailure failure;
  const auto text = files.read(path, failure);
  if (!text) throw HardwareError(fmt::format("hardware file {}: {}", path, failure.reason));
  return read_hardware_file(path, *text, &named_hardware);
}

/// Applies "nic_gbs=25,hbm_gb=192".
void change(Hardware& part, std::string_view changes) {
  HardwareEdit edit(part);
  while (!changes.empty()) {
    const std::size_t comma = std::min(changes.find(','), changes.size());
    const std::string_view one = changes.substr(0, comma);
    changes.remove_prefix(std::min(comma + 1, changes.size()));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      throw HardwareError(fmt::format("hardware change {}: write FIELD=NUMBER", one));
    const std::string_view value = one.substr(equals + 1);
    if (one.substr(0, equals) == "fabric") {
      edit.set_fabric(value);
      continue;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      throw HardwareError(fmt::format("hardware change {}: {} is no number", one, value));
    edit.set(one.substr(0, equals), number);
  }
  edit.finish();
}

}  // namespace

const std::vector<Hardware>& built_in_hardware() {
  static const std::vector<Hardware> parts = read_built_in();
  return parts;
}

const Hardware& named_hardware(std::string_view name) {
  const std::vector<Hardware>& parts = built_in_hardware();
  const auto found = std::find_if(parts.begin(), parts.end(), [name](const Hardware& p) { return goes_by(p, name); });
  if (found != parts.end()) return *found;
  std::vector<std::string_view> names;
  names.reserve(parts.size());
  for (const Hardware& part : parts) names.push_back(part.name);
  const auto nearest = nearest_names(name, names, 1);
  throw HardwareError(nearest.empty() ? fmt::format("no hardware is called {}; known are {}", name, join(names, ", "))
                                      : fmt::format("no hardware is called {}; did you mean {}?", name, nearest[0]));
}

std::string_view built_in_name(std::string_view spec) {
  const std::vector<Hardware>& parts = built_in_hardware();
  const auto found = std::find_if(parts.begin(), parts.end(), [spec](const Hardware& p) { return goes_by(p, spec); });
  return found == parts.end() ? std::string_view() : std::string_view(found->name);
}

bool names_hardware_file(std::string_view spec) { return split(spec).is_file; }

Hardware find_hardware(std::string_view spec, const FileReader& files) {
  const auto [part, changes, is_file] = split(spec);
  std::optional<Hardware> own = is_file ? std::nullopt : from_own_file(part);
  if (!own && !is_file && built_in_name(part).empty() && files.exists(std::string(part))) {
    throw HardwareError(
        fmt::format("no hardware is called {0}; the file of that name is ./{0} (a file has a / in its name, or ends in "
                    ".yaml, .yml or .json)",
                    part));
  }
  Hardware out = own ? *std::move(own) : is_file ? from_file(std::string(part), files) : named_hardware(part);
  const bool changed = part.size() < spec.size();
  if (changed) change(out, changes);
  return out;
}

}  // namespace primus_plan
