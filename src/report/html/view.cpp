#include "report/html/view.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/number.h"
#include "report/json_writer.h"

namespace primus_plan::html {

namespace {

constexpr double bar_width = 1000;

void write_figure(Markup& out, const std::string& pointer, const std::string& value, std::string_view text) {
  out.element("data", text, {{"value", value}, {"data-of", pointer}});
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

}  // namespace

std::string View::id(std::string_view name) const {
  return is_only ? std::string(name) : fmt::format("m{}-{}", index + 1, name);
}

std::string View::at(std::string_view path) const { return fmt::format("/modules/{}/{}", index, path); }

std::string key_id(const View& view, std::string_view key) {
  std::string out = view.id("key-");
  for (const char c : key) {
    if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format(":{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

bool has_history(const View& view, std::string_view key) {
  const Module* module = view.page.module;
  if (module == nullptr || module->params == nullptr) return false;
  const auto is_key = [key](const auto& effective) { return effective.first == key; };
  const Entry* entry = module->params->entry_at_path(key);
  if (entry != nullptr) return !entry->value->is_mapping() || entry->value->entries().empty();
  return std::ranges::any_of(view.analysis().effective, is_key);
}

void open_section(Markup& out, const View& view, std::string_view name, std::string_view title) {
  const std::string heading = view.id(fmt::format("{}-title", name));
  out.line().open("section", {{"id", view.id(name)}, {"aria-labelledby", heading}});
  out.element(view.is_only ? "h2" : "h3", title, {{"id", heading}});
}

void subheading(Markup& out, const View& view, std::string_view title) {
  out.element(view.is_only ? "h3" : "h4", title);
}

void figure(Markup& out, const View& view, std::string_view path, std::int64_t value, std::string_view text) {
  write_figure(out, view.at(path), fmt::format("{}", value), text);
}

void figure(Markup& out, const View& view, std::string_view path, double value, std::string_view text) {
  write_figure(out, view.at(path), real_text(value), text);
}

void count(Markup& out, const View& view, std::string_view path, std::int64_t value) {
  value > 0 ? figure(out, view, path, value, with_commas(value)) : void(out.text("unknown"));
}

void bar(Markup& out, const std::vector<Piece>& pieces, double mark) {
  out.open("svg",
           {{"class", "bar"}, {"viewBox", "0 0 1000 10"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
  double at = 0;
  for (const Piece& piece : pieces) {
    const double width = std::min(piece.share, 1.0) * bar_width;
    if (width <= 0) continue;
    out.empty("rect", {{"class", piece.style},
                       {"x", fmt::format("{:.1f}", at)},
                       {"width", fmt::format("{:.1f}", width)},
                       {"height", "10"}});
    at += width;
  }
  if (mark >= 0) {
    const std::string x = fmt::format("{:.1f}", std::min(mark, 1.0) * bar_width);
    out.empty("line", {{"class", "capacity"}, {"x1", x}, {"x2", x}, {"y1", "0"}, {"y2", "10"}});
  }
  out.close();
}

void legend(Markup& out, const std::vector<LegendEntry>& entries) {
  out.open("ul", {{"class", "legend"}});
  for (const LegendEntry& entry : entries) {
    out.open("li");
    out.open("svg", {{"class", "chip"}, {"viewBox", "0 0 10 10"}, {"aria-hidden", "true"}});
    out.empty("rect", {{"class", entry.style}, {"width", "10"}, {"height", "10"}}).close();
    out.text(entry.text).close();
  }
  out.close();
}

Rows choose_rows(std::size_t count, std::size_t most) {
  Rows rows;
  if (count <= most) {
    for (std::size_t i = 0; i < count; ++i) rows.first.push_back(i);
    return rows;
  }
  for (std::size_t i = 0; i + 1 < most; ++i) rows.first.push_back(i);
  rows.last.push_back(count - 1);
  rows.hidden = count - most;
  return rows;
}

std::string gib_text(double bytes) { return fmt::format("{:.1f} GiB", bytes / gib); }

std::string seconds_text(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", 1000 * seconds);
  return seconds < 100 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace primus_plan::html
