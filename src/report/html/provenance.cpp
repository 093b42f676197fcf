#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"
#include "report/why_steps.h"

namespace primus_plan::html {

namespace {

/// A key with its history.
struct History {
  std::string key;
  std::vector<WhyStep> steps;
};

/// Who had the last word before the runtime.
enum class Owner : std::uint8_t { user, runtime, preset };

bool is_of_runtime(const WhyStep& step) { return step.layer == to_string(Layer::runtime); }

class Histories {
 public:
  explicit Histories(const View& view) : analysis_(view.analysis()), module_(view.page.module) {
    if (module_ == nullptr || module_->params == nullptr) return;
    walk(*module_->params, "");
    for (const auto& [key, value] : analysis_.effective) {
      if (module_->params->entry_at_path(key) == nullptr) add(key, nullptr);
    }
  }

  const std::vector<History>& of(Owner owner) const { return lists_[static_cast<std::size_t>(owner)]; }

 private:
  void walk(const Node& mapping, const std::string& prefix) {
    for (const Entry& entry : mapping.entries()) {
      if (!entry.key->is_string()) continue;
      const std::string key = prefix + entry.key->text;
      if (entry.value->is_mapping() && !entry.value->entries().empty()) {
        walk(*entry.value, key + ".");
      } else {
        add(key, &entry);
      }
    }
  }

  void add(const std::string& key, const Entry* entry) {
    std::vector<WhyStep> steps = why_steps({.key = key, .module = module_, .entry = entry, .analysis = &analysis_});
    if (steps.empty()) return;
    Owner owner = Owner::preset;
    if (entry != nullptr && is_written(entry->value->origin ? entry->value->origin : entry->key_origin)) {
      owner = Owner::user;
    } else if (is_of_runtime(steps.back())) {
      owner = Owner::runtime;
    }
    lists_[static_cast<std::size_t>(owner)].push_back({key, std::move(steps)});
  }

  const Analysis& analysis_;
  const Module* module_;
  std::vector<History> lists_[3];
};

void write_value(Markup& out, const std::string& key, const WhyStep& step) {
  out.element("code", key, {{"class", "k"}}).element("code", step.value, {{"class", "v"}});
}

void write_ladder(Markup& out, const View& view, const History& history) {
  out.open("details", {{"class", "key"}, {"id", key_id(view, history.key)}}).open("summary");
  const WhyStep& last = history.steps.back();
  write_value(out, history.key, last);
  out.element("span", last.place.empty() ? last.layer : last.place).close().open("ol");
  for (const WhyStep& step : history.steps) {
    out.open("li", {{"class", step.wins ? "wins" : ""}});
    out.element("b", step.layer).raw(" ").element("code", step.value);
    if (!step.place.empty()) out.raw(" ").element("span", step.place);
    if (!step.remark.empty()) out.raw(" ").element("i", step.remark);
    out.close();
  }
  out.close().close().line();
}

void write_ladders(Markup& out, const View& view, const std::vector<History>& histories) {
  for (const History& history : histories) write_ladder(out, view, history);
}

/// "path:line:column" cut into the path and the line.
std::pair<std::string, std::string> split_place(const std::string& place) {
  const std::size_t column = place.rfind(':');
  const std::size_t line = column == std::string::npos || column == 0 ? column : place.rfind(':', column - 1);
  if (line == std::string::npos) return {place, ""};
  return {place.substr(0, line), place.substr(line + 1, column - line - 1)};
}

/// Values that one preset alone sets, by file: a ladder of one rung would only say the same again.
void write_presets(Markup& out, const View& view, const std::vector<History>& histories) {
  std::map<std::string, std::vector<const History*>> by_file;
  for (const History& history : histories) {
    if (history.steps.size() == 1) by_file[split_place(history.steps.front().place).first].push_back(&history);
  }
  for (const History& history : histories) {
    if (history.steps.size() > 1) write_ladder(out, view, history);
  }
  for (const auto& [file, keys] : by_file) {
    out.element(view.is_only ? "h3" : "h4", file.empty() ? "without a file" : file, {{"class", "source"}})
        .open("ul", {{"class", "keys"}});
    for (const History* history : keys) {
      const WhyStep& step = history->steps.front();
      out.open("li", {{"id", key_id(view, history->key)}});
      write_value(out, history->key, step);
      const std::string line = split_place(step.place).second;
      if (!line.empty()) out.element("span", ":" + line);
      out.close().line();
    }
    out.close();
  }
}

void write_group(Markup& out, const View& view, const std::vector<History>& histories, const char* title, bool open) {
  if (histories.empty()) return;
  const std::string text = fmt::format("{}: {}", title, counted(static_cast<std::int64_t>(histories.size()), "key"));
  open ? out.open("details", {{"class", "group"}, {"open", ""}}) : out.open("details", {{"class", "group quiet"}});
  out.element("summary", text);
  open ? write_ladders(out, view, histories) : write_presets(out, view, histories);
  out.close();
}

/// Where the value stands, or the key's name.
bool stands_at(const Entry& entry, const Origin& origin) {
  return entry.value->origin == origin || entry.key_origin == origin;
}

std::string key_below(const Node& mapping, const std::string& prefix, const Origin& origin) {
  for (const Entry& entry : mapping.entries()) {
    if (!entry.key->is_string()) continue;
    std::string key = prefix + entry.key->text;
    if (!entry.value->is_mapping() || entry.value->entries().empty()) {
      if (stands_at(entry, origin)) return key;
    } else if (std::string below = key_below(*entry.value, key + ".", origin); !below.empty()) {
      return below;
    }
  }
  return {};
}

}  // namespace

std::string key_at(const View& view, const Origin& origin) {
  const Module* module = view.page.module;
  if (!origin || module == nullptr || module->params == nullptr) return {};
  return key_below(*module->params, "", origin);
}

void write_provenance(Markup& out, const View& view) {
  if (view.page.module == nullptr || view.page.module->params == nullptr) return;
  const Histories histories(view);
  open_section(out, view, "values", "Where values come from");
  out.element(
      "p",
      "Each key opens to its history: every layer that wrote it, the weakest first, then what the runtime makes of it.",
      {{"class", "lead"}});
  write_group(out, view, histories.of(Owner::user), "Written by the experiment, its variables or the command line",
              true);
  write_group(out, view, histories.of(Owner::runtime), "Made by the runtime", false);
  write_group(out, view, histories.of(Owner::preset), "From presets", false);
  out.close();
}

}  // namespace primus_plan::html
