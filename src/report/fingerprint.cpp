#include "report/fingerprint.h"

#include <fmt/core.h>

#include <cstdint>

namespace primus_plan {

namespace {

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
class Hash {
 public:
  /// Each part ends with a byte that no text holds, so that moving a letter from one part to the next tells.
  void add(std::string_view part) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(static_cast<unsigned char>(0xFF));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3U;
  }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace

std::string fingerprint(const Finding& finding, std::string_view path, std::string_view module) {
  while (path.starts_with("./")) path.remove_prefix(2);
  Hash hash;
  for (const std::string_view part : {finding.rule->id, path, module, std::string_view(finding.message)})
    hash.add(part);
  return fmt::format("{:016x}", hash.value());
}

std::string UniqueFingerprints::next(const Finding& finding, std::string_view module) {
  std::string print = fingerprint(finding, path_, module);
  const int count = ++seen_[print];
  return count == 1 ? print : fmt::format("{}-{}", print, count);
}

}  // namespace primus_plan
