#include "lsp/documents.h"

#include <algorithm>
#include <exception>

#include "lsp/uri.h"
#include "primus_plan/config/settings.h"

namespace primus_plan::lsp {

namespace {

void spoil(Document& document) {
  document.is_stale = true;
  document.is_unpublished = true;
}

/// Whether an experiment was made of a file.
bool is_made_of(const Document& document, const std::string& path) {
  if (!document.judged) return !document.trouble.empty();
  const auto holds = [&](const auto& sources) {
    return std::ranges::any_of(sources, [&](const auto& source) { return source->path() == path; });
  };
  // What failed to load may have failed for want of this file.
  return !document.judged->loaded.errors.empty() || holds(document.judged->report.sources);
}

}  // namespace

void Documents::set(const std::string& uri, std::string text, std::optional<std::int64_t> version) {
  Document& document = by_uri_[uri];
  const std::string path = path_of_uri(uri);
  workspace_.open(path, text);
  document.uri = uri;
  document.path = path;
  document.version = version;
  document.text = std::make_shared<const Source>(path, std::move(text));
  document.outline = std::make_shared<const Outline>(*document.text);
  spoil(document);
  spoil_dependents(document);
}

void Documents::close(const std::string& uri) {
  const auto found = by_uri_.find(uri);
  if (found == by_uri_.end()) return;
  workspace_.close(found->second.path);
  spoil_dependents(found->second);
  by_uri_.erase(found);
}

void Documents::forget() {
  workspace_.forget();
  for (auto& [uri, document] : by_uri_) spoil(document);
}

void Documents::spoil_dependents(const Document& changed) {
  const bool is_settings = changed.path.ends_with("/" + std::string(settings_name));
  bool reached = is_settings;
  for (auto& [uri, document] : by_uri_) {
    if (&document == &changed || (!is_settings && !is_made_of(document, changed.path))) continue;
    spoil(document);
    reached = true;
  }
  if (reached) workspace_.forget();
}

const Document* Documents::find(const std::string& uri) const {
  const auto found = by_uri_.find(uri);
  return found == by_uri_.end() ? nullptr : &found->second;
}

const Document* Documents::judged(const std::string& uri) {
  const auto found = by_uri_.find(uri);
  if (found == by_uri_.end()) return nullptr;
  judge(found->second);
  return &found->second;
}

std::vector<const Document*> Documents::take_unpublished() {
  std::vector<const Document*> out;
  for (auto& [uri, document] : by_uri_) {
    if (!document.is_unpublished) continue;
    judge(document);
    document.is_unpublished = false;
    out.push_back(&document);
  }
  return out;
}

void Documents::judge(Document& document) {
  if (!document.is_stale) return;
  document.is_stale = false;
  document.judged.reset();
  document.trouble.clear();
  try {
    document.judged = workspace_.judge(document.path, document.text->text());
  } catch (const std::exception& error) {
    document.trouble = error.what();
  }
}

}  // namespace primus_plan::lsp
