#pragma once

#include <map>
#include <string>
#include <vector>

#include "lsp/document.h"

namespace primus_plan::lsp {

/// The documents that the editor has open, each judged when somebody asks and it has changed.
class Documents {
 public:
  explicit Documents(Workspace& workspace) : workspace_(workspace) {}

  /// A new text for a document, which need not be open.
  void set(const std::string& uri, std::string text, std::optional<std::int64_t> version);
  void close(const std::string& uri);
  /// Files may have changed behind the editor's back.
  void forget();

  /// Null for one that is not open.
  const Document* find(const std::string& uri) const;
  /// The same, judged as its text now is.
  const Document* judged(const std::string& uri);
  /// Those whose findings may have changed since they were last taken, judged.
  std::vector<const Document*> take_unpublished();

 private:
  void judge(Document& document);
  void spoil_dependents(const Document& changed);

  Workspace& workspace_;
  std::map<std::string, Document> by_uri_;
};

}  // namespace primus_plan::lsp
