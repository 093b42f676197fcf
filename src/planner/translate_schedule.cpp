#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "planner/translate_parts.h"

namespace primus_plan {
namespace {

/// A number of the module, else the framework's.
std::optional<double> number_at(const Module& module, std::string_view key, std::optional<double> fallback = {}) {
  const NodePtr value = number_of(module, {key, fallback});
  if (value == nullptr) return std::nullopt;
  return value->kind == Kind::integer ? static_cast<double>(value->integer) : value->real;
}

std::optional<double> number_at(const Module& module, const CarriedNumber& number) {
  return number_at(module, number.key, number.fallback);
}

std::string word_at(const Module& module, std::string_view key, std::string_view fallback) {
  const Node* value = module.params->at_path(key);
  if (value == nullptr) return std::string(fallback);
  return value->is_string() ? value->text : std::string();
}

/// A learning-rate schedule: the peak, the steps to it, and the part of the peak that it ends at.
struct Schedule {
  std::optional<double> warmup_steps;
  std::optional<double> length;  ///< steps that the decay ends after, where it is not those of the training
  std::optional<double> final_fraction;
  std::string decay;  ///< "cosine", "linear"; other words are one framework's own
};

Schedule schedule_of(const Module& module, const TranslateWords& from) {
  Schedule out;
  const ScheduleDefaults& usual = from.schedule;
  if (from.framework == "megatron") {
    out.decay = word_at(module, "lr_decay_style", usual.decay);
    out.warmup_steps = number_at(module, "lr_warmup_iters", usual.warmup);
    out.length = number_at(module, "lr_decay_iters");
    // A part of the decay, in place of iterations: megatron/training/training.py:get_optimizer_param_scheduler.
    const auto part = number_at(module, "lr_warmup_fraction");
    const auto whole = out.length ? out.length : number_at(module, from.numbers.back());
    if (part && whole) out.warmup_steps = *part * *whole;
    const auto lr = number_at(module, from.numbers.front());
    const auto least = number_at(module, "min_lr", usual.final_rate);
    if (lr && least && *lr > 0) out.final_fraction = *least / *lr;
  } else if (from.framework == "torchtitan") {
    out.decay = word_at(module, "lr_scheduler.decay_type", usual.decay);
    out.warmup_steps = number_at(module, "lr_scheduler.warmup_steps", usual.warmup);
    out.length = number_at(module, "lr_scheduler.total_steps");
    out.final_fraction = number_at(module, "lr_scheduler.min_lr_factor", usual.final_rate);
  } else {
    out.decay = usual.decay;
    out.length = number_at(module, "learning_rate_schedule_steps");
    if (out.length && *out.length < 0) out.length.reset();  // -1: as long as the training
    const auto whole = out.length ? out.length : number_at(module, from.numbers.back());
    const auto part = number_at(module, "warmup_steps_fraction", usual.warmup);
    if (whole && part) out.warmup_steps = *whole * *part;
    out.final_fraction = number_at(module, "learning_rate_final_fraction", usual.final_rate);
  }
  return out;
}

/// Six digits: what a quotient of two written numbers is worth.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 6 - std::ceil(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace

void carry_schedule(const Module& module, const TranslateWords& from, const TranslateWords& to, Carried& out) {
  const Schedule schedule = schedule_of(module, from);
  const auto steps = number_at(module, from.numbers.back());
  const auto lr = number_at(module, from.numbers.front());
  if (schedule.warmup_steps) {
    const auto whole = static_cast<std::int64_t>(std::llround(*schedule.warmup_steps));
    if (to.framework == "megatron") {
      // Megatron wants a warm-up that ends before the training does; TorchTitan cuts it on its own.
      const auto longest = steps ? std::max<std::int64_t>(std::llround(*steps) - 1, 0) : whole;
      out.set("lr_warmup_iters", make_integer(std::min(whole, longest)));
      if (whole > longest) {
        out.remarks.push_back(
            fmt::format("learning rate: a warm-up of {} steps is longer than the training and is cut", whole));
      }
    }
    if (to.framework == "torchtitan") out.set("lr_scheduler.warmup_steps", make_integer(whole));
    const auto length = schedule.length ? schedule.length : steps;
    if (to.framework == "maxtext" && length && *length > 0) {
      out.set("warmup_steps_fraction", make_real(rounded(std::min(1.0, *schedule.warmup_steps / *length))));
    }
  }
  if (schedule.length && steps && *schedule.length != *steps) {
    const std::string_view key = to.framework == "megatron"     ? "lr_decay_iters"
                                 : to.framework == "torchtitan" ? "lr_scheduler.total_steps"
                                                                : "learning_rate_schedule_steps";
    out.set(key, make_integer(std::llround(*schedule.length)));
  }
  const bool is_shared = schedule.decay == "cosine" || schedule.decay == "linear";
  if (is_shared && to.framework == "megatron") out.set("lr_decay_style", make_string(schedule.decay));
  if (is_shared && to.framework == "torchtitan") out.set("lr_scheduler.decay_type", make_string(schedule.decay));
  if (!schedule.decay.empty() && schedule.decay != "cosine" && to.framework == "maxtext") {
    out.remarks.push_back(fmt::format("learning rate: MaxText decays along a cosine, not {}", schedule.decay));
  } else if (!schedule.decay.empty() && !is_shared) {
    out.remarks.push_back(
        fmt::format("learning rate: the original's decay is {}; the translation has its preset's", schedule.decay));
  }
  if (!schedule.final_fraction) return;
  if (to.framework == "megatron" && lr) out.set("min_lr", make_real(rounded(*lr * *schedule.final_fraction)));
  if (to.framework == "torchtitan") out.set("lr_scheduler.min_lr_factor", make_real(rounded(*schedule.final_fraction)));
  if (to.framework == "maxtext") out.set("learning_rate_final_fraction", make_real(rounded(*schedule.final_fraction)));
}

}  // namespace primus_plan
