#include "config/yaml/events.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "config/document_rules.h"
#include "config/yaml/parser_errors.h"

namespace primus_plan::yaml {
namespace {

/// Lets yaml-cpp read a text without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

class EventStream::Parser final : public YAML::EventHandler {
 public:
  Parser(const CheckedText& text, const Limits& limits, Locator& locator)
      : text_(text),
        limits_(limits),
        locator_(locator),
        buffer_(text.parser_view().substr(text.begin())),
        input_(&buffer_) {
    try {
      parser_.Load(input_);
    } catch (const YAML::Exception& error) {
      translate(error);
    }
  }

  bool next(std::vector<Event>& events) {
    events_ = &events;
    events.clear();
    anchors_.clear();
    open_.clear();
    try {
      return parser_.HandleNextDocument(*this);
    } catch (const YAML::Exception& error) {
      translate(error);
    }
  }

  const std::string& tag(std::uint32_t index) const { return *tags_[index]; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Event::Type::null, mark, anchor).empty = true;
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Event::Type::alias, mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Event& event = add(Event::Type::scalar, mark, anchor);
    event.tag = intern(tag);
    event.empty = value.empty();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Event::Type::sequence_start, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(Event::Type::sequence_end); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Event::Type::map_start, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(Event::Type::map_end); }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    const std::size_t at = offset(mark);
    const auto [first, is_new] = anchors_.emplace(name, at);
    if (is_new) return;
    locator_.fail(loading::bad_alias, {at, at + 1},
                  fmt::format("the anchor &{} is defined twice in one document", name),
                  {{locator_.origin({first->second, first->second + 1}), "first defined here"}});
  }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    const auto position = mark.pos < 0 ? std::size_t{0} : static_cast<std::size_t>(mark.pos);
    return std::min(text_.begin() + position, text_.view().size());
  }

  Event& add(Event::Type type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const std::size_t at = offset(mark);
    if (++nodes_ > limits_.nodes) {
      locator_.fail(loading::limit_exceeded, {at, at + 1},
                    fmt::format("the document has more than {} values, the limit of this reader", limits_.nodes));
    }
    Event& event = events_->emplace_back();
    event.type = type;
    event.at = at;
    event.anchor = static_cast<std::uint32_t>(anchor);
    return event;
  }

  void open(Event::Type type, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    Event& event = add(type, mark, anchor);
    event.tag = intern(tag);
    event.flow = style == YAML::EmitterStyle::Flow;
    if (open_.size() >= limits_.depth) {
      locator_.fail(loading::limit_exceeded, {event.at, event.at + 1},
                    fmt::format("the nesting is deeper than {} levels, the limit of this reader", limits_.depth));
    }
    open_.push_back({event.at, event.flow});
  }

  void close(Event::Type type) {
    events_->emplace_back().type = type;
    open_.pop_back();
  }

  std::uint32_t intern(const std::string& tag) {
    if (tag.empty() || tag == "?") return no_tag;
    if (tag == "!") return quoted_tag;
    const auto [at, is_new] = tag_numbers_.emplace(tag, static_cast<std::uint32_t>(tags_.size()));
    if (is_new) tags_.push_back(&at->first);
    return at->second;
  }

  [[noreturn]] void translate(const YAML::Exception& error) {
    fail_as_parser_error(error.msg, offset(error.mark), open_, text_, locator_);
  }

  const CheckedText& text_;
  const Limits& limits_;
  Locator& locator_;
  ViewBuffer buffer_;
  std::istream input_;
  YAML::Parser parser_;
  std::vector<Event>* events_ = nullptr;
  std::size_t nodes_ = 0;
  std::vector<OpenCollection> open_;
  std::unordered_map<std::string, std::size_t> anchors_;
  const std::string no_tag_name_ = "?";
  const std::string quoted_tag_name_ = "!";
  std::map<std::string, std::uint32_t, std::less<>> tag_numbers_;
  std::vector<const std::string*> tags_{&no_tag_name_, &quoted_tag_name_};
};

EventStream::EventStream(const CheckedText& text, const Limits& limits, Locator& locator)
    : parser_(std::make_unique<Parser>(text, limits, locator)) {}

EventStream::~EventStream() = default;

bool EventStream::next(std::vector<Event>& events) { return parser_->next(events); }

const std::string& EventStream::tag(std::uint32_t index) const { return parser_->tag(index); }

}  // namespace primus_plan::yaml
