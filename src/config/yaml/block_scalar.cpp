#include <algorithm>
#include <utility>

#include "config/document_rules.h"
#include "config/yaml/scalars.h"

namespace primus_plan::yaml {
namespace {

enum class Chomping : std::uint8_t { clip, strip, keep };

class BlockReader {
 public:
  BlockReader(const Characters& text, std::size_t at, std::size_t indent, Locator& locator)
      : text_(text), locator_(locator), start_(at), folded_(text.peek(at) == '>'), at_(at + 1), indent_(indent) {}

  Scalar read() {
    read_header();
    const std::string first_breaks = find_indentation();
    read_lines(first_breaks);
    return std::move(result_);
  }

 private:
  /// The indicators after `|` or `>`, and a comment.
  void read_header() {
    for (int i = 0; i < 2; ++i) {
      const char c = text_.peek(at_);
      if ((c == '+' || c == '-') && chomping_ == Chomping::clip) {
        chomping_ = c == '+' ? Chomping::keep : Chomping::strip;
      } else if (c >= '1' && c <= '9' && increment_ == 0) {
        increment_ = static_cast<std::size_t>(c - '0');
      } else {
        break;
      }
      ++at_;
    }
    if (!text_.is_space_or_break(at_)) fail("only +, - and one digit from 1 to 9 can follow '|' or '>'");
    at_ = text_.skip_spaces(at_);
    if (text_.peek(at_) == '#') at_ = text_.line_end(at_);
    if (!text_.is_break(at_) && !text_.is_end(at_)) fail("the text of a block scalar begins on the next line");
    if (!text_.is_end(at_)) at_ = text_.after_break(at_);
    line_ = at_;
  }

  [[noreturn]] void fail(const char* message) {
    locator_.fail(loading::invalid_yaml, {start_, std::max(at_, start_ + 1)}, message);
  }

  std::size_t column() const { return at_ - line_; }

  /// Settles indent_ and moves to the first line with text; returns the line breaks before it.
  std::string find_indentation() {
    if (increment_ != 0) {
      indent_ += increment_ - 1;
      return skip_breaks();
    }
    std::string breaks;
    std::size_t widest = 0;
    while (text_.peek(at_) == ' ' || text_.is_break(at_)) {
      if (text_.is_break(at_)) {
        at_ = line_ = text_.after_break(at_);
        breaks += '\n';
      } else {
        at_ = text_.skip_spaces(at_);
        widest = std::max(widest, column());
      }
    }
    indent_ = std::max(indent_, widest);
    return breaks;
  }

  /// Passes empty lines and the indentation of the next one.
  std::string skip_breaks() {
    std::string breaks;
    skip_indentation();
    while (text_.is_break(at_)) {
      at_ = line_ = text_.after_break(at_);
      breaks += '\n';
      skip_indentation();
    }
    return breaks;
  }

  void skip_indentation() {
    while (column() < indent_ && text_.peek(at_) == ' ') ++at_;
  }

  bool at_text() const { return column() == indent_ && !text_.is_end(at_); }
  bool at_space() const { return text_.peek(at_) == ' ' || text_.peek(at_) == '\t'; }

  void read_lines(std::string breaks) {
    bool broken = false;  // the last line has a line break after it
    result_.end = line_;
    while (at_text()) {
      result_.value += breaks;
      const bool starts_with_space = at_space();
      const std::size_t end = text_.line_end(at_);
      result_.value += text_.between(at_, end);
      result_.end = at_ = end;
      broken = !text_.is_end(at_);
      if (broken) at_ = line_ = text_.after_break(at_);
      breaks = skip_breaks();
      if (!at_text()) break;
      const bool fold = folded_ && !starts_with_space && !at_space();
      if (!fold) {
        result_.value += '\n';
      } else if (breaks.empty()) {
        result_.value += ' ';
      }
    }
    if (chomping_ != Chomping::strip && broken) result_.value += '\n';
    if (chomping_ == Chomping::keep) result_.value += breaks;
    result_.end = std::max(result_.end, line_);
  }

  const Characters& text_;
  Locator& locator_;
  std::size_t start_;
  bool folded_;
  std::size_t at_;
  std::size_t line_ = 0;  ///< beginning of the line of at_
  std::size_t indent_;
  std::size_t increment_ = 0;
  Chomping chomping_ = Chomping::clip;
  Scalar result_;
};

}  // namespace

Scalar read_block(const Characters& text, std::size_t at, std::size_t indent, Locator& locator) {
  return BlockReader(text, at, indent, locator).read();
}

}  // namespace primus_plan::yaml
