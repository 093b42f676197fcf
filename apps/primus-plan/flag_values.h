#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::app {

// What values a flag takes. A refusal is a sentence whose subject, the flag, is put before it: "must be …, not 'abc'".

/// A whole number within bounds, in decimal digits and without leading zeros (which C and YAML 1.1 read in base 8).
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

/// A size of the launch; what is none is told as rule CF216 tells it.
CLI::Validator launch_size();

/// A number of `unit` ("seconds") within bounds.
CLI::Validator real_number(double least, double most, std::string_view unit);

/// One of these words; --help and completion list them.
CLI::Validator one_of(const std::vector<std::string>& words);

/// The command line's fault in this program's own words, for CLI11 names flags and types as its programmers do.
std::string usage_fault(const CLI::ParseError& error, const CLI::App& app, std::string_view command);

}  // namespace primus_plan::app
