#include "config/python_literal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/keys.h"
#include "config/python_string.h"
#include "config/python_text.h"

namespace primus_plan::python {
namespace {

/// CPython's tokenizer refuses deeper brackets.
constexpr int deepest_bracket = 200;
/// Digits of a hexadecimal, octal or binary number that are converted; nobody writes more.
constexpr std::size_t most_based_digits = 1000;

struct NotLiteral {};
struct Unhashable {};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Parser {
 public:
  Parser(std::string_view text, const Origin& origin) : text_(text), origin_(origin) {}

  NodePtr parse() {
    NodePtr value = expression();
    if (peek() == ',') {  // "(1), 2" is a tuple too
      std::vector<NodePtr> items = {std::move(value)};
      while (take(',') && !at_end()) items.push_back(expression());
      value = collection(Kind::tuple, std::move(items));
    }
    if (!at_end()) throw NotLiteral{};
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n') {
        ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
        at_ += 2;
      } else {
        return;
      }
    }
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  NodePtr expression() {
    if (peek() == '+' || peek() == '-') return signed_number();
    return atom();
  }

  /// One sign before a plain number, as literal_eval has it; "--1" and "-True" are refused.
  NodePtr signed_number() {
    const bool negative = text_[at_++] == '-';
    const char next = peek();
    if (next == '+' || next == '-') throw NotLiteral{};
    NodePtr value = atom();
    if (!value->is_number()) throw NotLiteral{};
    if (!negative) return value;
    if (value->kind == Kind::real) return make_real(-value->real, origin_);
    if (value->kind == Kind::integer) return make_integer(-value->integer, origin_);
    return integer_of(value->text, true, origin_);
  }

  NodePtr atom() {
    const char c = peek();
    if (c == '[') return bracketed(']', Kind::sequence);
    if (c == '(') return bracketed(')', Kind::tuple);
    if (c == '{') return braces();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (StringLiteral::starts_here(text_.substr(at_))) return strings();
    return word();
  }

