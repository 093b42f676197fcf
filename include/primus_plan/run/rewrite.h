#pragma once

#include <string>
#include <vector>

namespace primus_plan {

/// A value that the runtime changes on its own.
struct Rewrite {
  std::string key;
  std::string from;  ///< as YAML text
  std::string to;
  std::string because;
};

/// Collects rewrites; without text nothing is stored.
class Rewrites {
 public:
  explicit Rewrites(bool with_text) : with_text_(with_text) {}
  bool with_text() const { return with_text_; }
  void add(std::string key, std::string from, std::string to, std::string because) {
    list_.push_back({std::move(key), std::move(from), std::move(to), std::move(because)});
  }
  std::vector<Rewrite> take() { return std::move(list_); }

 private:
  bool with_text_;
  std::vector<Rewrite> list_;
};

}  // namespace primus_plan
