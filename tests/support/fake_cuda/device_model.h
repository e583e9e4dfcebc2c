// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/gpu/stream/driver_functions.h"

namespace fuselab::fake_cuda {

using gpu::stream::abi::Code;
using gpu::stream::abi::DevicePointer;

// What cuTensorMapEncodeTiled leaves in its 128 bytes: the fields as they were given.
struct EncodedMap {
  std::uint64_t address = 0;
  std::uint64_t extents[5] = {}, strides[4] = {};
  std::uint16_t box[5] = {};
  std::uint8_t axes = 0, type = 0, swizzle = 0;
  std::uint8_t mark = 0;  // kMapMark: it was encoded
  std::uint8_t unused[32] = {};
};
static_assert(sizeof(EncodedMap) == sizeof(gpu::stream::abi::TensorMapBytes));
inline constexpr std::uint8_t kMapMark = 0xcd;

// A kernel of a loaded module.
struct ModelFunction {
  std::string source, name;
  int parameters = 0;                       // pointers, and behind them
  int maps = 0;                             // tensor maps
  unsigned most_dynamic_shared = 48 << 10;  // until it is asked for more
};

struct LaunchOf {
  const ModelFunction* function = nullptr;
  unsigned grid = 1, block = 1, dynamic_shared = 0;
  std::vector<std::uint64_t> arguments;  // as passed: pointers of the device, or what stands in eight bytes
  std::vector<EncodedMap> maps;
  unsigned cluster = 1;
};

// A device whose memory is the host's and whose streams do nothing until somebody waits: then the host's copies are as late as they
// may be. Its clock is made up: every operation takes as long as its size says.
class DeviceModel {
 public:
  using Operation = std::function<Code()>;

  DevicePointer allocate(std::size_t bytes);  // 0: no room
  bool release(DevicePointer pointer);
  void* pin(std::size_t bytes);
  bool unpin(void* pointer);
  bool is_pinned(const void* pointer) const;
  std::size_t used() const { return used_; }
  // The whole of the allocation that holds the address; empty where there is none.
  std::pair<DevicePointer, std::size_t> allocation_of(DevicePointer address) const;

  // Queues it, or records it while capturing.
  void queue(Operation operation, double nanoseconds);
  void begin_capture() { capturing_ = true; }
  bool capturing() const { return capturing_; }
  // Something happened that cannot be part of a graph.
  void spoil_capture() { spoilt_ = true; }
  bool capture_is_spoilt() const { return spoilt_; }
  std::vector<std::pair<Operation, double>> end_capture();
  // Runs what is queued; the first failure is every later call's too.
  Code synchronize();

  double now() const { return now_; }
  void fail(Code code) { failed_ = code; }
  Code failed() const { return failed_; }

 private:
  std::map<DevicePointer, std::vector<std::byte>> memory_;
  std::map<const std::byte*, std::vector<std::byte>> pinned_;
  std::vector<std::pair<Operation, double>> queue_, captured_;
  bool capturing_ = false, spoilt_ = false;
  std::size_t used_ = 0;
  double now_ = 0;  // ns
  Code failed_ = 0;
};

}  // namespace fuselab::fake_cuda
