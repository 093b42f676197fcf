#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lsp/position.h"

namespace primus_plan::lsp {

/// A parameter that is missing or of another type than the protocol's; the text names it and says what it must be.
class BadParams : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Names of members, from the parameters down: {"textDocument", "uri"}.
using ParamPath = std::initializer_list<std::string_view>;

// All of these throw BadParams.

/// The parameter, which must be there.
const nlohmann::json& param(const nlohmann::json& params, ParamPath path);
std::string text_param(const nlohmann::json& params, ParamPath path);
/// The Position called `name`.
Position position_param(const nlohmann::json& params, std::string_view name);
/// The Range called `name`.
Range range_param(const nlohmann::json& params, std::string_view name);

/// Says that the parameter must be something else.
[[noreturn]] void refuse_param(ParamPath path, std::string_view wanted, const nlohmann::json& found);

}  // namespace primus_plan::lsp
