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
  bool asked = false;  ///< the experiment or the command line asked for the value that is changed
};

/// Collects rewrites; without text nothing is stored.
class Rewrites {
 public:
  explicit Rewrites(bool with_text) : with_text_(with_text) {}
  bool with_text() const { return with_text_; }
  void add(Rewrite rewrite) { list_.push_back(std::move(rewrite)); }
  std::vector<Rewrite> take() { return std::move(list_); }

 private:
  bool with_text_;
  std::vector<Rewrite> list_;
};

}  // namespace primus_plan
