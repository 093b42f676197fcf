#pragma once

#include <string>
#include <utility>
#include <vector>

#include "primus_plan/config/node.h"

namespace primus_plan::test {

/// A scalar of a kind that has no maker of its own.
NodePtr scalar(Kind kind, std::string text);
/// A sequence, set or tuple.
NodePtr collection(Kind kind, std::vector<NodePtr> items);
NodePtr mapping(const std::vector<std::pair<NodePtr, NodePtr>>& pairs);

}  // namespace primus_plan::test
