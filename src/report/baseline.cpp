#include "primus_plan/report/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/json_writer.h"

namespace primus_plan {
namespace {

constexpr std::string_view schema = "primus-plan-baseline/1";

std::string line_of(const BaselineEntry& entry) {
  return fmt::format(R"({{"fingerprint": {}, "rule": {}, "path": {}, "module": {}, "message": {}}})",
                     json_string(entry.fingerprint), json_string(entry.rule), json_string(entry.path),
                     json_string(entry.module), json_string(entry.message));
}

}  // namespace

Baseline::Baseline(std::string_view text) {
  const auto root = nlohmann::json::parse(text, nullptr, false);
  if (!root.is_object() || root.value("schema", nlohmann::json()) != schema) {
    throw BadBaseline(fmt::format("is no baseline: it must be a JSON object with \"schema\": \"{}\"", schema));
  }
  const auto findings = root.find("findings");
  if (findings == root.end() || !findings->is_array()) throw BadBaseline("is no baseline: it has no list of findings");
  for (const auto& finding : *findings) {
    const bool sound = finding.is_object() && finding.value("fingerprint", nlohmann::json()).is_string();
    if (!sound) throw BadBaseline("is no baseline: one of its findings has no fingerprint");
    fingerprints_.insert(finding["fingerprint"].get<std::string>());
  }
}

std::string baseline_to_json(std::vector<BaselineEntry> entries) {
  std::ranges::sort(
      entries, {}, [](const BaselineEntry& e) { return std::tie(e.path, e.module, e.rule, e.message, e.fingerprint); });
  std::string out = fmt::format("{{\n  \"schema\": \"{}\",\n  \"findings\": [", schema);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out += fmt::format("{}\n    {}", i == 0 ? "" : ",", line_of(entries[i]));
  }
  return out + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace primus_plan
