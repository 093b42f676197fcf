#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// A dimension, and what each framework calls it; empty where it has no key for it alone.
struct Dimension {
  std::string_view name;
  std::int64_t ModelShape::*member;
  std::string_view megatron;
  std::string_view torchtitan;
  std::string_view maxtext;
};

/// A property that a model has or not, and the key that switches it. MaxText has keys for biases and for norms of
/// queries and keys, too, but most of its decoders do not read them (src/maxtext/models/llama2.py, LlamaDecoderLayer).
struct Property {
  std::string_view name;
  bool ModelShape::*member;
  std::string_view megatron;
  bool inverted;  ///< Megatron's key says the opposite
  std::string_view maxtext;
};

std::span<const Dimension> model_dimensions();
std::span<const Property> model_properties();

/// The key of a dimension or property of a framework, in presets of this model; empty where there is none.
std::string_view key_of(const Dimension& dimension, std::string_view framework, const ModelShape& preset);
std::string_view key_of(const Property& property, std::string_view framework, const ModelShape& preset);

}  // namespace primus_plan
