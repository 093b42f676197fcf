#pragma once

#include <map>
#include <string>
#include <string_view>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// What tells a finding from others from one run to the next: 16 hexadecimal digits of the 64-bit FNV-1a hash of its
/// rule's id, the experiment's path, the module's name and the message with its numbers. Lines and columns are left
/// out, so that it survives edits elsewhere in the file. `path` must be relative to something that stays (the
/// repository, the baseline's folder); a leading "./" does not count. `module` is empty for findings of loading.
std::string fingerprint(const Finding& finding, std::string_view path, std::string_view module);

/// Fingerprints of one file's findings, in order, each given once: the second of two that are alike ends in "-2".
class UniqueFingerprints {
 public:
  explicit UniqueFingerprints(std::string path) : path_(std::move(path)) {}
  std::string next(const Finding& finding, std::string_view module);

 private:
  std::string path_;
  std::map<std::string, int> seen_;
};

}  // namespace primus_plan
