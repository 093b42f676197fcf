#include <fmt/core.h>

#include <cmath>

#include "primus_plan/support/number.h"
#include "report/html/sections.h"
#include "report/overview_text.h"

namespace primus_plan::html {

namespace {

class Tiles {
 public:
  Tiles(Markup& out, const View& view) : out_(out), view_(view), run_(view.analysis().run) {}

  void write() {
    out_.line().open("dl", {{"class", "tiles"}});
    launch();
    batch();
    if (view_.page.estimate != nullptr) estimates();
    out_.close();
  }

 private:
  template <class Value>
  void tile(std::string_view name, std::string_view path, Value value, const std::string& text,
            const std::string& below) {
    out_.open("div").element("dt", name).open("dd");
    figure(out_, view_, path, value, text);
    if (!below.empty()) out_.element("small", below);
    out_.close().close();
  }

  void launch() {
    const Launch& launch = run_.launch;
    if (launch.world_size < 1) return;
    const std::string nodes =
        launch.nodes > 0 ? fmt::format("{} of {}", counted(launch.nodes, "node"), launch.gpus_per_node) : "";
    tile("GPUs", "check/launch/world_size", launch.world_size, with_commas(launch.world_size),
         nodes + (launch.assumed ? ", assumed" : ""));
    const Degrees& degrees = run_.degrees;
    if (degrees.data < 1) return;
    tile("Data parallel", "check/degrees/data", degrees.data, with_commas(degrees.data),
         degrees.expert > 1 && degrees.expert_data > 0 ? fmt::format("expert DP {}", with_commas(degrees.expert_data))
                                                       : "replicas");
  }

  void batch() {
    const Batch& batch = run_.batch;
    if (batch.accumulation_steps > 0)
      tile("Accumulation", "check/batch/accumulation_steps", batch.accumulation_steps,
           with_commas(batch.accumulation_steps),
           fmt::format("{} of {}", batch.accumulation_steps == 1 ? "step" : "steps", micro_batch_text(batch)));
    if (batch.tokens_per_step() > 0)
      tile("Tokens a step", "check/batch/tokens_per_step", batch.tokens_per_step(),
           human_count(static_cast<double>(batch.tokens_per_step())),
           fmt::format("{} x {}", counted(batch.global, "sample"), with_commas(batch.sequence_length)));
  }

  void estimates() {
    const EstimateReport& report = *view_.page.estimate;
    const MemoryRange& memory = report.estimate.memory.device;
    if (memory.expected > 0) {
      std::string below = fmt::format("{} to {}", human_bytes(memory.low), human_bytes(memory.high));
      if (report.estimate.fit)
        below = fmt::format("{}: {} in {}", below, to_string(*report.estimate.fit),
                            human_bytes(report.hardware->memory_bytes));
      tile("Memory of a GPU", "estimate/memory/device_bytes/expected", memory.expected, gib_text(memory.expected),
           below);
    }
    const StepEstimate& step = report.estimate.step;
    if (step.seconds <= 0) return;
    tile("Step", "estimate/step/seconds", step.seconds, seconds_text(step.seconds),
         fmt::format("{} to {}", seconds_text(step.low_seconds), seconds_text(step.high_seconds)));
    tile("Tokens/s of a GPU", "estimate/step/tokens_per_second_per_gpu", step.tokens_per_second_per_gpu,
         with_commas(std::llround(step.tokens_per_second_per_gpu)),
         fmt::format("{:.0f} TFLOP/s", step.flops_per_second_per_gpu / 1e12));
    tile("MFU", "estimate/step/common/mfu", step.mfu, percent_text(step.mfu), "of the dense peak");
    if (run_.degrees.pipeline > 1)
      tile("Bubble", "estimate/step/bubble_share", step.bubble_share, percent_text(step.bubble_share), "of the step");
  }

  Markup& out_;
  const View& view_;
  const RunDescription& run_;
};

void write_fact(Markup& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out.open("li").element("b", name).raw(" ").text(value).close();
}

}  // namespace

void write_summary(Markup& out, const View& view) {
  const Analysis& analysis = view.analysis();
  const Launch& launch = analysis.run.launch;
  out.open("ul", {{"class", "facts"}});
  write_fact(out, "framework", analysis.framework);
  if (view.page.estimate != nullptr && view.page.estimate->hardware != nullptr)
    write_fact(out, "hardware",
               fmt::format("{} ({})", view.page.estimate->hardware->name, view.page.estimate->hardware_source));
  write_fact(out, "presets", analysis.presets);
  if (launch.world_size > 0) write_fact(out, "world size", launch.source);
  if (view.page.estimate != nullptr) write_fact(out, "calibrated", view.page.estimate->calibration);
  for (const std::string& note : analysis.notes) write_fact(out, "note", note);
  out.close();
  Tiles(out, view).write();
}

}  // namespace primus_plan::html
