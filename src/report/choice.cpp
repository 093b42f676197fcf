#include "primus_plan/report/choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/fingerprint.h"

namespace primus_plan {
namespace {

/// The fingerprints of a file's findings, asked for in the order of the report: alike ones are counted. Documents of
/// one file, which are called file#2 and so on, are files of their own here.
class Fingerprints {
 public:
  /// `relative` is what `path` is called in baselines.
  Fingerprints(std::string path, std::string relative) : path_(std::move(path)), relative_(std::move(relative)) {}

  std::string name_of(const std::string& path) const {
    return path.starts_with(path_) ? relative_ + path.substr(path_.size()) : path;
  }

  std::string next(const Finding& finding, const std::string& path, std::string_view module) {
    const auto found = by_path_.find(path);
    if (found != by_path_.end()) return found->second.next(finding, module);
    return by_path_.try_emplace(path, name_of(path)).first->second.next(finding, module);
  }

 private:
  std::string path_;
  std::string relative_;
  std::map<std::string, UniqueFingerprints> by_path_;
};

class Chooser {
 public:
  Chooser(const Choice& choice, const std::string& path) : choice_(choice), fingerprints_(path, choice.path) {}

  void apply(std::vector<Finding>& findings, const std::string& path, std::string_view module) {
    std::erase_if(findings, [&](Finding& finding) {
      return !set_level(finding) || choice_.ignored.contains(finding.rule->id) || is_known(finding, path, module);
    });
  }

  void apply(Analysis& module) {
    apply(module.findings, module.path, module.module);
    recount(module);
  }

 private:
  /// False for a rule that is off.
  bool set_level(Finding& finding) const {
    if (choice_.levels == nullptr) return true;
    const auto found = choice_.levels->find(finding.rule->id);
    if (found == choice_.levels->end()) return true;
    switch (found->second) {
      case Level::off:
        return false;
      case Level::note:
        finding.severity = Severity::note;
        break;
      case Level::warning:
        finding.severity = Severity::warning;
        break;
      case Level::error:
        finding.severity = Severity::error;
        break;
    }
    return true;
  }

  bool is_known(const Finding& finding, const std::string& path, std::string_view module) {
    if (choice_.baseline == nullptr) return false;
    return choice_.baseline->contains(fingerprints_.next(finding, path, module));
  }

  const Choice& choice_;
  Fingerprints fingerprints_;
};

/// What stands for a file that could not be loaded when the reason is not to be told.
Analysis not_loaded(const std::string& path) {
  Analysis out;
  out.path = path;
  out.is_judged = false;
  out.verdict = Verdict::not_checked;
  out.run.degrees = {.tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0};
  out.notes.emplace_back("could not be loaded, and what stopped it is ignored: not checked");
  return out;
}

bool says_nothing(const Choice& choice) {
  return choice.levels == nullptr && choice.ignored.empty() && choice.baseline == nullptr;
}

}  // namespace

void apply_choice(FileReport& file, const Choice& choice) {
  if (says_nothing(choice)) return;
  Chooser chooser(choice, file.path);
  const bool loaded = file.load_errors.empty();
  chooser.apply(file.load_errors, file.path, "");
  for (Analysis& module : file.modules) chooser.apply(module);
  if (!loaded && file.load_errors.empty() && file.modules.empty()) file.modules.push_back(not_loaded(file.path));
}

void apply_choice(std::vector<Analysis>& modules, const Choice& choice) {
  if (says_nothing(choice) || modules.empty()) return;
  Chooser chooser(choice, modules.front().path);
  for (Analysis& module : modules) chooser.apply(module);
}

std::vector<BaselineEntry> baseline_entries(const FileReport& file, const std::string& relative_path) {
  std::vector<BaselineEntry> out;
  Fingerprints fingerprints(file.path, relative_path);
  const auto add = [&](const std::vector<Finding>& findings, const std::string& path, const std::string& module) {
    for (const Finding& finding : findings) {
      out.push_back({.fingerprint = fingerprints.next(finding, path, module),
                     .rule = std::string(finding.rule->id),
                     .path = fingerprints.name_of(path),
                     .module = module,
                     .message = finding.message});
    }
  };
  add(file.load_errors, file.path, "");
  for (const Analysis& module : file.modules) add(module.findings, module.path, module.module);
  return out;
}

}  // namespace primus_plan
