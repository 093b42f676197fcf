#include "primus_plan/estimate/parameters.h"

#include <numeric>

#include "estimate/layers.h"

namespace primus_plan {
namespace {

constexpr std::array<std::string_view, parameter_parts> names = {
    "embedding",      "attention", "dense feed-forward",     "router",      "experts",
    "shared experts", "norms",     "multi-token prediction", "its experts", "output"};

double as_double(std::int64_t n) { return static_cast<double>(n); }

void add_layers(Parameters& out, const ModelShape& model, std::int64_t first, std::int64_t count, const Split& split) {
  for_layers(model, first, count, [&](const LayerKind& kind, std::int64_t n) {
    const LayerParameters one = layer_parameters(model, kind, split);
    const double layers = as_double(n);
    out[ParameterPart::attention] += layers * one.mixer;
    out[ParameterPart::dense_ffn] += layers * one.dense_ffn;
    out[ParameterPart::router] += layers * one.router;
    out[ParameterPart::experts] += layers * one.experts;
    out[ParameterPart::shared_experts] += layers * one.shared_experts;
    out[ParameterPart::norms] += layers * one.norms;
  });
}

/// A layer of the last kind, the projection that joins hidden state and next token, three norms:
/// megatron/core/transformer/multi_token_prediction.py, MultiTokenPredictionLayer.
void add_mtp(Parameters& out, const ModelShape& model, std::int64_t depth, const Split& split) {
  const LayerKind* kind = last_kind(model);
  if (depth == 0 || kind == nullptr) return;
  const LayerParameters one = layer_parameters(model, *kind, split);
  const double h = as_double(model.hidden);
  out[ParameterPart::mtp] += as_double(depth) * (one.dense() + 2 * h * h / split.tensor + 3 * h);
  out[ParameterPart::mtp_experts] += as_double(depth) * one.experts;
}

double final_norm(const ModelShape& model) { return as_double(model.hidden) * (model.layer_norm_bias ? 2 : 1); }

}  // namespace

std::string_view to_string(ParameterPart part) { return names[static_cast<std::size_t>(part)]; }

double Parameters::total() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
double Parameters::expert() const { return (*this)[ParameterPart::experts] + (*this)[ParameterPart::mtp_experts]; }
double Parameters::prediction() const { return (*this)[ParameterPart::mtp] + (*this)[ParameterPart::mtp_experts]; }
double Parameters::dense() const { return total() - expert(); }
double Parameters::matrices() const {
  return total() - (*this)[ParameterPart::embedding] - (*this)[ParameterPart::output] - (*this)[ParameterPart::norms] -
         (*this)[ParameterPart::router];
}

Parameters model_parameters(const ModelShape& model) {
  Parameters out;
  const Split whole;
  const double h = as_double(model.hidden);
  const double vocabulary = as_double(model.vocabulary > 0 ? model.vocabulary : model.padded_vocabulary);
  out[ParameterPart::embedding] = h * (vocabulary + as_double(model.learned_positions));
  if (!model.tied_embeddings) out[ParameterPart::output] = h * vocabulary;
  add_layers(out, model, 0, model.layers, whole);
  out[ParameterPart::norms] += final_norm(model);
  add_mtp(out, model, model.mtp_depth, whole);
  return out;
}

Parameters active_parameters(const ModelShape& model) {
  Parameters out = model_parameters(model);
  if (model.experts > 0) {
    const double share = as_double(std::min(model.experts_per_token, model.experts)) / as_double(model.experts);
    out[ParameterPart::experts] *= share;
    out[ParameterPart::mtp_experts] *= share;
  }
  return out;
}

Parameters rank_parameters(const Workload& workload, std::size_t rank) {
  Parameters out;
  const RunDescription& run = workload.run;
  if (rank >= run.stages.size()) return out;
  const ModelShape& model = workload.model;
  const Split split = split_of(run.degrees);
  const double h = as_double(model.hidden);
  const double table = as_double(model.padded_vocabulary) * h / split.tensor;
  bool needs_embedding = false;
  for (const StageChunk& chunk : run.stages[rank]) {
    add_layers(out, model, chunk.first_layer, chunk.layers, split);
    add_mtp(out, model, chunk.mtp_layers, split);
    if (chunk.embedding) out[ParameterPart::embedding] += as_double(model.learned_positions) * h;
    needs_embedding |= chunk.embedding || chunk.mtp_layers > 0;
    if (chunk.loss) {
      out[ParameterPart::norms] += final_norm(model);
      if (!model.tied_embeddings || run.stages.size() > 1) out[ParameterPart::output] += table;
    }
  }
  if (needs_embedding) out[ParameterPart::embedding] += table;
  return out;
}

}  // namespace primus_plan
