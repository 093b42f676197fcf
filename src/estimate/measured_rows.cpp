#include <charconv>
#include <string>
#include <unordered_map>

#include "primus_plan/config/embedded.h"
#include "primus_plan/estimate/measured.h"

namespace primus_plan {
namespace {

/// Takes the next line of a CSV text apart (RFC 4180: quoted cells may hold commas, quotes and line ends).
std::vector<std::string> next_record(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        cells.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cells.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(at < text.size() ? at + 1 : at);
  return cells;
}

double number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Nothing in a table is negative, and no size is beyond 32 bits: products of two stay exact.
  return error == std::errc() && value >= 0 && value < 2e9 ? value : 0;
}

/// The members that one kind of cell is read into, by the name of the column.
struct TextColumn {
  std::string_view name;
  std::string MeasuredRow::*member;
};
struct CountColumn {
  std::string_view name;
  std::int64_t MeasuredRow::*member;
};
struct NumberColumn {
  std::string_view name;
  double MeasuredRow::*member;
};
struct FlagColumn {
  std::string_view name;
  bool MeasuredRow::*member;
};

constexpr TextColumn text_columns[] = {
    {"id", &MeasuredRow::id},
    {"source", &MeasuredRow::source},
    {"gpu", &MeasuredRow::gpu},
    {"framework", &MeasuredRow::framework},
    {"model", &MeasuredRow::model},
    {"precision", &MeasuredRow::precision},
    {"recompute", &MeasuredRow::recompute},
    {"opt_shard", &MeasuredRow::state},
    {"schedule", &MeasuredRow::schedule},
    {"moe_balance", &MeasuredRow::balance},
    {"mem_kind", &MeasuredRow::memory_kind},
    {"note", &MeasuredRow::note},
};

constexpr CountColumn count_columns[] = {
    {"gpus", &MeasuredRow::gpus},
    {"layers", &MeasuredRow::layers},
    {"hidden", &MeasuredRow::hidden},
    {"ffn", &MeasuredRow::ffn},
    {"heads", &MeasuredRow::heads},
    {"kv_heads", &MeasuredRow::kv_heads},
    {"head_dim", &MeasuredRow::head_width},
    {"vocab", &MeasuredRow::vocabulary},
    {"experts", &MeasuredRow::experts},
    {"topk", &MeasuredRow::experts_per_token},
    {"moe_ffn", &MeasuredRow::expert_ffn},
    {"shared_ffn", &MeasuredRow::shared_ffn},
    {"dense_first", &MeasuredRow::leading_dense_layers},
    {"q_lora", &MeasuredRow::q_rank},
    {"kv_lora", &MeasuredRow::kv_rank},
    {"tp", &MeasuredRow::tensor},
    {"pp", &MeasuredRow::pipeline},
    {"cp", &MeasuredRow::context},
    {"ep", &MeasuredRow::expert},
    {"etp", &MeasuredRow::expert_tensor},
    {"vpp", &MeasuredRow::virtual_pipeline},
    {"dp", &MeasuredRow::data},
    {"fsdp", &MeasuredRow::fsdp},
    {"mbs", &MeasuredRow::micro_batch},
    {"gbs", &MeasuredRow::global_batch},
    {"ga", &MeasuredRow::accumulation_steps},
    {"seq", &MeasuredRow::sequence_length},
};

constexpr NumberColumn number_columns[] = {
    {"gpu_mem_gib", &MeasuredRow::gpu_memory_gib}, {"tok_s_gpu", &MeasuredRow::tokens_per_second_per_gpu},
    {"tflops_gpu", &MeasuredRow::tflops_per_gpu},  {"iter_s", &MeasuredRow::step_seconds},
    {"mfu_pct", &MeasuredRow::mfu_percent},        {"mem_gib", &MeasuredRow::memory_gib},
};

constexpr FlagColumn flag_columns[] = {
    {"swiglu", &MeasuredRow::gated},         {"tied", &MeasuredRow::tied},
    {"mla", &MeasuredRow::latent_attention}, {"seq_parallel", &MeasuredRow::sequence_parallel},
    {"complete", &MeasuredRow::complete},
};

}  // namespace

std::vector<MeasuredRow> read_measured(std::string_view csv) {
  std::unordered_map<std::string, std::size_t> columns;
  const std::vector<std::string> header = next_record(csv);
  for (std::size_t i = 0; i < header.size(); ++i) columns.emplace(header[i], i);

  std::vector<MeasuredRow> rows;
  static const std::string none;
  while (!csv.empty()) {
    const std::vector<std::string> cells = next_record(csv);
    if (cells.size() == 1 && cells[0].empty()) continue;
    const auto cell = [&](std::string_view name) -> const std::string& {
      const auto found = columns.find(std::string(name));
      return found != columns.end() && found->second < cells.size() ? cells[found->second] : none;
    };
    MeasuredRow& row = rows.emplace_back();
    for (const auto& column : text_columns) row.*column.member = cell(column.name);
    for (const auto& column : count_columns) row.*column.member = static_cast<std::int64_t>(number(cell(column.name)));
    for (const auto& column : number_columns) row.*column.member = number(cell(column.name));
    for (const auto& column : flag_columns) row.*column.member = number(cell(column.name)) > 0;
    row.states_sequence_parallel = !cell("seq_parallel").empty();
  }
  return rows;
}

std::string_view published_measurements() {
  for (const EmbeddedFile& file : embedded_measurements()) {
    if (file.path == "published.csv") return file.text;
  }
  return {};
}

}  // namespace primus_plan
