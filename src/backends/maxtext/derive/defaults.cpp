#include "backends/maxtext/derive/derive.h"
#include "primus_plan/support/text.h"

namespace primus_plan::maxtext {
namespace {

/// MaxText takes them in any case.
constexpr std::string_view strategies[] = {"all_gather", "ring", "ulysses", "usp"};

}  // namespace

void fill_defaults(MaxTextRun& run, Rewriter& rewriter) {
  MaxTextConfig& config = run.config;
  if (*config.learning_rate_schedule_steps == -1) {
    rewriter.set(config.learning_rate_schedule_steps, *config.steps, "-1: as many as steps");
  }
  if (*config.steps == -1) {
    rewriter.set(config.steps, *config.learning_rate_schedule_steps, "-1: as many as learning_rate_schedule_steps");
  }
  if (*config.eval_per_device_batch_size == 0) {
    rewriter.set(config.eval_per_device_batch_size, *config.per_device_batch_size,
                 "0: the same as per_device_batch_size");
  }
  for (const std::string_view strategy : strategies) {
    if (equal_ignoring_case(*config.context_parallel_strategy, strategy)) {
      rewriter.set(config.context_parallel_strategy, strategy, "MaxText reads it in lower case");
    }
  }
  const std::string_view tokenizer = *config.tokenizer_path;
  if (tokenizer.find("tokenizer_llama3.tiktoken") != std::string_view::npos) {
    rewriter.set(config.tokenizer_type, std::string_view("tiktoken"), "tokenizer_path names the llama3 tiktoken file");
  }
  // A file list for evaluation is read as its training split.
  if (*config.dataset_type == "hf" && !config.hf_eval_files.value.empty()) {
    rewriter.set(config.hf_eval_split, std::string_view("train"), "hf_eval_files is set");
  }
}

}  // namespace primus_plan::maxtext
