#include "session/show.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "primus_plan/planner/compare.h"
#include "primus_plan/report/layout.h"
#include "primus_plan/report/report.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/json_writer.h"
#include "report/overview_text.h"
#include "report/repairs_text.h"
#include "report/wrap.h"
#include "session/command.h"
#include "session/draw.h"
#include "support/lower_case.h"

namespace primus_plan::session {

namespace {

Result show_keys(Session& session, const Line& /*line*/) {
  struct Row {
    std::string key;
    std::string before;
    std::string after;
  };
  std::vector<Row> rows;
  const Node& file = *session.base()->module().params;
  for (const KeySetting& one : session.state().keys) {
    const Node* value = file.at_path(one.key);
    rows.push_back({one.key, value != nullptr ? to_text(*value) : "unset", one.value});
  }
  const Launch& from = session.base()->run().launch;
  const Launch& to = session.now()->run().launch;
  if (from.world_size != to.world_size) {
    rows.push_back({"GPUs", std::to_string(from.world_size), std::to_string(to.world_size)});
  }
  if (!session.state().hardware.empty()) {
    rows.push_back({"hw", session.base()->part.hardware.name, session.now()->part.hardware.name});
  }
  Result out;
  out.text = [rows](const TextStyle& style) {
    std::string text;
    for (const Row& row : rows)
      text += fmt::format("  {}: {} -> {}\n", escape_controls(row.key), escape_controls(row.before),
                          escape_controls(row.after));
    return text.empty() ? "nothing is changed\n" : wrapped_lines(text, style);
  };
  out.json = [rows] {
    JsonWriter json;
    json.begin_array();
    for (const Row& row : rows) {
      json.begin_object(JsonWriter::Layout::one_line).key("key").string(row.key).key("before").string(row.before);
      json.key("after").string(row.after).end_object();
    }
    json.end_array();
    return json.take();
  };
  return out;
}

Result show_findings(Session& session, const Line& /*line*/) {
  const EvaluationPtr& run = session.now();
  Result out;
  out.text = [run](const TextStyle& style) {
    const Analysis& analysis = run->analysis();
    std::string text;
    for (const Finding& finding : analysis.findings) {
      text += (text.empty() ? "" : "\n") + finding_to_text(finding, analysis.origin, analysis.path, style);
    }
    return text.empty() ? "no findings\n" : text + repairs_to_text(analysis, style);
  };
  out.json = [] { return std::string("null"); };  // a result's findings are all there already
  return out;
}

/// "show layout 37": a rank; "show layout ep": groups.
LayoutView read_view(const Line& line, const RankLayout& layout) {
  LayoutView view{.rank = {}, .all = false, .picture = true};
  if (line.count() <= 2) return view;
  const std::string& word = line[2];
  if (word.find_first_not_of("0123456789") == std::string::npos) {
    view.rank = read_rank(word, layout.world_size);
    return view;
  }
  std::vector<std::string> names;
  for (const GroupKind& kind : layout.groups) names.push_back(kind.name());
  if (std::ranges::find(names, word) == names.end())
    throw Refusal(fmt::format("no groups {}{}; there are {}", word, hint(word, names), join(names, ", ")));
  view.by = word;
  return view;
}

Result show_layout(Session& session, const Line& line) {
  auto layout = std::make_shared<std::optional<RankLayout>>(layout_of(session.subject(), *session.now()));
  if (!*layout) {
    throw Refusal("the ranks cannot be placed: the degrees do not fit the number of GPUs; see show findings");
  }
  const LayoutView view = read_view(line, **layout);
  Result out;
  out.text = [layout, view](const TextStyle& style) { return layout_to_text(**layout, view, style); };
  out.json = [layout, view] { return layout_to_json(**layout, view); };
  return out;
}

struct Topic {
  std::string_view name;
  Result (*show)(Session& session, const Line& line);
};
constexpr std::array<Topic, 6> topics{{{"keys", show_keys},
                                       {"layout", show_layout},
                                       {"memory", show_memory},
                                       {"stages", show_stages},
                                       {"schedule", show_schedule},
                                       {"findings", show_findings}}};

}  // namespace

std::vector<std::string> show_topics() {
  std::vector<std::string> out;
  out.reserve(topics.size());
  for (const Topic& topic : topics) out.emplace_back(topic.name);
  return out;
}

Result run_show(Session& session, const Line& line) {
  if (line.count() == 1) {
    Result out;
    out.text = [panel = panel_of(session)](const TextStyle& style) { return panel_to_text(panel, style); };
    out.json = [] { return std::string("null"); };  // a result's numbers are all there already
    return out;
  }
  const std::string word = lower_case(line[1]);
  const auto found = std::ranges::find_if(topics, [&](const Topic& topic) { return topic.name.starts_with(word); });
  if (found != topics.end()) return found->show(session, line);
  const std::vector<std::string> names = show_topics();
  throw Refusal(
      fmt::format("nothing to show called {}{}; there are {}", line[1], hint(line[1], names), join(names, ", ")));
}

}  // namespace primus_plan::session
