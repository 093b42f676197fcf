#include "report/overview_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/text_parts.h"
#include "report/wrap.h"
#include "support/product_text.h"

namespace primus_plan {

namespace {

constexpr std::size_t rewrites_shown = 3;
constexpr std::size_t worlds_shown = 6;

std::string with_commas_or_more(std::int64_t product) {
  return product == largest_product ? product_text(product) : with_commas(product);
}

/// A size, or "?" where it could not be derived.
std::string size(std::int64_t number) { return number > 0 ? with_commas(number) : "?"; }

}  // namespace

std::string launch_to_text(const Launch& launch) {
  if (launch.world_size <= 0) return "world size unknown";
  std::string gpus = counted(launch.world_size, "GPU");
  if (launch.nodes <= 0 || launch.gpus_per_node <= 0) return gpus;
  const bool even = launch.nodes * launch.gpus_per_node == launch.world_size;
  return fmt::format("{} {} {} {} {}", gpus, even ? "=" : "on", counted(launch.nodes, "node"), even ? "x" : "of",
                     launch.gpus_per_node);
}

std::string degrees_to_text(const Degrees& degrees) {
  std::string text = fmt::format("TP {} x PP {}", size(degrees.tensor), size(degrees.pipeline));
  if (degrees.virtual_pipeline > 1) text += fmt::format(" (VPP {})", degrees.virtual_pipeline);
  text += fmt::format(" x CP {}   DP {}", size(degrees.context), size(degrees.data));
  const bool hybrid = degrees.data_replicate > 1 && degrees.data_shard > 1;
  if (hybrid)
    text +=
        fmt::format(" (replicate {} x shard {})", with_commas(degrees.data_replicate), with_commas(degrees.data_shard));
  if (degrees.expert > 1) {
    text += fmt::format("   EP {}", degrees.expert);
    if (degrees.expert_tensor > 0 && degrees.expert_tensor != degrees.tensor)
      text += fmt::format(", ETP {}", degrees.expert_tensor);
  }
  if (degrees.expert_data > 0) text += fmt::format("   (expert DP {})", with_commas(degrees.expert_data));
  return text;
}

std::string micro_batch_text(const Batch& batch) {
  const std::int64_t parts = batch.pipeline_micro_batches;
  if (parts < 2 || batch.micro % parts != 0) return fmt::format("micro-batch {}", batch.micro);
  return fmt::format("micro-batch {} x {} in the pipeline", batch.micro / parts, parts);
}

std::string batch_to_text(const Batch& batch, std::int64_t data) {
  if (batch.global <= 0) return {};
  std::string text = fmt::format("global batch {}", with_commas(batch.global));
  const bool known = batch.micro > 0 && data > 0 && batch.accumulation_steps > 0;
  if (known && saturating_multiply(saturating_multiply(batch.micro, data), batch.accumulation_steps) == batch.global) {
    text += fmt::format(" = {} x DP {} x {}", micro_batch_text(batch), with_commas(data),
                        counted(batch.accumulation_steps, "accumulation step"));
  } else {
    if (batch.micro > 0) text += ", " + micro_batch_text(batch);
    if (batch.accumulation_steps > 0) text += ", " + counted(batch.accumulation_steps, "accumulation step");
  }
  if (batch.tokens_per_step() > 0)
    text += fmt::format(", {} tokens a step", with_commas_or_more(batch.tokens_per_step()));
  return text;
}

namespace {

std::string launch_source_text(const Launch& launch) {
  if (launch.world_size <= 0) return {};
  if (launch.assumed) return assumed_size_text(launch);
  const bool from_flags = launch.source.empty() || launch.source.starts_with("--");
  return from_flags ? std::string() : "world size from " + escape_controls(launch.source);
}

std::string worlds_text(const std::vector<LegalWorld>& worlds) {
  std::string text = "legal world sizes:";
  for (std::size_t i = 0; i < std::min(worlds.size(), worlds_shown); ++i) {
    text += fmt::format("{} {} (DP {})", i == 0 ? "" : ",", worlds[i].world_size, worlds[i].data);
  }
  if (worlds.size() > worlds_shown) text += fmt::format(" and {} more (--worlds)", worlds.size() - worlds_shown);
  return text;
}

std::string worlds_table(const std::vector<LegalWorld>& worlds) {
  std::string text =
      fmt::format("  legal world sizes:\n  {:>7} {:>9} {:>7} {:>20}\n", "nodes", "GPUs", "DP", "accumulation steps");
  for (const LegalWorld& world : worlds) {
    text += fmt::format("  {:>7} {:>9} {:>7} {:>20}\n", world.nodes, world.world_size, size(world.data),
                        size(world.accumulation_steps));
  }
  return text;
}

/// All rewrites, or only the first few of values that the user asked for: presets and defaults are rewritten all the
/// time.
std::string rewrites_text(const std::vector<Rewrite>& rewrites, const TextStyle& style) {
  const bool all = style.verbose;
  std::string text;
  std::size_t left_out = 0;
  std::size_t shown = 0;
  for (const Rewrite& rewrite : rewrites) {
    if (!all && !rewrite.asked) continue;
    if (!all && shown == rewrites_shown) {
      ++left_out;
      continue;
    }
    ++shown;
    std::string line = fmt::format("  the runtime sets {} {} → {}", escape_controls(rewrite.key),
                                   escape_controls(rewrite.from), escape_controls(rewrite.to));
    if (!rewrite.because.empty()) line += fmt::format(" ({})", escape_controls(rewrite.because));
    text += wrapped(line, 4, style) + '\n';
  }
  if (left_out > 0) text += fmt::format("  … and {} more (-v)\n", left_out);
  return text;
}

}  // namespace

std::string overview_to_text(const Analysis& analysis, const TextStyle& style) {
  const RunDescription& run = analysis.run;
  std::string text;
  const auto line = [&](const std::string& content) {
    if (!content.empty()) text += wrapped("  " + content, 4, style) + '\n';
  };
  if (run.launch.world_size > 0 || run.degrees.data > 0) {
    line(launch_to_text(run.launch) + "   " + degrees_to_text(run.degrees));
    line(batch_to_text(run.batch, run.degrees.data));
  }
  line(launch_source_text(run.launch));
  for (const std::string& note : analysis.notes) line("note: " + escape_controls(note));
  text += rewrites_text(analysis.rewrites, style);
  if (!analysis.legal_worlds.empty()) {
    if (style.worlds)
      text += worlds_table(analysis.legal_worlds);
    else
      line(worlds_text(analysis.legal_worlds));
  }
  return text;
}

}  // namespace primus_plan
