#include "oracle.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#ifndef PRIMUS_PLAN_SOURCE_DIR
#define PRIMUS_PLAN_SOURCE_DIR "."
#endif

namespace primus_plan::testing {
namespace {

std::string directory(const char* variable, const char* fallback) {
  const char* value = std::getenv(variable);
  if (value != nullptr && *value != '\0') return value;
  return (std::filesystem::path(PRIMUS_PLAN_SOURCE_DIR) / ".." / "shared" / fallback).lexically_normal().string();
}

}  // namespace

std::string oracle_directory() { return directory("PRIMUS_PLAN_ORACLE_DIR", "oracle"); }

std::string corpus_directory() { return directory("PRIMUS_PLAN_CORPUS_DIR", "corpus"); }

std::optional<nlohmann::json> load_oracle(std::string_view file) {
  std::ifstream stream(std::filesystem::path(oracle_directory()) / file);
  if (!stream) return std::nullopt;
  return nlohmann::json::parse(stream);
}

std::string missing_oracle(std::string_view file) {
  return "no " + std::string(file) + " in " + oracle_directory() + " (set PRIMUS_PLAN_ORACLE_DIR)";
}

}  // namespace primus_plan::testing
