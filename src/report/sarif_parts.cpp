#include "report/sarif_parts.h"

#include <fmt/core.h>

#include "primus_plan/report/rules.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/rule_parts.h"
#include "support/utf8.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

void write_message(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key).begin_object(Layout::one_line).key("text").string(text).end_object();
}

void write_artifact(JsonWriter& json, const std::string& path) {
  json.key("artifactLocation").begin_object(Layout::one_line).key("uri").string(path_to_uri(path));
  if (!path.starts_with('/')) json.key("uriBaseId").string("%SRCROOT%");
  json.end_object();
}

void write_physical_location(JsonWriter& json, const Place& place) {
  json.key("physicalLocation").begin_object(Layout::one_line);
  write_artifact(json, place.path);
  // GitHub wants a region; a finding about a whole file is about its first line.
  json.key("region").begin_object().key("startLine").integer(place.line > 0 ? place.line : 1);
  if (place.column > 0) {
    json.key("startColumn").integer(place.column);
    json.key("endLine").integer(place.line).key("endColumn").integer(place.end_column);
  }
  json.end_object().end_object();
}

void write_locations(JsonWriter& json, const SarifResult& result, const Repository& repository) {
  json.key("locations").begin_array().begin_object();
  write_physical_location(json, repository.place(result.finding, result.fallback, result.file));
  if (!result.module.empty()) {
    json.key("logicalLocations").begin_array(Layout::one_line).begin_object();
    json.key("fullyQualifiedName").string(fmt::format("modules.{}", result.module)).key("kind").string("module");
    json.end_object().end_array();
  }
  json.end_object().end_array();
}

void write_related(JsonWriter& json, const Finding& finding, const Repository& repository) {
  json.key("relatedLocations").begin_array();
  std::int64_t id = 0;
  for (const Label& label : finding.related) {
    if (!label.origin || !repository.holds(label.origin.source->path())) continue;
    json.begin_object(Layout::one_line).key("id").integer(++id);
    write_physical_location(json, repository.place(label.origin));
    write_message(json, "message", label_to_text(label));
    json.end_object();
  }
  json.end_array();
}

std::int64_t code_points(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode_utf8(text, at).length) ++count;
  return count;
}

/// A new line is inserted behind its neighbour's last character, with the neighbour's indentation.
void write_replacement(JsonWriter& json, const Edit& edit) {
  const Origin& where = edit.where;
  std::int64_t begin = where.column;
  std::int64_t end = begin + where.length;
  std::string text = edit.replacement;
  if (edit.insert_line) {
    const std::string_view line = where.source->line(where.line);
    begin = end = code_points(line) + 1;
    text = fmt::format("\n{}{}", line.substr(0, line.find_first_not_of(' ')), edit.replacement);
  }
  json.begin_object(Layout::one_line).key("deletedRegion").begin_object();
  json.key("startLine").integer(where.line).key("startColumn").integer(begin);
  json.key("endLine").integer(where.line).key("endColumn").integer(end).end_object();
  write_message(json, "insertedContent", text);
  json.end_object();
}

void write_fixes(JsonWriter& json, const Finding& finding, const Repository& repository) {
  json.key("fixes").begin_array();
  for (const Fix& fix : finding.fixes) {
    json.begin_object();
    write_message(json, "description", fix.title);
    json.key("artifactChanges").begin_array();
    for (const Edit& edit : fix.edits) {
      json.begin_object();
      write_artifact(json, repository.place(edit.where).path);
      json.key("replacements").begin_array();
      write_replacement(json, edit);
      json.end_array().end_object();
    }
    json.end_array();
    json.key("properties").begin_object(Layout::one_line).key("safe").boolean(fix.safe).end_object();
    json.end_object();
  }
  json.end_array();
}

void write_rule(JsonWriter& json, const RuleInfo& rule) {
  json.begin_object();
  json.key("id").string(rule.id).key("name").string(rule.name);
  write_message(json, "shortDescription", rule.summary);
  write_message(json, "fullDescription", join(explanation_paragraphs(rule), "\n"));
  json.key("help").begin_object().key("text").string(rule_to_text({.rule = &rule}, {}));
  json.key("markdown").string(rule_to_markdown({.rule = &rule})).end_object();
  json.key("defaultConfiguration").begin_object(Layout::one_line);
  json.key("level").string(to_string(rule.severity)).end_object();
  json.key("properties").begin_object(Layout::one_line);
  json.key("tags").begin_array().string(rule_owner(rule)).string(to_string(rule.stage)).end_array();
  json.key("stage").string(to_string(rule.stage)).key("runtime_site").string(rule.runtime_site).end_object();
  json.end_object();
}

}  // namespace

std::string path_to_uri(std::string_view path) {
  constexpr std::string_view plain = "-._~/!$'()*+,;=@";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

void write_sarif_result(JsonWriter& json, const SarifResult& result, const Repository& repository) {
  const Finding& finding = result.finding;
  std::string message = shortened(finding.message);
  for (const std::string& line : repository.remarks(finding)) message += "\n" + line;
  json.begin_object();
  json.key("ruleId").string(finding.rule->id).key("level").string(to_string(finding.severity));
  write_message(json, "message", message);
  write_locations(json, result, repository);
  write_related(json, finding, repository);
  json.key("partialFingerprints").begin_object(Layout::one_line);
  json.key("primusPlan/v1").string(result.fingerprint).end_object();
  write_fixes(json, finding, repository);
  json.end_object();
}

void write_sarif_tool(JsonWriter& json, const ToolInfo& tool, const std::vector<const RuleInfo*>& rules) {
  json.begin_object().key("driver").begin_object();
  json.key("name").string("primus-plan").key("version").string(tool.version);
  json.key("semanticVersion").string(tool.version);
  json.key("rules").begin_array();
  for (const RuleInfo* rule : rules) write_rule(json, *rule);
  json.end_array();
  json.key("properties").begin_object(Layout::one_line).key("pins").begin_object();
  for (const auto& [framework, version] : tool.pins) json.key(framework).string(version);
  json.end_object().end_object();
  json.end_object().end_object();
}

}  // namespace primus_plan
