#include "backends/maxtext/vision_flops.h"

namespace primus_plan::maxtext {
namespace {

/// A vision transformer and the projection of its result into the language model.
struct Encoder {
  double tokens = 0;        ///< patches, and the class token where there is one
  double patch_tokens = 0;  ///< that are embedded
  double patch_width = 0;   ///< numbers of one patch
  double hidden = 0;
  double intermediate = 0;
  double layers = 0;
  double between = 0;    ///< forward operations between encoder and projector
  double projector = 0;  ///< forward operations of the projector
};

double total(const Encoder& encoder, bool frozen) {
  const double embedding = 2 * encoder.patch_tokens * encoder.patch_width * encoder.hidden;
  const double layer = 2 * encoder.tokens * encoder.hidden * (4 * encoder.hidden + 2 * encoder.intermediate);
  const double attention = 4 * encoder.tokens * encoder.tokens * encoder.hidden * encoder.layers;
  const double weights = embedding + layer * encoder.layers + encoder.between + encoder.projector;
  // A frozen encoder runs forward only; its projector still learns.
  return frozen ? weights + 2 * encoder.projector + attention : 3 * (weights + attention);
}

double number(const Count& field) { return static_cast<double>(*field); }

Encoder gemma3(const MaxTextRun& run) {
  constexpr Int patch = 14;
  constexpr Int pooled = 4;  // patches along one side of what is pooled into one token
  const Int side = *run.config.image_size_for_vit / patch;
  const Int pooled_side = side / pooled;
  const auto after = static_cast<double>(pooled_side * pooled_side);
  Encoder out{.tokens = static_cast<double>(side * side),
              .patch_tokens = static_cast<double>(side * side),
              .patch_width = number(run.config.num_channels_for_vit) * patch * patch,
              .hidden = 1152,
              .intermediate = 4304,
              .layers = 27};
  out.projector = 2 * after * out.hidden * static_cast<double>(run.model.embedding);
  return out;
}

Encoder llama4(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  const Int patch = *config.patch_size_for_vit;
  const Int side = patch > 0 ? *config.tile_size_for_vit / patch : 0;
  const auto patches = static_cast<double>(side * side);
  const double shuffled = patches * *config.pixel_shuffle_ratio_for_vit * *config.pixel_shuffle_ratio_for_vit;
  const double inner = number(config.projector_input_dim_for_vit);
  Encoder out{.tokens = patches + 1,
              .patch_tokens = patches,
              .patch_width = number(config.num_channels_for_vit) * static_cast<double>(patch * patch),
              .hidden = number(config.hidden_size_for_vit),
              .intermediate = number(config.intermediate_size_for_vit),
              .layers = number(config.num_hidden_layers_for_vit)};
  out.between = 2 * shuffled * inner * (out.intermediate + number(config.projector_output_dim_for_vit));
  out.projector = 2 * shuffled * inner * number(config.base_emb_dim);
  return out;
}

}  // namespace

double vision_flops_per_sample(const MaxTextRun& run) {
  const bool frozen = *run.config.freeze_vision_encoder_params;
  if ((*run.config.model_name).starts_with("gemma3")) return total(gemma3(run), frozen);
  if ((*run.config.model_name).starts_with("llama4")) return total(llama4(run), frozen);
  return 0;
}

}  // namespace primus_plan::maxtext
