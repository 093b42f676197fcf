#include "config/settings_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "config/calibration_setting.h"
#include "config/hardware_file.h"
#include "config/pragma.h"
#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

/// A value in a message: its beginning, when it is long. A whole file may stand where a word belongs.
std::string shown(const Node& value) {
  constexpr std::size_t longest = 80;
  const std::string text = to_text(value);
  return text.size() <= longest ? text : fmt::format("{:.80}…", text);
}

/// How many files a file of settings may be made of, counted as often as they are named.
constexpr std::size_t most_files = 256;

class Reader;

/// A key of the settings, or of one of their entries.
struct Key {
  std::string_view name;
  void (*read)(Reader& reader, const Entry& entry);
};

/// Keys may be written with - or _.
std::string dashed(std::string_view key) {
  std::string out(key);
  std::ranges::replace(out, '_', '-');
  return out;
}

/// Reads one file; puts what it says into `settings`, which may hold nothing but what stronger files said.
class Reader {
 public:
  Reader(Settings& settings, std::vector<std::string>& faults, const FileReader& files, const Environment& environment,
         RuleList rules, std::vector<std::string> chain)
      : settings_(settings),
        faults_(faults),
        files_(files),
        environment_(environment),
        rules_(rules),
        chain_(std::move(chain)) {}

  void read(const std::string& path);

 private:
  // Faults.
  void fail(const Origin& where, std::string_view text) {
    faults_.push_back(fmt::format("{}: {}", to_string(where), text));
  }
  void fail_type(const Entry& entry, std::string_view wanted) {
    fail(entry.value->origin ? entry.value->origin : entry.key_origin,
         fmt::format("{} must be {}, not {}", entry.key->text, wanted, shown(*entry.value)));
  }
  void fail_key(const Entry& entry, std::span<const std::string_view> known, std::string_view of_what);

  // Values.
  std::optional<std::string> text(const Entry& entry);
  std::optional<std::vector<std::string>> texts(const Entry& entry);
  std::string resolved(const std::string& path) const { return (fs::path(folder_) / path).lexically_normal().string(); }
  void check_rule(const Origin& where, std::string_view word) {
    if (rules_called(word, rules_).empty()) fail(where, unknown_rule_text(word, rules_));
  }
  /// Calls `each` with every mapping of a list.
  template <class Each>
  void entries(const Entry& entry, Each each) {
    if (!entry.value->is_sequence()) return fail_type(entry, "a list of entries");
    for (const NodePtr& item : entry.value->items) {
      if (item->is_mapping()) {
        each(*item);
      } else {
        fail(item->origin, fmt::format("an entry of {} must be a mapping, not {}", entry.key->text, shown(*item)));
      }
    }
  }

  // Keys.
  void read_extends(const Entry& entry);
  void read_primus_root(const Entry& entry);
  void read_hardware(const Entry& entry);
  void read_baseline(const Entry& entry);
  void read_strict(const Entry& entry);
  void read_launch(const Entry& entry);
  void read_severity(const Entry& entry);
  void read_ignore(const Entry& entry);
  void read_calibration(const Entry& entry);
  void launch_entry(const Node& node);
  void ignore_entry(const Node& node);

  static constexpr std::size_t key_count = 9;
  /// What a file may say, in the order of the page.
  static const std::array<Key, key_count>& keys();

  Settings& settings_;
  std::vector<std::string>& faults_;
  const FileReader& files_;
  const Environment& environment_;
  RuleList rules_;
  std::vector<std::string> chain_;  ///< absolute paths of the files that led here, this one last
  std::string folder_;
  std::vector<SeveritySetting> severities_;
};

void Reader::fail_key(const Entry& entry, std::span<const std::string_view> known, std::string_view of_what) {
  const std::string key = entry.key->is_string() ? entry.key->text : to_text(*entry.key);
  const auto nearest = nearest_names(dashed(key), known, 1);
  fail(entry.key_origin, fmt::format("{} has no key {}; {}", of_what, key,
                                     nearest.empty() ? fmt::format("its keys are {}", join(known, ", "))
                                                     : fmt::format("did you mean {}?", nearest.front())));
}

std::optional<std::string> Reader::text(const Entry& entry) {
  if (entry.value->is_string() && !entry.value->text.empty()) return entry.value->text;
  fail_type(entry, "text");
  return std::nullopt;
}

std::optional<std::vector<std::string>> Reader::texts(const Entry& entry) {
  if (entry.value->is_string() && !entry.value->text.empty()) return std::vector{entry.value->text};
  const auto is_text = [](const NodePtr& item) { return item->is_string() && !item->text.empty(); };
  if (!entry.value->is_sequence() || entry.value->items.empty() || !std::ranges::all_of(entry.value->items, is_text)) {
    fail_type(entry, "text or a list of texts");
    return std::nullopt;
  }
  std::vector<std::string> out;
  for (const NodePtr& item : entry.value->items) out.push_back(item->text);
  return out;
}

