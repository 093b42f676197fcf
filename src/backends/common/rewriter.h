#pragma once

#include "primus_plan/config/fields.h"
#include "primus_plan/run/rewrite.h"

namespace primus_plan {

/// Changes a value of a backend's config as the runtime does, and records the change when somebody will read it.
class Rewriter {
 public:
  explicit Rewriter(Rewrites& rewrites) : rewrites_(rewrites) {}

  template <class T, class V>
  void set(Sourced<T>& field, V value, const char* because) {
    const T next(value);
    if (field.value == next) return;
    if (rewrites_.with_text()) {
      Sourced<T> after = field;
      after.value = next;
      rewrites_.add({.key = field.key,
                     .from = to_text(*to_node(field)),
                     .to = to_text(*to_node(after)),
                     .because = because,
                     .asked = is_asked_for(field)});
    }
    field.value = next;
  }

 private:
  Rewrites& rewrites_;
};

}  // namespace primus_plan
