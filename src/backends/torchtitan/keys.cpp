#include <algorithm>
#include <array>

#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/parsed.h"
#include "primus_plan/support/text.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* attribute_error = "TorchTitan stops where it first reads the section (AttributeError)";

struct Section {
  std::string_view name;
  const char* outcome;  ///< of a section that is no mapping; null = nobody reads it
};

/// JobConfig's sections and Primus's own. memory_estimation is never acted on; quantize and primus_turbo are read by
/// their converters alone.
constexpr Section sections[] = {{"job", attribute_error},
                                {"profiling", attribute_error},
                                {"metrics", attribute_error},
                                {"model", attribute_error},
                                {"optimizer", attribute_error},
                                {"lr_scheduler", attribute_error},
                                {"training", attribute_error},
                                {"parallelism", attribute_error},
                                {"checkpoint", attribute_error},
                                {"compile", attribute_error},
                                {"activation_checkpoint", attribute_error},
                                {"comm", attribute_error},
                                {"experimental", attribute_error},
                                {"validation", attribute_error},
                                {"debug", attribute_error},
                                {"fault_tolerance", attribute_error},
                                {"quantize", "a quantize.* converter would stop (AttributeError)"},
                                {"primus_turbo", "the primus_turbo converter would stop (AttributeError)"},
                                {"memory_estimation", nullptr}};

/// Keys of every Primus module, which Primus itself reads.
constexpr std::string_view primus_keys[] = {"trainable", "sink_level", "file_sink_level", "stderr_sink_level"};

template <class Range>
bool contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

class KeyWalk {
 public:
  KeyWalk(const Model* model, KeyFaults& out) : model_(model), out_(out) {}

  void walk_top(const Node& params) {
    for (const Entry& entry : params.entries()) {
      if (!entry.key->is_string()) continue;
      const std::string& key = entry.key->text;
      const auto section = std::find_if(std::begin(sections), std::end(sections),
                                        [&](const Section& known) { return known.name == key; });
      if (section == std::end(sections)) {
        if (!contains(primus_keys, key)) stray(key, entry);
      } else if (!entry.value->is_mapping()) {
        out_.sections.push_back({section->name, &entry, section->outcome});
      } else {
        walk_section(*entry.value, key);
      }
    }
  }

 private:
  enum class Known : std::uint8_t { no, leaf, section };

  static Known known(std::string_view path) {
    for (const Field<TorchTitanConfig>& field : fields()) {
      const std::string_view name = field.name;
      if (!name.starts_with(path)) continue;
      if (name.size() == path.size()) return Known::leaf;
      if (name[path.size()] == '.') return Known::section;
    }
    return Known::no;
  }

  void walk_section(const Node& mapping, const std::string& path) {
    for (const Entry& entry : mapping.entries()) {
      if (!entry.key->is_string()) continue;
      const std::string below = path + "." + entry.key->text;
      const Known what = known(below);
      if (below == "model.moe_args") walk_moe(*entry.value);
      if (path == "model" && is_argument(entry.key->text)) continue;
      if (what == Known::no || (what == Known::leaf && path == "model" && is_override(below))) {
        stray(below, entry);
      } else if (what == Known::section && entry.value->is_mapping()) {
        walk_section(*entry.value, below);
      }
    }
  }

  /// Overrides stand in the field table for every model, but not every model has them.
  bool is_override(std::string_view path) const {
    constexpr std::string_view standard[] = {"model.name",           "model.flavor",
                                             "model.hf_assets_path", "model.tokenizer_path",
                                             "model.converters",     "model.print_after_conversion"};
    return model_ != nullptr && !contains(standard, path);
  }
  bool is_argument(std::string_view key) const { return model_ != nullptr && contains(model_->fields, key); }

  void walk_moe(const Node& arguments) {
    for (const Entry& entry : arguments.entries()) {
      if (!entry.key->is_string() || contains(moe_fields(), entry.key->text)) continue;
      const auto near = nearest_names(entry.key->text, moe_fields(), 1);
      out_.moe.push_back(
          {"model.moe_args." + entry.key->text, entry.key_origin, near.empty() ? std::string_view{} : near.front()});
    }
  }

  void stray(const std::string& path, const Entry& entry) {
    if (path.starts_with("model.")) {
      if (model_ == nullptr) return;  // no class to compare with: the unknown name is the finding
      const auto near = nearest_names(entry.key->text, model_->fields, 1);
      out_.model.push_back({path, entry.key_origin, near.empty() ? std::string_view{} : near.front()});
      return;
    }
    const bool dotted = entry.key->text.find('.') != std::string::npos;
    auto& list = path.starts_with("experimental.") ? out_.experimental : (dotted ? out_.dotted : out_.unknown);
    list.push_back({path, entry.key_origin, {}});
  }

  const Model* model_;
  KeyFaults& out_;
};

}  // namespace

KeyFaults find_key_faults(const Node& params, const Model* model) {
  KeyFaults out;
  KeyWalk(model, out).walk_top(params);
  return out;
}

}  // namespace primus_plan::torchtitan
