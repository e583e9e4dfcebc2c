// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/device_runtime.h"

namespace fuselab::worker {

// A device whose kernels are functions of the test's: what a kernel finds in its buffers and what it does there.
struct TestKernel {
  std::function<Status(std::vector<std::span<std::byte>>)> body;
};

inline float* floats(std::span<std::byte> bytes) {
  return reinterpret_cast<float*>(bytes.data());
}

class TestMemory {
 public:
  void allocate(std::uint64_t handle, Bytes size) { held_[handle].resize(static_cast<std::size_t>(size.count)); }
  void release(std::uint64_t handle) { held_.erase(handle); }
  std::span<std::byte> of(const Buffer& buffer) {
    return std::span(held_.at(buffer.handle))
        .subspan(static_cast<std::size_t>(buffer.offset), static_cast<std::size_t>(buffer.size.count));
  }
  bool empty() const { return held_.empty(); }

 private:
  std::map<std::uint64_t, std::vector<std::byte>> held_;
};

class TestExecutable final : public Executable {
 public:
  TestExecutable(const TestKernel& kernel, TestMemory& memory) : kernel_(kernel), memory_(memory) {}
  Status enqueue(std::span<const Buffer> arguments) override {
    std::vector<std::span<std::byte>> bytes;
    for (const Buffer& buffer : arguments) bytes.push_back(memory_.of(buffer));
    return kernel_.body(bytes);
  }

 private:
  const TestKernel& kernel_;
  TestMemory& memory_;
};

class TestRuntime : public DeviceRuntime {
 public:
  using Place = std::pair<std::uint64_t, std::int64_t>;  // handle and offset

  TestRuntime() {
    info_.id = "test:0";
    info_.uuid = "test-uuid";
    info_.type = "gpu";
  }
  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override {
    memory.allocate(++handles_, size);
    return Buffer{handles_, size, 0, 64, role};
  }
  Status release(const Buffer& buffer) override {
    memory.release(buffer.handle);
    return {};
  }
  Status upload(const Buffer& to, std::span<const std::byte> from) override {
    std::copy(from.begin(), from.end(), memory.of(to).begin());
    return {};
  }
  Status download(std::span<std::byte> to, const Buffer& from) override {
    std::copy_n(memory.of(from).begin(), to.size(), to.begin());
    return {};
  }
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override {
    ++loads;
    const auto found = kernels.find(kernel.abi.entry);
    if (found == kernels.end()) return Error{ErrorCode::kLaunchFailed, "no such kernel"};
    return std::unique_ptr<Executable>(std::make_unique<TestExecutable>(found->second, memory));
  }
  Status synchronize() override { return {}; }
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override {
    for (int i = 0; i < repetitions; ++i) {
      for (const Launch& launch : sequence) {
        timed.emplace_back(launch.arguments.front().handle, launch.arguments.front().offset);
        FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
      }
    }
    return Timing{{time_of_launch * repetitions * static_cast<double>(sequence.size())}, TimingSource::kProvider};
  }

  std::map<std::string, TestKernel> kernels;
  TestMemory memory;
  int loads = 0;
  double time_of_launch = 1e6;
  std::vector<Place> timed;  // the first argument of every launch that was timed
  DeviceInfo info_;

 private:
  std::uint64_t handles_ = 0;
};

}  // namespace fuselab::worker
