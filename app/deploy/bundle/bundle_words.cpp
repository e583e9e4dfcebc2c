// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/bundle_words.h"

#include <algorithm>

namespace fuselab::deploy {
namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text;
}

}  // namespace

std::string configurations_of(const BundleManifest& manifest, const BundlePiece& piece) {
  std::string text;
  for (const int kernel : piece.kernels) {
    if (static_cast<std::size_t>(kernel) >= manifest.kernels.size()) continue;
    text += (text.empty() ? "" : ";") + manifest.kernels[static_cast<std::size_t>(kernel)].config;
  }
  return text;
}

std::string tensors_text(const std::vector<BundleTensor>& tensors) {
  std::string text;
  for (const BundleTensor& tensor : tensors) {
    text += (text.empty() ? "" : ", ") + tensor.name + " " + tensor.dtype + "[" + extents_text(tensor.shape) + "]";
  }
  return text;
}

std::string signer_text(const InspectedBundle& bundle) {
  if (bundle.signer.empty()) return "nobody";
  return bundle.signer + (bundle.trusted ? ", whom you trust" : ", whom you do not trust");
}

std::string measuring_text(const BundleMeasuring& measuring) {
  const std::string threads =
      measuring.threads == 0 ? "threads as each kernel's configuration says" : std::to_string(measuring.threads) + " threads";
  return measuring.processor + ", " + measuring.os_kernel + ", clocks " + measuring.clock_policy + ", " + measuring.cache_mode +
         " caches, " + threads + ", inputs " + measuring.inputs + ", Fuselab " + measuring.tool_version;
}

std::string launch_text(const BundleGpuKernel& kernel) {
  return "(" + extents_text(kernel.grid) + ") x (" + extents_text(kernel.block) + "), " + format_bytes({kernel.shared_bytes});
}

std::int64_t seeded_weights(const BundleModel& model) {
  return std::count_if(model.weights.begin(), model.weights.end(),
                       [](const BundleWeight& weight) { return weight.from == "seed"; });
}

}  // namespace fuselab::deploy
