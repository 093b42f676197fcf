#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_map>

#include "primus_plan/config/embedded.h"
#include "primus_plan/estimate/measured.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Takes the next line of a CSV text apart (RFC 4180: quoted cells may hold commas, quotes and line ends). `quoted`
/// says at the end whether the text ended inside quotes.
std::vector<std::string> next_record(std::string_view& text, bool& quoted) {
  std::vector<std::string> cells(1);
  quoted = false;
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

std::vector<std::string> next_record(std::string_view& text) {
  bool unclosed = false;
  return next_record(text, unclosed);
}

/// Nothing in a table is negative, and no size is beyond 32 bits: products of two stay exact.
constexpr double largest_number = 2e9;

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 && value <= largest_number ? std::optional(value) : std::nullopt;
}

double number(const std::string& text) { return parse_number(text).value_or(0); }

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

/// Without these no row can be estimated.
constexpr std::string_view needed_columns[] = {"gpu",   "gpus", "framework", "model", "layers", "hidden", "heads",
                                               "vocab", "tp",   "pp",        "mbs",   "gbs",    "seq",    "precision"};
/// At least one of these is what there is to compare.
constexpr std::array<std::string_view, 3> figure_columns = {"iter_s", "tok_s_gpu", "mem_gib"};

bool is_number_column(std::string_view name) {
  const auto named = [name](const auto& column) { return column.name == name; };
  return std::ranges::any_of(count_columns, named) || std::ranges::any_of(number_columns, named) ||
         std::ranges::any_of(flag_columns, named);
}

/// What is wrong with the names of the columns.
std::optional<std::string> fault_of_header(const std::vector<std::string>& header) {
  const auto has = [&](std::string_view name) { return std::ranges::find(header, name) != header.end(); };
  std::vector<std::string_view> missing;
  std::ranges::copy_if(needed_columns, std::back_inserter(missing), [&](std::string_view name) { return !has(name); });
  if (!missing.empty()) return fmt::format("the first line lacks the columns {}", join(missing, ", "));
  if (std::ranges::none_of(figure_columns, has)) {
    return fmt::format("the first line has none of the columns {}: there is nothing to compare",
                       join(figure_columns, ", "));
  }
  for (const std::string& name : header) {
    if (std::ranges::count(header, name) > 1) return fmt::format("the first line names the column {} twice", name);
  }
  return std::nullopt;
}

/// What is wrong with the cells of a row.
std::optional<std::string> fault_of_cells(const std::vector<std::string>& header,
                                          const std::vector<std::string>& cells) {
  if (cells.size() != header.size()) return fmt::format("{} cells under {} columns", cells.size(), header.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty() || !is_number_column(header[i]) || parse_number(cells[i])) continue;
    constexpr std::size_t shown = 40;
    return fmt::format("{} is {}{}, which is no number from 0 to 2,000,000,000", header[i], cells[i].substr(0, shown),
                       cells[i].size() > shown ? "..." : "");
  }
  return std::nullopt;
}

/// Spreadsheets put a byte order mark in front.
void remove_mark(std::string_view& csv) {
  if (csv.starts_with("\xef\xbb\xbf")) csv.remove_prefix(3);
}

}  // namespace

std::optional<std::string> fault_of_measured(std::string_view csv) {
  remove_mark(csv);
  const std::string_view whole = csv;
  const auto line = [&](std::string_view rest) {
    return 1 + std::count(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(rest.size()), '\n');
  };
  bool unclosed = false;
  const std::vector<std::string> header = next_record(csv, unclosed);
  if (!unclosed) {
    if (auto fault = fault_of_header(header)) return fault;
  }
  std::size_t rows = 0;
  while (!csv.empty() && !unclosed) {
    const auto at = line(csv);
    const std::vector<std::string> cells = next_record(csv, unclosed);
    if (unclosed) return fmt::format("a quote of the row in line {} is never closed", at);
    if (cells.size() == 1 && cells[0].empty()) continue;
    ++rows;
    if (auto fault = fault_of_cells(header, cells)) return fmt::format("line {}: {}", at, *fault);
  }
  if (unclosed) return "a quote of the first line is never closed";
  return rows == 0 ? std::optional<std::string>("there are no rows below the first line") : std::nullopt;
}

std::vector<MeasuredRow> read_measured(std::string_view csv) {
  remove_mark(csv);
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
    if (!columns.contains("complete")) row.complete = true;  // whoever measured it has no doubts
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
