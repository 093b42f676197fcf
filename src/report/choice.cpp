#include "primus_plan/report/choice.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "report/fingerprint.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

std::string relative_to(const std::string& folder, const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::absolute(path, error).lexically_normal().lexically_relative(folder);
  return error || relative.empty() ? path : relative.generic_string();
}

/// The fingerprints of a file's findings, asked for in the order of the report: alike ones are counted. Documents of
/// one file are files of their own here.
class Fingerprints {
 public:
  explicit Fingerprints(std::string folder) : folder_(std::move(folder)) {}

  std::string next(const Finding& finding, const std::string& path, std::string_view module) {
    return of_path(path).next(finding, module);
  }

 private:
  UniqueFingerprints& of_path(const std::string& path) {
    const auto found = by_path_.find(path);
    if (found != by_path_.end()) return found->second;
    return by_path_.try_emplace(path, relative_to(folder_, path)).first->second;
  }

  std::string folder_;
  std::map<std::string, UniqueFingerprints> by_path_;
};

class Chooser {
 public:
  explicit Chooser(const Choice& choice)
      : choice_(choice), fingerprints_(choice.baseline != nullptr ? choice.baseline->folder() : std::string()) {}

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
  Chooser chooser(choice);
  const bool loaded = file.load_errors.empty();
  chooser.apply(file.load_errors, file.path, "");
  for (Analysis& module : file.modules) chooser.apply(module);
  if (!loaded && file.load_errors.empty() && file.modules.empty()) file.modules.push_back(not_loaded(file.path));
}

void apply_choice(std::vector<Analysis>& modules, const Choice& choice) {
  if (says_nothing(choice)) return;
  Chooser chooser(choice);
  for (Analysis& module : modules) chooser.apply(module);
}

std::vector<BaselineEntry> baseline_entries(const FileReport& file, const std::string& folder) {
  std::vector<BaselineEntry> out;
  Fingerprints fingerprints(folder);
  const auto add = [&](const std::vector<Finding>& findings, const std::string& path, const std::string& module) {
    for (const Finding& finding : findings) {
      out.push_back({.fingerprint = fingerprints.next(finding, path, module),
                     .rule = std::string(finding.rule->id),
                     .path = relative_to(folder, path),
                     .module = module,
                     .message = finding.message});
    }
  };
  add(file.load_errors, file.path, "");
  for (const Analysis& module : file.modules) add(module.findings, module.path, module.module);
  return out;
}

}  // namespace primus_plan
