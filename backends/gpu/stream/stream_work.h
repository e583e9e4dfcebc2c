// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/gpu/stream/device_context.h"
#include "core/backend/device_info.h"

namespace fuselab::gpu::stream {

// What one run of an executable queues: a module's kernels, or a library's plan. Must be destroyed before its context.
class StreamWork {
 public:
  virtual ~StreamWork() = default;
  // Queues one run on the context's stream, which may be recording. The addresses stand in the order of the kernel's arguments.
  virtual Status enqueue(std::vector<abi::DevicePointer>& addresses) = 0;
  // Returns how many kernels a run queues.
  virtual int kernels() const { return 1; }
  // Returns where indices out of range are counted; nothing: they are not.
  virtual std::optional<abi::DevicePointer> index_counter() const { return std::nullopt; }
};

// Makes the work of binaries of one format.
struct WorkLoader {
  std::string_view format;
  std::function<Result<std::unique_ptr<StreamWork>>(DeviceContext&, const DeviceInfo&, const CompiledKernel&)> load;
};

}  // namespace fuselab::gpu::stream
