#include "primus_plan/support/glob.h"

#include <cstddef>

namespace primus_plan {
namespace {

/// Whether the set that starts after `[` at `at` holds the letter; moves past its `]`. False and unmoved when the set
/// is never closed: the bracket is then a letter like any other.
bool match_set(std::string_view pattern, std::size_t& at, char letter, bool& closed) {
  std::size_t i = at;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false, ++i) {
    const bool range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
    const char last = range ? pattern[i + 2] : pattern[i];
    found = found || (pattern[i] <= letter && letter <= last);
    if (range) i += 2;
  }
  closed = i < pattern.size();
  if (closed) at = i + 1;
  return closed && found != negated && letter != '/';
}

/// One letter of the path against what stands at `at`; moves past it.
bool match_letter(std::string_view pattern, std::size_t& at, char letter) {
  const char wanted = pattern[at++];
  if (wanted == '?') return letter != '/';
  if (wanted == '[') {
    bool closed = false;
    const bool in_set = match_set(pattern, at, letter, closed);
    if (closed) return in_set;
  }
  return wanted == letter;
}

/// The whole path against the whole pattern. A star is tried as short as can be and grows; only the last star seen of
/// each kind need be taken up again, so the time stays within (letters x letters).
bool match_all(std::string_view pattern, std::string_view path) {
  struct Retry {
    std::size_t pattern = std::string_view::npos;
    std::size_t path = 0;
  };
  Retry star;
  Retry double_star;
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < path.size() || p < pattern.size()) {
    if (pattern.substr(p).starts_with("**")) {
      p += 2;
      // "**/" may stand for no folder at all.
      if (p < pattern.size() && pattern[p] == '/') ++p;
      double_star = {p, t};
      star = {};
      continue;
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star = {++p, t};
      continue;
    }
    std::size_t next = p;
    if (p < pattern.size() && t < path.size() && match_letter(pattern, next, path[t])) {
      p = next;
      ++t;
      continue;
    }
    if (star.pattern != std::string_view::npos && star.path < path.size() && path[star.path] != '/') {
      t = ++star.path;
      p = star.pattern;
      continue;
    }
    if (double_star.pattern == std::string_view::npos || double_star.path >= path.size()) return false;
    // What follows "**/" starts at a name.
    const bool at_names = double_star.pattern > 0 && pattern[double_star.pattern - 1] == '/';
    ++double_star.path;
    while (at_names && double_star.path < path.size() && path[double_star.path - 1] != '/') ++double_star.path;
    t = double_star.path;
    p = double_star.pattern;
    star = {};
  }
  return true;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.remove_suffix(1);
  const bool anchored = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return false;
  // The path itself, then each folder above it.
  for (std::size_t end = path.size(); end != std::string_view::npos && end > 0; end = path.rfind('/', end - 1)) {
    const std::string_view part = path.substr(0, end);
    if (match_all(pattern, anchored ? part : part.substr(part.rfind('/') + 1))) return true;
  }
  return false;
}

}  // namespace primus_plan
