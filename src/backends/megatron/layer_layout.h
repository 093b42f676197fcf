#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::megatron {

/// A parsed pipeline_model_parallel_layout: one text a stage, of E (embedding), t (decoder layer), m (multi-token
/// prediction) and L (loss). Stage s = chunk * PP + rank.
struct PipelineLayout {
  std::vector<std::string> stages;
};

/// Where a layout text stops being one.
struct LayoutError {
  enum class Kind : std::uint8_t {
    invalid_character,  ///< after expansion something other than E t m L | remains
    too_long,           ///< more than a million layers
  };
  Kind kind{};
  std::size_t position = 0;  ///< byte in the text as it was written
  std::size_t length = 0;    ///< bytes of the character there
  std::size_t stage = 0;     ///< 0-based stage that it fell into
};

/// A layout, or where it stops being one.
struct LayoutParse {
  PipelineLayout layout;
  std::optional<LayoutError> error;  ///< with an error, the layout is empty
};

/// Reads a layout as PipelineParallelLayerLayout.parse_str_to_list does (megatron/core/transformer/
/// pipeline_parallel_layer_layout.py): commas are dropped, then (group)*n and x*n are expanded once from left to right,
/// without nesting, then | separates stages. An empty text is one empty stage.
LayoutParse parse_pipeline_layout(std::string_view text);

/// A parsed hybrid_layer_pattern: main pattern and multi-token-prediction patterns (megatron/core/ssm/
/// mamba_hybrid_layer_allocation.py). Each layer is a symbol: M (Mamba), * (attention), - (MLP), E (MoE).
struct HybridPattern {
  std::vector<std::string> segments;  ///< between the | of the main pattern; one without |
  std::string mtp;                    ///< pattern of one prediction depth
  std::int64_t mtp_depths = 0;
  bool has_pipes() const { return segments.size() > 1; }
  std::int64_t layers() const;
};

/// Where a pattern stops being one.
struct HybridError {
  enum class Kind : std::uint8_t {
    invalid_symbol,         ///< at position
    different_mtp_patterns  ///< the patterns behind / must be equal; position of the first that differs
  };
  Kind kind{};
  std::size_t position = 0;  ///< byte in the text
  std::size_t length = 0;
};

/// A pattern, or where it stops being one.
struct HybridParse {
  HybridPattern pattern;
  std::optional<HybridError> error;
};

/// Reads a pattern as parse_hybrid_pattern does.
HybridParse parse_hybrid_pattern(std::string_view text);

}  // namespace primus_plan::megatron
