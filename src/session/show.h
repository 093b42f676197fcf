#pragma once

#include <cstdint>
#include <string>

#include "session/command.h"

namespace primus_plan::session {

// Topics of `show` that have a file of their own.
Result show_memory(Session& session, const Line& line);
Result show_stages(Session& session, const Line& line);
Result show_schedule(Session& session, const Line& line);

/// A rank of so many. Throws Refusal.
std::int64_t read_rank(const std::string& word, std::int64_t world_size);

}  // namespace primus_plan::session
