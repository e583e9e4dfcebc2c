// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/library/host/host_library.h"
#include "backends/xla/library/pjrt_library.h"

namespace fuselab::xla {

// A program that XLA has loaded for a client of so many threads.
class XlaPlan final : public library::HostPlan {
 public:
  XlaPlan(std::shared_ptr<PjrtLibrary> plugin, Program program, Graph graph, int threads)
      : plugin_(std::move(plugin)), program_(std::move(program)), graph_(std::move(graph)), threads_(threads) {}

  // Lends the memory of inputs and outputs to XLA. Programs write where their outputs are to be: XLA would otherwise allocate them
  // anew in each launch. Fails with kUnsupported where the plugin copies.
  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;

 private:
  std::shared_ptr<PjrtLibrary> plugin_;
  Program program_;
  Graph graph_;
  int threads_;
};

}  // namespace fuselab::xla
