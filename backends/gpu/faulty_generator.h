// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/backend/backend.h"

namespace fuselab::gpu {

// Generates the kernels of a generator of SIMT texts (CUDA, HIP) with one more parameter, "fault", that makes them fail on purpose,
// so that the effects of failures can be tested on a device: "crash" (an address without memory), "trap", "oom" (an argument of 1
// PiB), "hang" (one thread spins for 14 s by the device's clock, for 28 s at most, and ends by itself). It replaces the ordinary
// generator only where the environment has FUSELAB_FAULTY_KERNELS=1; its kernels carry its own name. Stateless.
class FaultyGenerator final : public CodeGenerator {
 public:
  // `sound` must outlive this.
  explicit FaultyGenerator(const CodeGenerator& sound) : sound_(sound), id_(std::string(sound.id()) + "-faulty") {}

  static bool is_wanted();

  std::string_view id() const override { return id_; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override { return sound_.supports(graph, target); }
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

 private:
  const CodeGenerator& sound_;
  std::string id_;
};

}  // namespace fuselab::gpu
