#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace primus_plan::testing {

/// Directory of the frameworks' own answers: $PRIMUS_PLAN_ORACLE_DIR, else ../shared/oracle beside the source tree.
std::string oracle_directory();
/// Directory of real experiments: $PRIMUS_PLAN_CORPUS_DIR, else ../shared/corpus beside the source tree.
std::string corpus_directory();

/// A file of the oracle directory; nothing when the directory or the file is not there. Broken JSON throws.
std::optional<nlohmann::json> load_oracle(std::string_view file);

/// What a test says when it is skipped for want of an oracle file.
std::string missing_oracle(std::string_view file);

}  // namespace primus_plan::testing
