// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/deploy/bundle/bundle_file.h"
#include "app/engine/job/engine.h"
#include "app/engine/kernels/workshop.h"
#include "app/engine/subject/piece.h"

namespace fuselab::deploy {

// Puts kernels of Triton into a bundle, for GPUs that need not be here. Each piece is compiled in the configuration of its fastest
// stored figure on the device "triton:0", else in the default one. Used by one thread.
class GpuKernels {
 public:
  // `targets`: "sm_90a". `engine` and `workers` must live as long. Fails with kInvalidArgument for a target that is not known.
  static Result<GpuKernels> open(engine::Engine& engine, engine::WorkerPool& workers, const std::vector<std::string>& targets,
                                 OptimizationLevel level);

  // Adds a kernel of the piece for each target. A piece that Triton cannot write or compile is left out and named by left_out().
  // `name`: as the loader finds the piece. Fails with kCancelled, and where the database cannot be read.
  Status add(const engine::Piece& piece, const std::string& name, Bundle& bundle, const std::stop_token& stop);
  // Lines: "MaxPool for sm_90a: Triton does not write MaxPool".
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  GpuKernels(engine::Engine& engine, std::vector<engine::Workshop> workshops)
      : engine_(&engine), workshops_(std::move(workshops)) {}
  Result<BundleGpuKernel> compiled(engine::Workshop& workshop, const engine::Piece& piece, Bundle& bundle,
                                   const std::stop_token& stop);

  engine::Engine* engine_;
  std::vector<engine::Workshop> workshops_;
  std::vector<std::string> left_out_;
};

}  // namespace fuselab::deploy
