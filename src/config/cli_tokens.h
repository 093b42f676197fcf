#pragma once

#include <memory>
#include <string>
#include <vector>

#include "primus_plan/config/document.h"

namespace primus_plan {

using Sources = std::vector<std::shared_ptr<const Source>>;

/// Reads the tokens that follow `--` as Primus's runtime does: key=value, --key=value, --key value, --flag; dots nest;
/// a value is true/false in any case, None, a Python list, dict, tuple or set, a float only with a '.' in it, an
/// integer, else text. Throws LoadError (CF210) where a dotted key goes through a value that is no mapping. Each token
/// becomes a source of its own, put into `sources`; tokens that Primus skips become remarks (CF211). Source:
/// primus/core/utils/arg_utils.py:parse_cli_overrides with type_mode "modern".
NodePtr parse_cli_tokens(const std::vector<std::string>& tokens, Sources& sources, Remarks& remarks);

/// `mapping` with the value at a dotted key, making mappings on the way. Throws LoadError (CF210) as above.
NodePtr with_dotted_key(const NodePtr& mapping, std::string_view dotted, const NodePtr& value,
                        const Origin& key_origin);

}  // namespace primus_plan
