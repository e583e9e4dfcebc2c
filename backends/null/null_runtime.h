// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "backends/null/null_memory.h"
#include "backends/null/null_script.h"
#include "core/backend/device_runtime.h"

namespace fuselab::null {

using PackedTensors = std::vector<std::vector<std::byte>>;

// Results of graphs on inputs, kept so that the candidates of one block compute the slow reference once. Bounded by bytes; the
// least recently used are dropped first.
class ResultMemory {
 public:
  explicit ResultMemory(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}
  // Computes with core's float64 reference, or returns the stored result. The pointer stays valid until the next call.
  Result<const PackedTensors*> compute(const Graph& graph, const std::string& graph_text, PackedTensors inputs);

 private:
  struct Entry {
    std::string graph_text;
    PackedTensors inputs;
    PackedTensors outputs;
    std::size_t bytes() const;
  };
  std::size_t capacity_;
  std::list<Entry> entries_;  // most recent first
};

// A loaded script. It really computes (with the reference), and does what its fault says.
class NullExecutable final : public Executable {
 public:
  NullExecutable(Script script, Graph graph, NullMemory& memory, ResultMemory& results);
  Status enqueue(std::span<const Buffer> arguments) override;

  // Crashes, hangs or fails as scripted; ok when the script has no such fault.
  Status suffer() const;
  double next_latency_ns() { return noisy_latency_ns(script_, launches_++); }

 private:
  Script script_;
  Graph graph_;
  NullMemory& memory_;
  ResultMemory& results_;
  std::uint64_t launches_ = 0;
};

// A synthetic device: time() answers from the script without waiting. "Cold" launches take half as long again.
class NullRuntime : public DeviceRuntime, public CacheControl, public CeilingProbe {
 public:
  explicit NullRuntime(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override { return memory_.allocate(size, role); }
  Status release(const Buffer& buffer) override { return memory_.release(buffer); }
  Status upload(const Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override { return memory_.check_fences(); }
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;
  Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) override;
  Result<std::vector<Ceiling>> measure_flops(double seconds) override;

 private:
  DeviceInfo info_;
  NullMemory memory_;
  ResultMemory results_{std::size_t{256} << 20};
  bool caches_are_cold_ = false;
};

}  // namespace fuselab::null
