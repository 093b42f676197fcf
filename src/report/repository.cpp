#include "report/repository.h"

#include <fmt/core.h>

#include "primus_plan/config/path_from.h"
#include "primus_plan/config/presets.h"
#include "report/finding_text.h"

namespace primus_plan {

namespace {

/// "<built-in>/…" and "<stdin>" are names, not paths.
bool is_name(const std::string& path) { return path.starts_with('<'); }

}  // namespace

std::string Repository::path(const std::string& given) const {
  return root_.empty() || is_name(given) ? given : path_from(root_, folder_, given);
}

bool Repository::holds(const std::string& given) const {
  if (is_built_in(given)) return false;
  return root_.empty() || !path(given).starts_with('/');
}

Place Repository::place(const Origin& origin) const {
  return {path(origin.source->path()), origin.line, origin.column,
          origin.column == 0 ? 0 : origin.column + origin.length};
}

Place Repository::place(const Finding& finding, const Origin& fallback, const std::string& file) const {
  for (const Origin* origin : {&finding.primary.origin, &fallback}) {
    if (*origin && holds(origin->source->path())) return place(*origin);
  }
  return {.path = path(file)};
}

std::vector<std::string> Repository::remarks(const Finding& finding) const {
  std::vector<std::string> lines = reasons_and_ways_out(finding);
  const Origin& origin = finding.primary.origin;
  if (origin && !holds(origin.source->path())) lines.insert(lines.begin(), "set at " + to_string(origin));
  return lines;
}

}  // namespace primus_plan