void Reader::read_extends(const Entry& entry) {
  const auto parents = texts(entry);
  if (!parents) return;
  for (const std::string& parent : *parents) {
    if (settings_.sources.size() >= most_files) {  // each of two parents may name the same two, and so on
      return fail(entry.value->origin, fmt::format("extends leads to more than {} files", most_files));
    }
    const std::string path = resolved(parent);
    const std::string absolute = fs::absolute(path).lexically_normal().string();
    if (std::ranges::find(chain_, absolute) != chain_.end()) {
      fail(entry.value->origin, fmt::format("extends goes in a circle: {} -> {}", join(chain_, " -> "), absolute));
    } else if (!files_.exists(path)) {
      fail(entry.value->origin, fmt::format("extends {}: there is no file {}", parent, path));
    } else {
      std::vector<std::string> chain = chain_;
      chain.push_back(absolute);
      Reader(settings_, faults_, files_, environment_, rules_, std::move(chain)).read(path);
    }
  }
}

void Reader::read_primus_root(const Entry& entry) {
  const auto given = text(entry);
  if (!given || settings_.primus_root) return;
  const std::string root = resolved(*given);
  if (!files_.exists(root + "/primus/configs") && !files_.exists(root + "/configs/modules")) {
    return fail(entry.value->origin, fmt::format("primus-root {}: there is no folder {}/primus/configs", *given, root));
  }
  settings_.primus_root = {root, entry.value->origin};
}

void Reader::read_hardware(const Entry& entry) {
  const auto given = text(entry);
  if (!given || settings_.hardware) return;
  const std::string spec = names_hardware_file(*given) ? resolved(*given) : *given;
  try {
    find_hardware(spec, files_);
  } catch (const HardwareError& error) {
    return fail(entry.value->origin, error.what());
  }
  settings_.hardware = {spec, entry.value->origin};
}

void Reader::read_baseline(const Entry& entry) {
  const auto given = text(entry);
  if (given && !settings_.baseline) settings_.baseline = {resolved(*given), entry.value->origin};
}

void Reader::read_strict(const Entry& entry) {
  if (entry.value->kind != Kind::boolean) return fail_type(entry, "true or false");
  if (!settings_.strict) settings_.strict = {entry.value->boolean, entry.value->origin};
}

void Reader::read_launch(const Entry& entry) {
  entries(entry, [this](const Node& node) { launch_entry(node); });
}

void Reader::launch_entry(const Node& node) {
  static constexpr std::array<std::string_view, 4> known = {"files", "world-size", "nodes", "gpus-per-node"};
  static constexpr std::array<std::optional<std::int64_t> Pragma::*, 4> sizes = {
      nullptr, &Pragma::world_size, &Pragma::nodes, &Pragma::gpus_per_node};
  LaunchSetting launch{{.folder = folder_, .globs = {}}, {}};
  launch.size.origin = node.origin;
  const std::size_t before = faults_.size();
  for (const Entry& entry : node.entries()) {
    const std::string key = entry.key->is_string() ? dashed(entry.key->text) : std::string();
    const auto found = std::ranges::find(known, key);
    if (found == known.end()) {
      fail_key(entry, known, "an entry of launch");
    } else if (*found == "files") {
      if (auto globs = texts(entry)) launch.files.globs = *std::move(globs);
    } else {
      const auto size = parse_launch_size(to_text(*entry.value));
      launch.size.*sizes[static_cast<std::size_t>(found - known.begin())] = size;
      if (!size) fail_type(entry, fmt::format("a whole number from 1 to {}", largest_launch));
    }
  }
  if (faults_.size() != before) return;
  if (!launch.size.world_size && !launch.size.nodes && !launch.size.gpus_per_node) {
    return fail(node.origin, "an entry of launch must have world-size, nodes or gpus-per-node");
  }
  if (const std::string trouble = contradiction(launch.size); !trouble.empty()) return fail(node.origin, trouble);
  settings_.launch.push_back(std::move(launch));
}

void Reader::read_severity(const Entry& entry) {
  if (!entry.value->is_mapping()) return fail_type(entry, "a mapping from rules to off, note, warning or error");
  for (const Entry& line : entry.value->entries()) {
    const std::string rules = line.key->is_string() ? line.key->text : to_text(*line.key);
    check_rule(line.key_origin, rules);
    // In YAML 1.1 a bare off is false.
    const bool off = line.value->kind == Kind::boolean && !line.value->boolean;
    const auto level = off ? Level::off : parse_level(line.value->is_string() ? line.value->text : "");
    if (!level) {
      fail_type(line, "off, note, warning or error");
    } else {
      severities_.push_back({rules, *level, line.key_origin});
    }
  }
}

void Reader::read_ignore(const Entry& entry) {
  entries(entry, [this](const Node& node) { ignore_entry(node); });
}