  NodePtr word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name == "True") return make_boolean(true, origin_);
    if (name == "False") return make_boolean(false, origin_);
    if (name == "None") return make_null(origin_);
    if (name == "set" && take('(') && take(')')) return collection(Kind::set, {});
    throw NotLiteral{};
  }

  NodePtr bracketed(char close, Kind kind) {
    const Depth depth(*this);
    ++at_;
    std::vector<NodePtr> items;
    bool comma = false;
    while (!take(close)) {
      if (!items.empty() && !comma) throw NotLiteral{};
      items.push_back(expression());
      comma = take(',');
    }
    if (kind == Kind::tuple && items.size() == 1 && !comma) return items[0];  // only parentheses
    return collection(kind, std::move(items));
  }

  /// A dict or a set: the first ':' tells.
  NodePtr braces() {
    const Depth depth(*this);
    ++at_;
    std::vector<NodePtr> keys;
    std::vector<NodePtr> values;
    bool comma = true;
    while (!take('}')) {
      if (!comma) throw NotLiteral{};
      keys.push_back(expression());
      if (take(':')) values.push_back(expression());
      if (!values.empty() && values.size() != keys.size()) throw NotLiteral{};
      comma = take(',');
    }
    if (keys.empty() || !values.empty()) return dictionary(keys, values);
    std::vector<NodePtr> distinct;
    for (NodePtr& key : keys) {
      require_hashable(*key);
      const bool known = std::ranges::any_of(distinct, [&](const NodePtr& other) { return same_key(*other, *key); });
      if (!known) distinct.push_back(std::move(key));
    }
    return collection(Kind::set, std::move(distinct));
  }

  NodePtr dictionary(const std::vector<NodePtr>& keys, const std::vector<NodePtr>& values) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      require_hashable(*keys[i]);
      const auto known = std::ranges::find_if(entries, [&](const Entry& e) { return same_key(*e.key, *keys[i]); });
      auto assignment = std::make_shared<const Assignment>(Assignment{values[i], origin_});
      if (known != entries.end()) {
        known->value = values[i];
        known->history = std::move(assignment);
      } else {
        entries.push_back({keys[i], values[i], origin_, std::move(assignment)});
      }
    }
    Node node;
    node.origin = origin_;
    node.set_entries(std::move(entries));
    return std::make_shared<const Node>(std::move(node));
  }

  static void require_hashable(const Node& node) {
    if (node.kind == Kind::sequence || node.kind == Kind::mapping || node.kind == Kind::set) throw Unhashable{};
    for (const NodePtr& item : node.items) require_hashable(*item);
  }

  NodePtr collection(Kind kind, std::vector<NodePtr> items) {
    Node node;
    node.kind = kind;
    node.items = std::move(items);
    node.origin = origin_;
    return std::make_shared<const Node>(std::move(node));
  }

  /// Neighbouring strings are one; bytes and text do not mix.
  NodePtr strings() {
    StringLiteral all = one_string();
    while (!at_end() && StringLiteral::starts_here(text_.substr(at_))) {
      StringLiteral next = one_string();
      if (next.is_bytes != all.is_bytes) throw NotLiteral{};
      all.value += next.value;
    }
    Node node;
    node.kind = all.is_bytes ? Kind::bytes : Kind::string;
    node.quoted = true;
    node.text = std::move(all.value);
    node.origin = origin_;
    return std::make_shared<const Node>(std::move(node));
  }
  StringLiteral one_string() {
    auto parsed = StringLiteral::parse(text_.substr(at_));
    if (!parsed) throw NotLiteral{};
    at_ += parsed->size;
    return std::move(*parsed);
  }

  NodePtr number() {
    const std::size_t start = at_;
    const auto next_is = [&](std::string_view characters) {
      return at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
    };
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) {
      const bool exponent =
          next_is("eE") && !text_.substr(start).starts_with("0x") && !text_.substr(start).starts_with("0X");
      ++at_;
      if (exponent && next_is("+-")) ++at_;
    }
    const std::string_view word = text_.substr(start, at_ - start);
    if (std::ranges::any_of(word, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) throw NotLiteral{};
    NodePtr value;
    if (word.size() > 1 && word[0] == '0' && !is_digit(word[1]) && std::string_view("xXoObB").find(word[1]) < 6) {
      value = based_integer(word);
    } else if (word.find_first_of(".eE") != std::string_view::npos) {
      value = to_real(word, origin_);
    } else if (word[0] != '0' || word.find_first_not_of("0_") == std::string_view::npos) {
      value = to_integer(word, origin_);
    }
    if (!value) throw NotLiteral{};
    return value;
  }

  NodePtr based_integer(std::string_view word) {
    const unsigned base = (word[1] == 'x' || word[1] == 'X') ? 16 : (word[1] == 'o' || word[1] == 'O') ? 8 : 2;
    std::string decimal;  // least digit first
    if (word.size() == 2 || word.size() > most_based_digits) return nullptr;
    for (std::size_t i = 2; i < word.size(); ++i) {
      const char c = word[i];
      if (c == '_') {
        if (i + 1 == word.size() || word[i + 1] == '_') return nullptr;
        continue;
      }
      unsigned carry = is_digit(c)                              ? unsigned(c - '0')
                       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? unsigned((c | 0x20) - 'a') + 10
                                                                : 99;
      if (carry >= base) return nullptr;
      for (char& digit : decimal) {
        carry += unsigned(digit - '0') * base;
        digit = static_cast<char>('0' + carry % 10);
        carry /= 10;
      }
      for (; carry > 0; carry /= 10) decimal += static_cast<char>('0' + carry % 10);
    }
    std::ranges::reverse(decimal);
    return integer_of(decimal, false, origin_);
  }

  struct Depth {
    explicit Depth(Parser& owner) : parser(owner) {
      if (++parser.depth_ > deepest_bracket) throw NotLiteral{};
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  std::string_view text_;
  Origin origin_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Literal parse_literal(std::string_view text, const Origin& origin) {
  try {
    return {.value = Parser(text, origin).parse()};
  } catch (const NotLiteral&) {
    return {};
  } catch (const Unhashable&) {
    return {.unhashable = true};
  }
}

}  // namespace primus_plan::python
