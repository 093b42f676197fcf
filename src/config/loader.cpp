#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "config/document_rules.h"
#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/key_remarks.h"
#include "config/loading.h"
#include "config/pragma.h"

namespace primus_plan {
namespace {

/// The text of one path, and the files of another reader for all the rest.
class OneText final : public FileReader {
 public:
  OneText(const std::string& path, const std::string& text, const FileReader& files)
      : path_(path), text_(text), files_(files) {}

  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override {
    if (path == path_) return text_;
    return files_.read(path, failure);
  }
  bool exists(const std::string& path) const override { return path == path_ || files_.exists(path); }
  std::vector<std::string> list(const std::string& folder) const override { return files_.list(folder); }

 private:
  const std::string& path_;
  const std::string& text_;
  const FileReader& files_;
};

/// One document of a file, and the lines that its comments can be on.
struct Part {
  std::string path;
  NodePtr root;
  std::uint32_t first_line = 1;
  std::uint32_t last_line = std::numeric_limits<std::uint32_t>::max();
};

/// A file as documents: one, or several when none of them is an experiment.
struct Parts {
  std::vector<Part> parts;
  std::shared_ptr<const Source> text;
  LoadError::Sources sources;
  Remarks remarks;
};

/// Snippets that one file may hold.
constexpr std::size_t most_documents = 1000;

/// The line of the `---` that a document starts with.
std::uint32_t marker_line(const Source& source, const Node& root) {
  std::uint32_t line = root.origin.line;
  while (line > 1 && !source.line(line).starts_with("---")) --line;
  return line;
}

Parts split_documents(const std::string& path, const std::string& text, const Limits& limits,
                      const Environment& environment, const LoadError& refusal) {
  Parts result;
  result.text = std::make_shared<const Source>(path, text);
  result.sources = {result.text};
  std::vector<NodePtr> roots = parse_yaml_documents(*result.text, Layer::experiment, limits, result.remarks);
  std::erase_if(roots, [](const NodePtr& root) { return root->is_null(); });
  if (roots.size() > most_documents) {
    throw LoadError(fault(loading::limit_exceeded, roots[most_documents]->origin,
                          fmt::format("the file has {} documents, more than {}, the limit of this reader", roots.size(),
                                      most_documents)),
                    result.sources);
  }
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (!roots[i]->is_mapping() || looks_like_experiment(*roots[i])) throw refusal;
    Part part{.path = i == 0 ? path : fmt::format("{}#{}", path, i + 1),
              .root = substitute_environment(roots[i], environment)};
    if (i > 0) part.first_line = result.parts.back().last_line + 1;
    if (i + 1 < roots.size()) part.last_line = marker_line(*result.text, *roots[i + 1]) - 1;
    result.parts.push_back(std::move(part));
  }
  if (result.parts.empty()) throw refusal;
  return result;
}

Parts read_parts(const std::string& path, const std::string& text, const FileReader& files, const Limits& limits,
                 const Environment& environment) {
  try {
    Document document = load_document(path, Layer::experiment, OneText(path, text, files), environment, limits);
    const auto own = std::ranges::find(document.sources, path, [](const auto& source) { return source->path(); });
    Parts result{.parts = {{.path = path, .root = document.root}},
                 .text = own != document.sources.end() ? *own : std::make_shared<const Source>(path, text),
                 .sources = std::move(document.sources),
                 .remarks = std::move(document.remarks)};
    result.sources.push_back(result.text);
    return result;
  } catch (const LoadError& error) {
    if (error.finding().rule != &loading::several_documents) throw;
    return split_documents(path, text, limits, environment, error);
  }
}

/// Keys that name a file which the framework opens at start-up, in their dotted form. Looked for here, since only
/// loading may touch the disk.
constexpr std::array<std::string_view, 1> file_keys{"parallelism.pipeline_parallel_schedule_csv"};

void find_missing_files(Module& module, const FileReader& files) {
  if (module.params == nullptr) return;
  for (const std::string_view key : file_keys) {
    const Node* value = module.params->at_path(key);
    const bool names_one = value != nullptr && value->is_string() && !value->text.empty();
    if (names_one && !files.exists(value->text)) module.missing_files.emplace_back(key);
  }
}

}  // namespace

struct Loader::Cache {
  Cache(const FileReader& reader, Environment variables, Limits bounds)
      : files(reader), environment(std::move(variables)), limits(bounds), presets(files, environment, limits) {}

  Experiment build(const Parts& parts, const Part& part, Loading& loading, const ExperimentOptions& options) const {
    Experiment experiment;
    experiment.path = part.path;
    experiment.presets = loading.root.label;
    experiment.pragma = find_pragma(*parts.text, part.first_line, part.last_line, loading.remarks);
    experiment.ignores = find_ignores(*parts.text, part.first_line, part.last_line);
    if (!part.root->is_mapping()) {
      loading.fail(root_fault(*part.root));
    } else if (looks_like_experiment(*part.root)) {
      build_experiment(loading, part.root, experiment);
    } else {
      build_snippet(loading, part.root, options.backend, experiment);
    }
    if (loading.errors.empty()) apply_command_line(loading, options, experiment);
    for (Module& module : experiment.modules) find_missing_files(module, files);
    if (loading.errors.empty()) remark_on_keys(loading, *part.root, experiment);
    return experiment;
  }

  void load(const std::string& path, const std::string& text, const ExperimentOptions& options, LoadResult& result) {
    const PresetRoot root = find_preset_root(options.primus_root, path, environment, files);
    Parts parts = read_parts(path, text, files, limits, environment);
    result.sources = parts.sources;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      Loading loading{.presets = presets, .files = files, .limits = limits, .root = root};
      if (i == 0) loading.remarks = std::move(parts.remarks);
      Experiment experiment = build(parts, parts.parts[i], loading, options);
      result.sources.insert(result.sources.end(), loading.sources.begin(), loading.sources.end());
      if (!loading.errors.empty()) {
        std::ranges::move(loading.refusals, std::back_inserter(result.errors));
        std::ranges::move(loading.errors, std::back_inserter(result.errors));
        continue;
      }
      experiment.refusals = std::move(loading.refusals);
      experiment.remarks = std::move(loading.remarks);
      experiment.sources = std::move(loading.sources);
      experiment.sources.insert(experiment.sources.end(), parts.sources.begin(), parts.sources.end());
      result.experiments.push_back(std::move(experiment));
    }
    if (!result.errors.empty()) result.experiments.clear();
  }

  FilesWithPresets files;
  Environment environment;
  Limits limits;
  PresetCache presets;
};

Loader::Loader(const FileReader& files, Environment environment, Limits limits)
    : cache_(std::make_unique<Cache>(files, std::move(environment), limits)) {}

Loader::~Loader() = default;

LoadResult Loader::load_text(const std::string& path, const std::string& text, const ExperimentOptions& options) const {
  LoadResult result;
  try {
    cache_->load(path, text, options, result);
  } catch (const LoadError& error) {
    result.errors.push_back(error.finding());
    result.sources.insert(result.sources.end(), error.sources().begin(), error.sources().end());
  }
  return result;
}

LoadResult Loader::load(const std::string& path, const ExperimentOptions& options) const {
  ReadFailure failure;
  auto text = cache_->files.read(path, failure);
  if (text) return load_text(path, *std::move(text), options);
  LoadResult result;
  result.errors.push_back(
      fault(loading::rule_of(failure), {}, fmt::format("cannot read {}: {}", path, failure.reason)));
  return result;
}

const Environment& Loader::environment() const { return cache_->environment; }
const FileReader& Loader::files() const { return cache_->files; }

}  // namespace primus_plan