void Reader::ignore_entry(const Node& node) {
  static constexpr std::array<std::string_view, 3> known = {"files", "rules", "reason"};
  IgnoreSetting ignore{{.folder = folder_, .globs = {}}, {}, {}, node.origin};
  const std::size_t before = faults_.size();
  for (const Entry& entry : node.entries()) {
    const std::string key = entry.key->is_string() ? entry.key->text : std::string();
    if (key == "files") {
      if (auto globs = texts(entry)) ignore.files.globs = *std::move(globs);
    } else if (key == "rules") {
      if (auto rules = texts(entry)) ignore.rules = *std::move(rules);
      for (const std::string& rule : ignore.rules) check_rule(entry.value->origin, rule);
    } else if (key == "reason") {
      if (auto reason = text(entry)) ignore.reason = *std::move(reason);
    } else {
      fail_key(entry, known, "an entry of ignore");
    }
  }
  if (faults_.size() != before) return;
  if (ignore.rules.empty()) return fail(node.origin, "an entry of ignore must name its rules");
  if (ignore.reason.empty()) {
    return fail(node.origin, fmt::format("ignoring {} needs a reason: say why", join(ignore.rules, ", ")));
  }
  settings_.ignores.push_back(std::move(ignore));
}

void Reader::read_calibration(const Entry& entry) {
  StoredCalibration calibration =
      primus_plan::read_calibration(entry, entry.key_origin.source->path(),
                                    [this](const Origin& where, const std::string& text) { fail(where, text); });
  if (!calibration.hardware.empty()) {
    const bool is_file = names_hardware_file(calibration.hardware);
    try {
      calibration.hardware =
          find_hardware(is_file ? resolved(calibration.hardware) : calibration.hardware, files_).name;
    } catch (const HardwareError& error) {
      // What `estimate --measured` wrote (with the run) may be of a part from a file that only a flag names.
      if (calibration.run.empty()) fail(entry.key_origin, fmt::format("hardware of calibration: {}", error.what()));
    }
  }
  if (!settings_.calibration) settings_.calibration = {std::move(calibration), entry.key_origin};
}

const std::array<Key, Reader::key_count>& Reader::keys() {
  static constexpr std::array<Key, key_count> all = {{
      {"extends", [](Reader& r, const Entry& e) { r.read_extends(e); }},
      {"primus-root", [](Reader& r, const Entry& e) { r.read_primus_root(e); }},
      {"hardware", [](Reader& r, const Entry& e) { r.read_hardware(e); }},
      {"launch", [](Reader& r, const Entry& e) { r.read_launch(e); }},
      {"severity", [](Reader& r, const Entry& e) { r.read_severity(e); }},
      {"ignore", [](Reader& r, const Entry& e) { r.read_ignore(e); }},
      {"baseline", [](Reader& r, const Entry& e) { r.read_baseline(e); }},
      {"strict", [](Reader& r, const Entry& e) { r.read_strict(e); }},
      {"calibration", [](Reader& r, const Entry& e) { r.read_calibration(e); }},
  }};
  return all;
}

void Reader::read(const std::string& path) {
  ReadFailure failure;
  std::optional<std::string> bytes = files_.read(path, failure);
  if (!bytes) {
    faults_.push_back(fmt::format("cannot read {}: {}", path, failure.reason));
    return;
  }
  folder_ = fs::absolute(path).lexically_normal().parent_path().string();
  const auto source = std::make_shared<const Source>(path, *std::move(bytes));
  settings_.sources.push_back(source);
  NodePtr root;
  try {
    Remarks remarks;
    root = substitute_environment(parse_yaml(*source, Layer::experiment, {}, remarks), environment_);
    for (const Finding& remark : remarks) fail(remark.primary.origin, remark.message);
  } catch (const LoadError& error) {
    return fail(error.finding().primary.origin, error.finding().message);
  }
  if (root->is_null()) return;
  if (!root->is_mapping())
    return fail(root->origin, fmt::format("settings must be a mapping, not {}", to_string(root->kind)));
  std::array<std::string_view, key_count> known;
  std::ranges::transform(keys(), known.begin(), &Key::name);
  const Entry* extends = nullptr;
  for (const Entry& entry : root->entries()) {
    const auto found = std::ranges::find(keys(), entry.key->is_string() ? dashed(entry.key->text) : "", &Key::name);
    if (found == keys().end()) {
      fail_key(entry, known, "a file of settings");
    } else if (found->name == "extends") {
      extends = &entry;  // weaker than everything else here
    } else {
      found->read(*this, entry);
    }
  }
  if (extends != nullptr) read_extends(*extends);
  settings_.severities.insert(settings_.severities.end(), severities_.begin(), severities_.end());
}

}  // namespace

Settings read_settings(const std::string& path, const FileReader& files, const Environment& environment,
                       RuleList rules) {
  Settings settings;
  std::vector<std::string> faults;
  const std::string absolute = fs::absolute(path).lexically_normal().string();
  Reader(settings, faults, files, environment, rules, {absolute}).read(path);
  if (!faults.empty()) throw SettingsError(std::move(faults));
  settings.path = path;
  settings.folder = fs::path(absolute).parent_path().string();
  return settings;
}

}  // namespace primus_plan
