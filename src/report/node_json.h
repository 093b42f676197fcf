#pragma once

#include "primus_plan/config/node.h"
#include "report/json_writer.h"

namespace primus_plan {

/// Writes a value in the typed encoding of node_to_json.
void write_node(JsonWriter& json, const Node& node);

}  // namespace primus_plan
