// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/cuda_features.h"

#include <charconv>

namespace fuselab {

CudaFeatures cuda_features(const Target& target) {
  CudaFeatures features;
  constexpr std::string_view kPrefix = "sm_";
  if (target.arch != "cuda" || !target.id.starts_with(kPrefix)) return features;
  std::from_chars(target.id.data() + kPrefix.size(), target.id.data() + target.id.size(), features.capability);
  features.async_copies = features.warp_products = features.capability >= 80;
  features.copy_engine = features.capability >= 90;
  features.group_products = target.id == "sm_90a";
  return features;
}

}  // namespace fuselab
