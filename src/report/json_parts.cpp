#include "report/json_parts.h"

#include "report/node_json.h"

namespace primus_plan {

using Layout = JsonWriter::Layout;

void write_count(JsonWriter& json, std::string_view key, std::int64_t value) {
  json.key(key);
  value > 0 ? json.integer(value) : json.null();
}

void write_real(JsonWriter& json, std::string_view key, double value) {
  json.key(key);
  value > 0 ? json.real(value) : json.null();
}

void write_known(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  value ? json.real(*value) : json.null();
}

void write_lines(JsonWriter& json, std::string_view key, const std::vector<std::string>& lines) {
  json.key(key).begin_array();
  for (const std::string& line : lines) json.string(line);
  json.end_array();
}

void write_range(JsonWriter& json, std::string_view key, const MemoryRange& range) {
  json.key(key).begin_object(Layout::one_line);
  json.key("low").real(range.low).key("expected").real(range.expected).key("high").real(range.high);
  json.end_object();
}

namespace {

void write_text(JsonWriter& json, std::string_view key, std::string_view value) { json.key(key).string(value); }

void write_launch(JsonWriter& json, const Launch& launch) {
  json.key("launch").begin_object(Layout::one_line);
  write_count(json, "world_size", launch.world_size);
  write_count(json, "nodes", launch.nodes);
  write_count(json, "gpus_per_node", launch.gpus_per_node);
  write_text(json, "source", launch.source);
  json.key("assumed").boolean(launch.assumed).end_object();
}

void write_degrees(JsonWriter& json, const Degrees& degrees) {
  json.key("degrees").begin_object(Layout::one_line);
  write_count(json, "tensor", degrees.tensor);
  write_count(json, "pipeline", degrees.pipeline);
  write_count(json, "virtual_pipeline", degrees.virtual_pipeline);
  write_count(json, "context", degrees.context);
  write_count(json, "expert", degrees.expert);
  write_count(json, "expert_tensor", degrees.expert_tensor);
  write_count(json, "data", degrees.data);
  write_count(json, "data_replicate", degrees.data_replicate);
  write_count(json, "data_shard", degrees.data_shard);
  write_count(json, "expert_data", degrees.expert_data);
  json.end_object();
}

void write_batch(JsonWriter& json, const Batch& batch) {
  json.key("batch").begin_object(Layout::one_line);
  write_count(json, "micro", batch.micro);
  write_count(json, "global", batch.global);
  if (batch.starts_empty) {
    json.key("accumulation_steps").integer(0);
  } else {
    write_count(json, "accumulation_steps", batch.accumulation_steps);
  }
  write_count(json, "sequence_length", batch.sequence_length);
  write_count(json, "tokens_per_step", batch.tokens_per_step());
  json.end_object();
}

/// Lines and columns are 1-based; the end column is one past the last character. Null = unknown.
void write_location(JsonWriter& json, const Origin& origin, const std::string& path) {
  json.key("location").begin_object(Layout::one_line);
  write_text(json, "path", origin ? origin.source->path() : path);
  write_count(json, "line", origin.line);
  write_count(json, "column", origin.column);
  write_count(json, "end_line", origin.line);
  write_count(json, "end_column", origin.column == 0 ? 0 : origin.column + origin.length);
  json.end_object();
}

void write_fixes(JsonWriter& json, const std::vector<Fix>& fixes, const std::string& path) {
  json.key("fixes").begin_array();
  for (const Fix& fix : fixes) {
    json.begin_object();
    write_text(json, "title", fix.title);
    json.key("safe").boolean(fix.safe).key("edits").begin_array();
    for (const Edit& edit : fix.edits) {
      json.begin_object(Layout::one_line);
      write_location(json, edit.where, path);
      write_text(json, "replacement", edit.replacement);
      json.key("insert_line").boolean(edit.insert_line).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void write_finding(JsonWriter& json, const Finding& finding, const Origin& fallback, const std::string& path) {
  const RuleInfo& rule = *finding.rule;
  json.begin_object();
  write_text(json, "rule", rule.id);
  write_text(json, "name", rule.name);
  write_text(json, "severity", to_string(finding.severity));
  write_text(json, "stage", to_string(rule.stage));
  write_text(json, "runtime_site", rule.runtime_site);
  write_text(json, "message", finding.message);
  write_location(json, finding.primary.origin ? finding.primary.origin : fallback, path);
  json.key("related").begin_array();
  for (const Label& label : finding.related) {
    json.begin_object(Layout::one_line);
    write_location(json, label.origin, path);
    write_text(json, "message", label.text);
    json.end_object();
  }
  json.end_array();
  write_lines(json, "because", finding.because);
  write_lines(json, "help", finding.help);
  write_fixes(json, finding.fixes, path);
  json.end_object();
}

namespace {

void write_findings(JsonWriter& json, const std::vector<Finding>& findings, const Origin& fallback,
                    const std::string& path) {
  json.key("findings").begin_array();
  for (const Finding& finding : findings) write_finding(json, finding, fallback, path);
  json.end_array();
}

/// Layers of each pipeline rank and model chunk.
void write_stages(JsonWriter& json, const std::vector<std::vector<StageChunk>>& stages) {
  json.key("stages").begin_array();
  for (const std::vector<StageChunk>& rank : stages) {
    json.begin_array(Layout::one_line);
    for (const StageChunk& chunk : rank) {
      json.begin_object(Layout::one_line);
      json.key("first_layer").integer(chunk.first_layer).key("layers").integer(chunk.layers);
      json.key("embedding").boolean(chunk.embedding).key("loss").boolean(chunk.loss);
      json.key("mtp_layers").integer(chunk.mtp_layers).end_object();
    }
    json.end_array();
  }
  json.end_array();
}

void write_rewrites(JsonWriter& json, const std::vector<Rewrite>& rewrites) {
  json.key("rewrites").begin_array();
  for (const Rewrite& rewrite : rewrites) {
    json.begin_object(Layout::one_line);
    write_text(json, "key", rewrite.key);
    write_text(json, "from", rewrite.from);
    write_text(json, "to", rewrite.to);
    write_text(json, "because", rewrite.because);
    json.end_object();
  }
  json.end_array();
}

void write_legal_worlds(JsonWriter& json, const std::vector<LegalWorld>& worlds) {
  json.key("legal_worlds").begin_array();
  for (const LegalWorld& world : worlds) {
    json.begin_object(Layout::one_line);
    write_count(json, "nodes", world.nodes);
    write_count(json, "world_size", world.world_size);
    write_count(json, "data", world.data);
    write_count(json, "accumulation_steps", world.accumulation_steps);
    json.end_object();
  }
  json.end_array();
}

void write_repairs(JsonWriter& json, const std::vector<Repair>& repairs) {
  json.key("repairs").begin_array();
  for (const Repair& repair : repairs) {
    json.begin_object(Layout::one_line).key("changes").begin_array();
    for (const KeyChange& change : repair.changes) {
      json.begin_object();
      write_text(json, "key", change.key);
      json.key("from");
      change.from ? void(json.integer(*change.from)) : void(json.null());
      json.key("to").integer(change.to).end_object();
    }
    json.end_array();
    write_count(json, "tokens_per_step", repair.tokens_per_step);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_module(JsonWriter& json, const Analysis& module) {
  json.begin_object();
  write_text(json, "path", module.path);
  write_text(json, "module", module.module);
  write_text(json, "backend", module.framework);
  write_text(json, "presets", module.presets);
  write_text(json, "verdict", to_string(module.verdict));
  write_launch(json, module.run.launch);
  write_degrees(json, module.run.degrees);
  write_batch(json, module.run.batch);
  write_stages(json, module.run.stages);
  json.key("effective").begin_object();
  for (const auto& [key, value] : module.effective) {
    json.key(key);
    value == nullptr ? void(json.null()) : write_node(json, *value);
  }
  json.end_object();
  write_rewrites(json, module.rewrites);
  write_lines(json, "notes", module.notes);
  write_legal_worlds(json, module.legal_worlds);
  write_repairs(json, module.repairs);
  write_findings(json, module.findings, module.origin, module.path);
  json.end_object();
}

void write_unloaded(JsonWriter& json, const FileReport& file) {
  json.begin_object();
  write_text(json, "path", file.path);
  json.key("module").null().key("backend").null().key("presets").null();
  write_text(json, "verdict", to_string(Verdict::error));
  write_launch(json, {.gpus_per_node = 0, .source = {}});
  write_degrees(json,
                {.tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0});
  write_batch(json, {});
  write_stages(json, {});
  json.key("effective").begin_object().end_object();
  write_rewrites(json, {});
  write_lines(json, "notes", {});
  write_legal_worlds(json, {});
  write_repairs(json, {});
  write_findings(json, file.load_errors, {}, file.path);
  json.end_object();
}

void write_run_identity(JsonWriter& json, const Analysis& analysis) {
  json.key("path").string(analysis.path);
  json.key("module").string(analysis.module);
  json.key("backend").string(analysis.framework);
  json.key("world_size").integer(analysis.run.launch.world_size);
  json.key("world_size_assumed").boolean(analysis.run.launch.assumed);
}

void write_part(JsonWriter& json, const Hardware& part, const std::string& source) {
  json.begin_object(JsonWriter::Layout::one_line);
  json.key("name").string(part.name).key("source").string(source);
  json.key("memory_bytes").real(part.memory_bytes);
  json.end_object();
}

}  // namespace primus_plan
