#include "primus_plan/config/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "config/document_rules.h"
#include "config/make_finding.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

/// Files that one document may take in through `extends`, each counted as often as it is named.
constexpr std::size_t most_files = 1000;

[[noreturn]] void fail(const RuleInfo& rule, const Origin& where, std::string message,
                       std::vector<Label> related = {}) {
  throw LoadError(make_finding(rule, where, std::move(message), std::move(related)));
}

/// os.path.join(os.path.dirname(path), name).
std::string beside(const std::string& path, const std::string& name) {
  if (name.starts_with('/')) return name;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

fs::path normal(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal();
}

/// The tree that a preset belongs to: what holds primus/configs, or configs where that is in no such folder; the
/// preset's own folder for other files.
fs::path tree_of(const std::string& preset) {
  const std::string path = normal(preset).generic_string();
  const std::size_t configs = path.rfind("/configs/");
  if (configs == std::string::npos) return fs::path(path).parent_path();
  const fs::path folder = path.substr(0, configs);
  return folder.filename() == "primus" ? folder.parent_path() : folder;
}

/// The path without links; the path itself where that cannot be told.
fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path plain = fs::weakly_canonical(path, error);
  return error ? path : plain;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Whether links lead from a file in the tree of a preset out of it. The tree, and its configs (then a folder that
/// holds presets), may themselves be links to anywhere; so may each file, when the same one of another tree is behind
/// it, as tools make trees that are nothing but links.
bool is_led_out(const std::string& path, const fs::path& tree) {
  const fs::path lexical = normal(path);
  const fs::path target = without_links(lexical);
  if (target == lexical || is_below(target, without_links(tree))) return false;
  constexpr std::string_view configs = "/configs/";
  const std::string letters = lexical.generic_string();
  const std::size_t at = letters.rfind(configs);
  if (at == std::string::npos) return true;
  if (target.generic_string().ends_with(std::string_view(letters).substr(at))) return false;
  const fs::path presets = without_links(letters.substr(0, at + configs.size() - 1));
  std::error_code error;
  return !is_below(target, presets) || !fs::is_directory(presets / "modules", error);
}

/// A file on the way from the first one to the one being read, with the place that names it.
struct Link {
  std::string path;
  Origin named_at;
};

class DocumentLoader {
 public:
  DocumentLoader(Layer layer, const FileReader& files, const Environment& environment, const Limits& limits,
                 Document& document)
      : layer_(layer), files_(files), environment_(environment), limits_(limits), document_(document) {}

  NodePtr load(const std::string& path, const Origin& named_at) {
    check_place(path, named_at);
    check_chain(path, named_at);
    chain_.push_back({path, named_at});
    NodePtr root = substitute_environment(parse(path, named_at), environment_);
    root = apply_extends(path, root);
    chain_.pop_back();
    return root;
  }

 private:
  std::string chain_text(const std::string& last) const {
    std::string text;
    for (const Link& link : chain_) text += link.path + " -> ";
    return text + last;
  }

  /// Presets come with somebody else's tree: they and what they extend must lie in that tree. An experiment may name
  /// any file.
  void check_place(const std::string& path, const Origin& named_at) {
    if (!is_preset(layer_)) return;
    const fs::path tree = tree_of(chain_.empty() ? path : chain_.front().path);
    const bool is_inside = is_below(normal(path), tree);
    if (is_inside && !is_led_out(path, tree)) return;
    fail(loading::limit_exceeded, named_at ? named_at : start_of(path),
         is_inside
             ? fmt::format("the file '{}' is not read: it is a link to {}, and this reader follows links of presets "
                           "within their own tree alone",
                           path, without_links(normal(path)).string())
             : fmt::format("the file '{}' is not read: of presets, this reader follows extends within their own "
                           "tree alone",
                           path));
  }

  /// The beginning of a file that is not read, for findings about it.
  Origin start_of(const std::string& path) {
    const auto nothing = std::make_shared<const Source>(path, "");
    document_.sources.push_back(nothing);
    return {nothing.get(), 1, 1, 0, layer_};
  }

  void check_chain(const std::string& path, const Origin& named_at) {
    const fs::path plain = fs::path(path).lexically_normal();  // ./a.yaml is a.yaml
    const auto same = std::find_if(chain_.begin(), chain_.end(),
                                   [&](const Link& link) { return fs::path(link.path).lexically_normal() == plain; });
    if (same != chain_.end()) {
      fail(loading::extends_cycle, named_at, fmt::format("'extends' goes in a circle: {}", chain_text(path)));
    }
    if (chain_.size() >= limits_.extends_depth) {
      fail(loading::limit_exceeded, named_at,
           fmt::format("more than {} files extend one another, the limit of this reader", limits_.extends_depth));
    }
    if (++files_named_ > most_files) {
      fail(loading::limit_exceeded, named_at,
           fmt::format("'extends' takes in more than {} files, the limit of this reader", most_files));
    }
  }

  std::shared_ptr<const Source> read(const std::string& path, const Origin& named_at) {
    ReadFailure failure;
    auto text = files_.read(path, failure);
    if (text) {
      document_.sources.push_back(std::make_shared<const Source>(path, std::move(*text)));
      return document_.sources.back();
    }
    if (chain_.size() > 1 && failure.missing) {
      fail(loading::extends_missing, named_at,
           fmt::format("the file '{}' that is extended here does not exist ({})", path, chain_text("missing")));
    }
    fail(loading::rule_of(failure), named_at ? named_at : start_of(path),
         fmt::format("the file '{}' cannot be read: {}", path, failure.reason));
  }

  NodePtr parse(const std::string& path, const Origin& named_at) {
    const auto known = parsed_.find(path);
    if (known != parsed_.end()) return known->second;
    const auto source = read(path, named_at);
    NodePtr root = parse_yaml(*source, layer_, limits_, document_.remarks);
    if (root->is_null()) {
      fail(loading::empty_document, root->origin, fmt::format("the file '{}' is empty: it has no keys", path));
    }
    parsed_.emplace(path, root);
    return root;
  }

  /// Python's `"extends" in root` for roots that are no mapping: a text or a list without that word passes.
  void check_root(const Node& root) const {
    const auto is_extends = [](const NodePtr& item) { return item->is_string() && item->text == "extends"; };
    const bool text_passes = root.is_string() && root.text.find("extends") == std::string::npos;
    const bool list_passes = (root.is_sequence() || root.kind == Kind::set) &&
                             std::none_of(root.items.begin(), root.items.end(), is_extends);
    if (!text_passes && !list_passes) fail_root(root, "");
  }

  [[noreturn]] static void fail_root(const Node& root, std::string_view role) {
    fail(loading::root_not_a_mapping, root.origin,
         fmt::format("the top level of {} must be a mapping of keys to values, but it is {}",
                     role.empty() ? "the file" : role, to_string(root.kind)));
  }

  NodePtr apply_extends(const std::string& path, const NodePtr& root) {
    if (!root->is_mapping()) {
      check_root(*root);
      return root;
    }
    const Entry* extends = root->find("extends");
    if (extends == nullptr) return root;
    NodePtr merged;
    for (const NodePtr& name : names(*extends->value)) {
      if (!name->is_string()) {
        fail(loading::bad_extends, name->origin,
             fmt::format("'extends' takes file names, but this is {}", to_string(name->kind)));
      }
      const NodePtr parent = load(beside(path, name->text), name->origin);
      if (!parent->is_mapping()) fail_root(*parent, "an extended file");
      merged = merged == nullptr ? parent : deep_merge(merged, parent);
    }
    const NodePtr own = without_extends(*root, *extends);
    return merged == nullptr ? own : deep_merge(merged, own);
  }

  static std::vector<NodePtr> names(const Node& value) {
    std::vector<NodePtr> result;
    switch (value.kind) {
      case Kind::string:
        result.push_back(std::make_shared<const Node>(value));
        break;
      case Kind::sequence:
      case Kind::set:
        result = value.items;
        break;
      case Kind::mapping:
        for (const Entry& entry : value.entries()) result.push_back(entry.key);
        break;
      default:
        fail(loading::bad_extends, value.origin,
             fmt::format("'extends' takes a file name or a list of file names, but this is {}", to_string(value.kind)));
    }
    return result;
  }

  static NodePtr without_extends(const Node& root, const Entry& extends) {
    std::vector<Entry> entries;
    for (const Entry& entry : root.entries()) {
      if (&entry != &extends) entries.push_back(entry);
    }
    auto result = std::make_shared<Node>(root);
    result->set_entries(std::move(entries));
    return result;
  }

  Layer layer_;
  const FileReader& files_;
  const Environment& environment_;
  const Limits& limits_;
  Document& document_;
  std::vector<Link> chain_;
  std::size_t files_named_ = 0;
  std::map<std::string, NodePtr> parsed_;
};

}  // namespace

Document load_document(const std::string& path, Layer layer, const FileReader& files, const Environment& environment,
                       const Limits& limits) {
  Document document;
  try {
    document.root = DocumentLoader(layer, files, environment, limits, document).load(path, {});
  } catch (const LoadError& error) {
    throw LoadError(error.finding(), document.sources);  // the finding points into them
  }
  return document;
}

}  // namespace primus_plan
