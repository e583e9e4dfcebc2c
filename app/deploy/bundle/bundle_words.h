// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/deploy/bundle/bundle_file.h"

// What a bundle says of itself, in words that the command line and the desktop share. A bundle is somebody else's: whoever prints
// its names makes them plain.
namespace fuselab::deploy {

// Returns the configurations of a piece's kernels, joined by ';'.
std::string configurations_of(const BundleManifest& manifest, const BundlePiece& piece);
std::string tensors_text(const std::vector<BundleTensor>& tensors);  // "x f32[1,64], mask bool[1]"
std::string signer_text(const InspectedBundle& bundle);              // "nobody"; the key, "whom you trust"
// Returns "AMD EPYC, Linux 6.1, clocks unknown, warm caches, threads as each kernel's configuration says, Fuselab 0.1.0".
std::string measuring_text(const BundleMeasuring& measuring);
// Returns how a kernel for a GPU is launched: "(128,1,1) x (256,1,1), 48 KiB".
std::string launch_text(const BundleGpuKernel& kernel);
// Returns the number of weights whose numbers the model's file did not have.
std::int64_t seeded_weights(const BundleModel& model);

}  // namespace fuselab::deploy
