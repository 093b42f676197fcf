#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "primus_plan/report/layout.h"
#include "primus_plan/support/number.h"
#include "report/cells.h"
#include "report/layout_nodes.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr std::size_t most_peer_nodes = 16;
constexpr std::size_t most_groups_asked = 64;  // nodes whose groups are found one by one
constexpr std::string_view this_rank = "1;7";

/// Backgrounds of groups, neighbours far apart; black text reads on all of them.
constexpr std::array<std::string_view, 10> tones{"30;48;5;75",  "30;48;5;215", "30;48;5;114", "30;48;5;211",
                                                 "30;48;5;186", "30;48;5;80",  "30;48;5;182", "30;48;5;150",
                                                 "30;48;5;223", "30;48;5;146"};

/// What stands in the place of one GPU.
struct GpuCell {
  std::string text;
  std::string_view style;
};

const GroupKind* find_kind(const RankLayout& layout, std::string_view name) {
  const auto found = std::find_if(layout.groups.begin(), layout.groups.end(),
                                  [&](const GroupKind& kind) { return kind.name() == name; });
  return found == layout.groups.end() ? nullptr : &*found;
}

/// The kinds of groups that have an axis of their own and more than one rank: "tp", "pp" …
std::vector<const GroupKind*> plain_kinds(const RankLayout& layout) {
  std::vector<const GroupKind*> out;
  for (const std::string_view name : {"tp", "cp", "ep", "fsdp", "dp", "dp_replicate", "pp"}) {
    const GroupKind* kind = find_kind(layout, name);
    if (kind != nullptr && kind->size() > 1) out.push_back(kind);
  }
  return out;
}

/// As many as there is room for; fewer where all lines can be alike then.
std::size_t cells_of_a_line(std::size_t cells, std::size_t room) {
  if (cells <= room) return std::max<std::size_t>(1, cells);
  for (std::size_t count = room; 2 * count >= room && count > 1; --count) {
    if (cells % count == 0) return count;
  }
  return room;
}

/// The grid, with what each GPU's place says.
class Grid {
 public:
  Grid(const RankLayout& layout, const LayoutView& view, const TextStyle& style)
      : layout_(layout), view_(view), style_(style), paint_(style.color), pattern_(layout) {
    style_.wraps = true;
    style_.width = std::max(style.width, 40);
    for (const LayoutColumn& column : pattern_.columns()) {
      (pattern_.varies_inside(column) ? inside_ : shared_).push_back(column);
    }
    kinds_ = plain_kinds(layout);
    if (!view.by.empty()) {
      kinds_.clear();
      if (const GroupKind* kind = find_kind(layout, view.by)) kinds_.push_back(kind);
    }
    if (view.rank) {
      find_peers();
    } else if (!kinds_.empty()) {
      kinds_.resize(1);
    }
  }

