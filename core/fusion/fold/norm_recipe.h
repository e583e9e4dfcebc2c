// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/graph/graph.h"

namespace fuselab {

// A param as a recipe reads it.
struct RecipeParam {
  std::string name;
  TensorType type;
};

// A contraction and the BatchNormalization behind it: y = (contraction - mean) · s + shift with s = scale / √(variance + ε), one
// number for each channel.
struct NormedWeights {
  RecipeParam weight;
  std::optional<RecipeParam> bias;  // one number for each channel
  double bias_factor = 1;           // Gemm's beta
  RecipeParam scale, shift, mean, variance;
  double epsilon = 1e-5;
  std::size_t channel_axis = 0;  // of the weight
  DType result = DType::kF32;    // of the contraction
};

// Return the graphs that compute weight · s and (bias - mean) · s + shift; nothing where the types do not fit.
std::optional<Graph> recipe_of_weight(const NormedWeights& normed);
std::optional<Graph> recipe_of_bias(const NormedWeights& normed);

}  // namespace fuselab
