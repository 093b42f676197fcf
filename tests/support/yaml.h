#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan::test {

/// A text that was parsed, with what its origins point into.
struct ParsedYaml {
  std::shared_ptr<const Source> source;
  NodePtr root;
  Remarks remarks;
};

/// Parses a text as the file "test.yaml" of an experiment.
ParsedYaml parse(std::string text, const Limits& limits = {});

/// The rule and place of a refusal, as "name@line:column"; "accepted" when nothing was refused.
std::string refusal(std::string text, const Limits& limits = {});
/// The same for loading "main.yaml" out of these files.
std::string load_refusal(const FileReader& files, const Environment& environment = {}, const Limits& limits = {});

/// The value of `v: <text>`, in the words of `describe`.
std::string typed(std::string_view text);
/// "int 5", "str 5", "float 0.5", "null", "list [1]": the type and the value of a node.
std::string describe(const Node& node);
/// "2:5+3" (line, column, length).
std::string place(const Origin& origin);

}  // namespace primus_plan::test