  std::string text() {
    const std::vector<NodeRow> rows = view_.rank ? peer_rows() : pattern_.rows(view_.all);
    if (rows.size() > most_groups_asked) number_groups();
    std::vector<std::vector<GpuCell>> cells;
    std::size_t widest = 1;
    std::size_t label = 0;
    for (const NodeRow& row : rows) {
      cells.emplace_back();
      if (!row.folded.empty()) continue;
      for (std::int64_t rank = row.first * layout_.ranks_per_node; rank <= pattern_.last_rank(row.first); ++rank) {
        cells.back().push_back(view_.rank ? peer_cell(rank) : coordinate_cell(rank));
        widest = std::max(widest, cells.back().back().text.size());
      }
      label = std::max(label, label_of(row.first).size());
    }
    // The ranks' numbers where they cost no line.
    const auto whole = static_cast<std::size_t>(layout_.ranks_per_node) * (widest + 1);
    for (const NodeRow& row : rows) ranks_columns_ = std::max(ranks_columns_, ranks_of(row.first).size());
    const std::size_t with_ranks = label + ranks_columns_;
    numbers_ranks_ = !view_.rank && with_ranks + 1 + whole <= static_cast<std::size_t>(style_.width);
    if (numbers_ranks_) label = with_ranks;
    // A label that leaves no room for the GPUs stands above them.
    const auto width = static_cast<std::size_t>(style_.width);
    const bool above = label + 2 + widest > width || label > width / 2;
    const std::size_t indent = above ? 4 : label + 2;
    std::string out = head();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out += rows[i].folded.empty() ? node_lines(rows[i].first, cells[i], widest, indent, above) : fold_line(rows[i]);
    }
    return out + foot();
  }

 private:
  std::string head() const {
    const std::string text = fmt::format("{} on nodes of {}, fastest axis first: {}",
                                         counted(layout_.world_size, "rank"), layout_.ranks_per_node, layout_.order);
    return wrapped(text, 2, style_) + "\n";
  }

  std::string ranks_of(std::int64_t node) const {
    const std::int64_t first = node * layout_.ranks_per_node;
    const std::int64_t last = pattern_.last_rank(node);
    return first == last ? fmt::format(" ({})", first) : fmt::format(" ({}-{})", first, last);
  }

  /// "node 4 (32-39) pp0 dp1": what all GPUs of the node share.
  std::string label_of(std::int64_t node) const {
    std::string text = fmt::format("  node {:<{}}", node, fmt::format("{}", pattern_.nodes() - 1).size());
    if (numbers_ranks_) {
      const std::string ranks = ranks_of(node);
      text += ranks + std::string(ranks_columns_ - ranks.size(), ' ');
    }
    const std::int64_t rank = node * layout_.ranks_per_node;
    for (const LayoutColumn& column : shared_) {
      const std::size_t digits = fmt::format("{}", column.axis.size - 1).size();
      text += fmt::format(" {}{:<{}}", column.title, column.grid->coordinate(rank, column.axis.name), digits);
    }
    return text;
  }

  std::string node_lines(std::int64_t node, const std::vector<GpuCell>& cells, std::size_t widest, std::size_t indent,
                         bool above) const {
    const auto width = static_cast<std::size_t>(style_.width);
    const std::size_t room = std::max<std::size_t>(1, (width - std::min(width, indent) + 1) / (widest + 1));
    const std::size_t in_line = cells_of_a_line(cells.size(), room);
    const std::string label = label_of(node);
    std::string out = above ? wrapped(label, 4, style_) + "\n" : "";
    for (std::size_t begin = 0; begin < cells.size(); begin += in_line) {
      std::string line =
          above || begin > 0 ? std::string(indent, ' ') : label + std::string(indent - label.size(), ' ');
      for (std::size_t i = begin; i < std::min(cells.size(), begin + in_line); ++i) {
        const bool last = i + 1 == std::min(cells.size(), begin + in_line);
        const std::string pad(widest - cells[i].text.size(), ' ');
        const std::string padded = cells[i].style.empty() && last ? cells[i].text : cells[i].text + pad;
        line += (cells[i].style.empty() ? padded : paint_.styled(cells[i].style, padded)) + (last ? "" : " ");
      }
      if (!paint_.has_color()) line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

  std::string fold_line(const NodeRow& row) const {
    const std::string nodes =
        row.first == row.last ? fmt::format("node {}", row.first) : fmt::format("nodes {} to {}", row.first, row.last);
    return paint_.faint(wrapped(fmt::format("  … {}: {}", nodes, row.folded), 4, style_)) + "\n";
  }

  // ---- every rank with its coordinates ----

  GpuCell coordinate_cell(std::int64_t rank) {
    std::string text;
    for (const LayoutColumn& column : inside_) {
      text +=
          fmt::format("{}{}{}", text.empty() ? "" : " ", column.title, column.grid->coordinate(rank, column.axis.name));
    }
    if (text.empty()) text = fmt::format("rank {}", rank);
    if (kinds_.empty()) return {text, {}};
    const std::int64_t first = first_of_group(rank);
    if (first < 0) return {text, {}};
    if (!paint_.has_color() && !view_.by.empty()) text += fmt::format(" @{}", first);
    const auto [found, ignored] = tone_of_group_.emplace(first, tone_of_group_.size());
    return {text, tones[found->second % tones.size()]};
  }

  /// The lowest rank of the group; -1 for a rank that the kind leaves out.
  std::int64_t first_of_group(std::int64_t rank) const {
    if (!first_of_.empty()) return first_of_[static_cast<std::size_t>(rank)];
    const std::vector<std::int64_t> group = kinds_[0]->group_of(rank);
    return group.empty() ? -1 : *std::min_element(group.begin(), group.end());
  }

  /// For very many ranks: each group is visited once rather than for each of its ranks.
  void number_groups() {
    if (kinds_.empty() || view_.rank) return;
    first_of_.assign(static_cast<std::size_t>(layout_.world_size), -1);
    for (std::int64_t i = 0; i < kinds_[0]->count(); ++i) {
      const std::vector<std::int64_t> group = kinds_[0]->group(i);
      const std::int64_t first = *std::min_element(group.begin(), group.end());
      for (const std::int64_t rank : group) first_of_[static_cast<std::size_t>(rank)] = first;
    }
  }

  // ---- one rank and its peers ----

  void find_peers() {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      for (const std::int64_t peer : kinds_[i]->group_of(*view_.rank)) {
        if (peer != *view_.rank) peers_[peer].push_back(i);
      }
    }
  }

  std::vector<NodeRow> peer_rows() {
    const std::int64_t own = *view_.rank / layout_.ranks_per_node;
    std::vector<std::int64_t> nodes = {own};
    for (const auto& [peer, ignored] : peers_) nodes.push_back(peer / layout_.ranks_per_node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (view_.all || nodes.size() <= most_peer_nodes) return pattern_.rows_of(nodes, "no GPU of these groups");
    // The first ones, and the rank's own with its neighbours.
    const auto at = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), own) - nodes.begin());
    std::vector<std::int64_t> drawn_nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t away = i > at ? i - at : at - i;
      if (i < most_peer_nodes / 2 || away < most_peer_nodes / 4) drawn_nodes.push_back(nodes[i]);
    }
    peer_nodes_left_out_ = nodes.size() - drawn_nodes.size();
    return pattern_.rows_of(drawn_nodes, "not drawn");
  }

  GpuCell peer_cell(std::int64_t rank) const {
    if (rank == *view_.rank) return {fmt::format("[{}]", rank), this_rank};
    const auto found = peers_.find(rank);
    if (found == peers_.end()) return {".", {}};
    std::string text;
    for (const std::size_t kind : found->second) text += (text.empty() ? "" : "+") + kinds_[kind]->name();
    return {text, tones[found->second.front() % tones.size()]};
  }

  // ---- what it says ----

  std::string foot() const {
    std::string out;
    if (view_.rank) {
      if (peer_nodes_left_out_ > 0) {
        const std::string text = fmt::format("  {} more have GPUs of these groups (--all)",
                                             counted(static_cast<std::int64_t>(peer_nodes_left_out_), "node"));
        out += paint_.faint(wrapped(text, 2, style_)) + "\n";
      }
      return out + rank_text(layout_, *view_.rank, style_);
    }
    if (kinds_.empty()) return out;
    const GroupKind& kind = *kinds_[0];
    const bool marked = !paint_.has_color() && !view_.by.empty();
    if (!paint_.has_color() && !marked) return out;
    const std::string what = marked ? fmt::format("@N: the {} group whose first rank is N", kind.name())
                                    : fmt::format("colours: {} groups", kind.name());
    const std::string text = fmt::format("  {}; {} of {}, {}", what, counted(kind.count(), "group"),
                                         counted(kind.size(), "rank"), across_text(kind, layout_.ranks_per_node));
    return out + wrapped(text, 2, style_) + "\n";
  }

  const RankLayout& layout_;
  const LayoutView& view_;
  TextStyle style_;
  Paint paint_;
  NodePattern pattern_;
  std::vector<LayoutColumn> inside_;  ///< coordinates in which GPUs of one node differ
  std::vector<LayoutColumn> shared_;
  std::vector<const GroupKind*> kinds_;
  std::map<std::int64_t, std::size_t> tone_of_group_;       ///< by the group's first rank
  std::map<std::int64_t, std::vector<std::size_t>> peers_;  ///< which kinds of groups a rank shares
  std::vector<std::int64_t> first_of_;  ///< lowest rank of each rank's group, where very many are asked for
  std::size_t peer_nodes_left_out_ = 0;
  bool numbers_ranks_ = false;
  std::size_t ranks_columns_ = 0;
};

}  // namespace

std::string layout_picture(const RankLayout& layout, const LayoutView& view, const TextStyle& style) {
  return Grid(layout, view, style).text();
}

}  // namespace primus_plan
