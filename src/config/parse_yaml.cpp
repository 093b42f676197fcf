#include <utility>

#include "config/document_rules.h"
#include "config/yaml/composer.h"
#include "primus_plan/config/document.h"

namespace primus_plan {
namespace {

/// Reads one document after another from a text.
class DocumentReader {
 public:
  DocumentReader(const Source& source, Layer layer, const Limits& limits, Remarks& remarks)
      : limits_(limits),
        remarks_(remarks),
        locator_(source, layer),
        checked_(locator_),
        text_(checked_.view()),
        gaps_(text_, checked_.begin(), locator_),
        stream_(checked_, limits_, locator_) {}

  /// The next document; null when there is none.
  NodePtr next() {
    if (!stream_.next(events_) || events_.empty()) {
      gaps_.pass_prologue(text_.size());
      gaps_.pass_epilogue();
      return nullptr;
    }
    gaps_.pass_prologue(events_.front().at);
    NodePtr root = yaml::Composer(text_, gaps_, stream_, events_, limits_, locator_, remarks_).compose();
    gaps_.pass_epilogue();
    return root;
  }

  bool at_end() const { return text_.is_end(gaps_.at()); }
  Origin start() { return locator_.origin({checked_.begin(), checked_.begin()}); }

  [[noreturn]] void fail_several() {
    const std::size_t at = gaps_.at();
    locator_.fail(loading::several_documents, {at, at + 3},
                  "a second document begins here; Primus reads files of one document only");
  }

 private:
  const Limits& limits_;
  Remarks& remarks_;
  yaml::Locator locator_;
  yaml::CheckedText checked_;
  yaml::Characters text_;
  yaml::Gaps gaps_;
  yaml::EventStream stream_;
  std::vector<yaml::Event> events_;
};

}  // namespace

NodePtr parse_yaml(const Source& source, Layer layer, const Limits& limits, Remarks& remarks) {
  DocumentReader reader(source, layer, limits, remarks);
  NodePtr root = reader.next();
  if (root == nullptr) return make_null(reader.start());
  if (!reader.at_end()) reader.fail_several();
  return root;
}

std::vector<NodePtr> parse_yaml_documents(const Source& source, Layer layer, const Limits& limits, Remarks& remarks) {
  DocumentReader reader(source, layer, limits, remarks);
  std::vector<NodePtr> documents;
  while (NodePtr root = reader.next()) documents.push_back(std::move(root));
  return documents;
}

}  // namespace primus_plan
