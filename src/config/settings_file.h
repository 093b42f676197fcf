#pragma once

#include <string>

#include "primus_plan/config/settings.h"

namespace primus_plan {

/// Reads a file of settings and what it extends. Throws SettingsError with all faults of all these files.
Settings read_settings(const std::string& path, const FileReader& files, const Environment& environment,
                       RuleList rules);

}  // namespace primus_plan
