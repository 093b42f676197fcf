#include "lsp/params.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

constexpr auto largest = std::numeric_limits<std::uint32_t>::max();

std::string name_of(ParamPath path) {
  std::string name = "params";
  for (const std::string_view part : path) name.append(".").append(part);
  return name;
}

std::string kind_of(const Json& json) {
  const std::string_view kind = json.type_name();
  if (kind == "string") return "a text";
  if (kind == "array") return "a list";
  if (kind == "object") return "an object";
  return kind == "null" || kind == "boolean" ? std::string(kind) : json.dump();
}

std::uint32_t count_param(const Json& params, ParamPath path) {
  const Json& found = param(params, path);
  const bool fits = found.is_number_unsigned() && found.get<std::uint64_t>() <= largest;
  if (!fits) refuse_param(path, "a whole number from 0 to 4294967295", found);
  return found.get<std::uint32_t>();
}

}  // namespace

void refuse_param(ParamPath path, std::string_view wanted, const Json& found) {
  throw BadParams(fmt::format("{} must be {}, not {}", name_of(path), wanted, kind_of(found)));
}

const Json& param(const Json& params, ParamPath path) {
  const Json* at = &params;
  std::string above = "params";
  for (const std::string_view part : path) {
    if (!at->is_object()) throw BadParams(fmt::format("{} must be an object, not {}", above, kind_of(*at)));
    const auto found = at->find(part);
    if (found == at->end()) throw BadParams(fmt::format("{}.{} is missing", above, part));
    at = &*found;
    above.append(".").append(part);
  }
  return *at;
}

std::string text_param(const Json& params, ParamPath path) {
  const Json& found = param(params, path);
  if (!found.is_string()) refuse_param(path, "a text", found);
  return found.get<std::string>();
}

Position position_param(const Json& params, std::string_view name) {
  return {count_param(params, {name, "line"}), count_param(params, {name, "character"})};
}

Range range_param(const Json& params, std::string_view name) {
  return {{count_param(params, {name, "start", "line"}), count_param(params, {name, "start", "character"})},
          {count_param(params, {name, "end", "line"}), count_param(params, {name, "end", "character"})}};
}

}  // namespace primus_plan::lsp
