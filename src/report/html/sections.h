#pragma once

#include <string>

#include "report/html/view.h"

namespace primus_plan::html {

// The parts of a page, in its order. Each writes nothing where it has nothing to say.

/// The most important numbers, large.
void write_summary(Markup& out, const View& view);
/// Findings by severity, each with its lines of YAML, its reasons and the ways out.
void write_findings(Markup& out, const View& view);
/// One finding. Without a place of its own it is shown at `fallback`. With a view it leads to the histories of the keys
/// that it speaks of.
void write_finding(Markup& out, const Finding& finding, const Origin& fallback, const std::string& path,
                   const View* view = nullptr);
/// The key whose value, or name, stands at this place; empty when none does.
std::string key_at(const View& view, const Origin& origin);
/// "error", "warning", "ok" or "not checked" as a coloured word.
void write_badge(Markup& out, Verdict verdict);

/// World size and global batch as products, and how they divide.
void write_arithmetic(Markup& out, const View& view);
/// Nodes and ranks, and the table of groups.
void write_map(Markup& out, const View& view);
/// Memory of each pipeline stage by part.
void write_memory(Markup& out, const View& view);
/// What the time of a step goes into.
void write_step(Markup& out, const View& view);
/// The pipeline's passes and the memory that they hold.
void write_timeline(Markup& out, const View& view);
/// Proposed plans with their overrides, and memory against throughput.
void write_plans(Markup& out, const View& view);
/// A plot and a table for each sweep.
void write_sweeps(Markup& out, const View& view);
/// Every key with its history.
void write_provenance(Markup& out, const View& view);

/// The page's JSON: {"schema": "primus-plan/page/1", "path", "load_errors", "modules": [{"check", "estimate", "layout",
/// "map", "timeline", "plan", "sweeps"}]}, each as its command writes it; "map" and "timeline" say what is drawn.
std::string page_json(const Page& page);

}  // namespace primus_plan::html
