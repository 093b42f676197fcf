#include "backends/common/vocabularies.h"

namespace primus_plan {
namespace {

struct Vocabulary {
  std::string_view tokenizer;  ///< how its name begins, after the owner
  std::int64_t size;
};

constexpr Vocabulary vocabularies[] = {
    {"Llama-2-", 32000},
    {"Llama-3", 128256},
    {"Meta-Llama-3", 128256},
    {"Llama-4", 202048},
    {"Mixtral-8x7B", 32000},
    {"Mixtral-8x22B", 32768},
    {"Mistral-7B", 32000},
    {"DeepSeek-R1-Distill-Qwen-1.5B", 151936},
    {"DeepSeek-R1-Distill-Qwen-", 152064},
    {"DeepSeek-R1-Distill-Llama", 128256},
    {"DeepSeek-V2", 102400},
    {"DeepSeek-V3", 129280},
    {"DeepSeek-V4", 129280},
    {"DeepSeek-R1", 129280},
    {"Qwen2.5-0.5B", 151936},
    {"Qwen2.5-1.5B", 151936},
    {"Qwen2.5-3B", 151936},
    {"Qwen2.5-", 152064},
    {"Qwen3.5-", 248320},
    {"Qwen3-", 151936},
    {"Kimi-K", 163840},
    {"glm-4", 151552},
    {"LFM2", 65536},
    {"MiniMax-M2", 200064},
    {"gla-1.3B", 32000},
    {"gpt-oss", 201088},
    {"gpt2", 50257},
};

}  // namespace

std::int64_t vocabulary_of(std::string_view tokenizer) {
  const std::size_t owner = tokenizer.rfind('/');
  if (owner != std::string_view::npos) tokenizer.remove_prefix(owner + 1);
  const Vocabulary* best = nullptr;
  for (const Vocabulary& v : vocabularies) {
    const bool longer = best == nullptr || v.tokenizer.size() > best->tokenizer.size();
    if (longer && tokenizer.starts_with(v.tokenizer)) best = &v;
  }
  return best != nullptr ? best->size : 0;
}

}  // namespace primus_plan
