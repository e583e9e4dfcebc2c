// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/fusion_types.h"

#include <utility>

namespace fuselab {
namespace {

constexpr std::pair<FusionPatternType, std::string_view> kNames[] = {
    {FusionPatternType::kSingle, "Single"},
    {FusionPatternType::kElementWise, "ElementWise"},
    {FusionPatternType::kReductionThenElementWise, "ReductionThenElementWise"},
    {FusionPatternType::kConvActivation, "ConvActivation"},
    {FusionPatternType::kConvBatchNorm, "ConvBatchNorm"},
    {FusionPatternType::kLinearActivation, "LinearActivation"},
    {FusionPatternType::kNormalization, "Normalization"},
    {FusionPatternType::kSoftmax, "Softmax"},
    {FusionPatternType::kRotaryEmbedding, "RotaryEmbedding"},
    {FusionPatternType::kSwiGlu, "SwiGLU"},
    {FusionPatternType::kResidualNorm, "ResidualNorm"},
    {FusionPatternType::kAttention, "Attention"},
    {FusionPatternType::kMixed, "Mixed"},
    {FusionPatternType::kWholeModel, "WholeModel"},
    {FusionPatternType::kOpaque, "Opaque"},
};

}  // namespace

std::string_view name_of(FusionPatternType pattern) {
  for (const auto& [value, name] : kNames) {
    if (value == pattern) return name;
  }
  return "Mixed";
}

Result<FusionPatternType> parse_fusion_pattern(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  return invalid_argument("unknown fusion pattern '" + std::string(name) + "'; known are " + known);
}

FusionOptions options_for(OptimizationLevel level) {
  FusionOptions options;
  switch (level) {
    case OptimizationLevel::kO0: options.enable_fusion = false; break;
    case OptimizationLevel::kO1:
      options.aggressiveness = FusionAggressiveness::kConservative;
      options.enable_batch_norm_folding = false;
      options.enable_conv_activation_fusion = false;
      options.enable_attention_fusion = false;
      break;
    case OptimizationLevel::kO2: break;
    case OptimizationLevel::kO3:
      options.aggressiveness = FusionAggressiveness::kAggressive;
      options.max_fusion_ops = 16;
      options.min_benefit_score = 0;
      break;
  }
  return options;
}

}  // namespace fuselab
