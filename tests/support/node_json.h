#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "primus_plan/config/node.h"

namespace primus_plan::test {

using Json = nlohmann::ordered_json;

/// A value as the oracles print it: int and float distinct, {"$date"}, {"$float"}, … for what JSON lacks.
Json plain(const Node& node);
/// A value as {"type", "value"}, the encoding of yaml_semantics.json and cli_parse.json.
Json typed(const Node& node);

/// The first place where two documents differ, types and (with `ordered`) the order of keys included; empty when they
/// are the same.
std::string difference(const Json& expected, const Json& actual, bool ordered = false, const std::string& path = "");

Json read_json(const std::filesystem::path& path);

}  // namespace primus_plan::test
