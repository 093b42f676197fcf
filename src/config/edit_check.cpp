#include "primus_plan/config/edit_check.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/edits.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {
namespace {

/// A place of a document where two versions of it differ.
struct Difference {
  Origin place;                  ///< of the value or key before; none for an entry that was added
  const Node* now = nullptr;     ///< the value or key after
  const Entry* added = nullptr;  ///< or the entry that was added
};

bool same_place(const Edit& edit, const Origin& place) {
  return place.line == edit.where.line && place.column == edit.where.column && place.length == edit.where.length;
}

/// Compares two versions of a document and gives up at more differences than anybody asked for.
class Comparison {
 public:
  explicit Comparison(const std::vector<Edit>& edits) : edits_(edits) {}

  void values(const Node& before, const Node& after) {
    if (is_hopeless()) return;
    if (before.is_mapping() && after.is_mapping()) return mappings(before.entries(), after.entries());
    const bool lists = before.is_sequence() && after.is_sequence() && before.items.size() == after.items.size();
    if (lists && !is_edited(before.origin)) {
      for (std::size_t i = 0; i < before.items.size(); ++i) values(*before.items[i], *after.items[i]);
    } else if (before.kind != after.kind || before.quoted != after.quoted || !same_value(before, after)) {
      found_.push_back({.place = before.origin, .now = &after});
    }
  }

  /// What differs; nothing when it is more than asked for.
  std::optional<std::vector<Difference>> take() {
    if (is_hopeless()) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool is_hopeless() const { return found_.size() > edits_.size(); }

  bool is_edited(const Origin& place) const {
    return std::ranges::any_of(edits_, [&](const Edit& edit) { return !edit.insert_line && same_place(edit, place); });
  }

  void mappings(const std::vector<Entry>& before, const std::vector<Entry>& after) {
    std::size_t b = 0;
    for (const Entry& entry : after) {
      if (is_hopeless()) return;
      const bool same_key = b < before.size() && same_value(*before[b].key, *entry.key);
      const bool is_added = !same_key && after.size() > before.size();
      if (is_added) {
        found_.push_back({.place = {}, .added = &entry});
        continue;
      }
      if (b == before.size()) break;
      if (!same_key) found_.push_back({.place = before[b].key_origin, .now = entry.key.get()});
      values(*before[b].value, *entry.value);
      ++b;
    }
    // Entries that vanished (a key that is now written twice) are no edit's meaning.
    if (b < before.size()) found_.resize(edits_.size() + 1);
  }

  const std::vector<Edit>& edits_;
  std::vector<Difference> found_;
};

std::vector<NodePtr> parse(const Source& source) {
  Remarks remarks;
  return parse_yaml_documents(source, Layer::experiment, {}, remarks);
}

bool same_document_value(const Node& value, const std::string& text) {
  const Source source("edit", text);
  const std::vector<NodePtr> parsed = parse(source);
  return parsed.size() == 1 ? same_value(value, *parsed.front()) : parsed.empty() && value.is_null();
}

bool same_document_entry(const Entry& entry, const std::string& text) {
  const Source source("edit", text);
  const std::vector<NodePtr> parsed = parse(source);
  if (parsed.size() != 1 || !parsed.front()->is_mapping() || parsed.front()->entries().size() != 1) return false;
  const Entry& asked = parsed.front()->entries().front();
  return same_value(*entry.key, *asked.key) && same_value(*entry.value, *asked.value);
}

bool is_what_was_asked(const Difference& difference, const Edit& edit) {
  if (edit.insert_line) return difference.added != nullptr && same_document_entry(*difference.added, edit.replacement);
  return same_place(edit, difference.place) && difference.now != nullptr &&
         same_document_value(*difference.now, edit.replacement);
}

/// Takes a whole comment away.
bool removes_comment(const Edit& edit) {
  const std::string_view line = edit.where.source->line(edit.where.line);
  const auto change = text_change(edit);
  if (!change || !edit.replacement.empty() || edit.insert_line) return false;
  const std::size_t begin = change->begin - edit.where.source->line_starts()[edit.where.line - 1];
  return begin < line.size() && line[begin] == '#' && line.size() == begin + (change->end - change->begin);
}

bool do_what_they_say(const Source& before, const Source& after, const std::vector<Edit>& edits) {
  const std::vector<NodePtr> old_documents = parse(before);
  const std::vector<NodePtr> new_documents = parse(after);
  if (old_documents.size() != new_documents.size()) return false;
  Comparison comparison(edits);
  for (std::size_t i = 0; i < old_documents.size(); ++i) comparison.values(*old_documents[i], *new_documents[i]);
  const auto differences = comparison.take();
  const auto comments = static_cast<std::size_t>(std::ranges::count_if(edits, removes_comment));
  if (!differences || differences->size() + comments != edits.size()) return false;
  return std::ranges::all_of(edits, [&](const Edit& edit) {
    return removes_comment(edit) ||
           std::ranges::any_of(*differences, [&](const Difference& d) { return is_what_was_asked(d, edit); });
  });
}

/// Text that stands for the value of a variable, not for itself.
bool has_variable(const Source& source, const TextChange& change) {
  return std::string_view(source.text()).substr(change.begin, change.end - change.begin).find("${") !=
         std::string_view::npos;
}

}  // namespace

std::optional<std::string> edit_document(const std::vector<Edit>& edits) {
  if (edits.empty() || !edits.front().where) return std::nullopt;
  const Source& source = *edits.front().where.source;
  std::vector<TextChange> changes;
  for (const Edit& edit : edits) {
    std::optional<TextChange> change = text_change(edit);
    if (!change || edit.where.source != &source || has_variable(source, *change)) return std::nullopt;
    const bool crosses = std::ranges::any_of(changes, [&](const TextChange& c) { return overlaps(c, *change); });
    if (crosses) return std::nullopt;
    changes.push_back(*std::move(change));
  }
  const Source edited(source.path(), apply_changes(source.text(), std::move(changes)));
  try {
    if (do_what_they_say(source, edited, edits)) return edited.text();
    return std::nullopt;
  } catch (const LoadError&) {
    return std::nullopt;
  }
}

}  // namespace primus_plan
