// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/native/threads/loaded_module.h"
#include "backends/native/threads/thread_pool.h"
#include "core/base/result.h"
#include "core/kernel/abi.h"

namespace fuselab::cpu {

// What a kernel prepared from its constant inputs: one buffer for each contents that it was given, made when it is first asked for.
// Owns the buffers, which stay where they are until the contents change. Used by one thread.
class PreparedInputs {
 public:
  // Fails when the module has no such function or a formula is no number.
  static Result<PreparedInputs> create(const LoadedModule& module, const Preparation& preparation);
  PreparedInputs() = default;  // nothing is prepared

  bool is_needed() const { return function_ != nullptr; }
  const std::vector<int>& inputs() const { return inputs_; }

  // Returns the buffer for arguments at these addresses. `versions` belong to inputs(): a number each that changes with the
  // contents. Where the buffer does not exist yet, all threads of the pool make it.
  Result<std::byte*> of(const std::vector<void*>& addresses, const std::vector<std::uint64_t>& versions, ThreadPool& pool,
                        int threads);

 private:
  struct Made {
    std::vector<std::uint64_t> versions;
    host::GuardedMemory memory;
  };

  KernelFunction function_ = nullptr;
  std::vector<int> inputs_;
  std::int64_t tasks_ = 0;
  std::int64_t bytes_ = 0;
  std::map<std::vector<void*>, Made> made_;  // by the addresses of inputs()
};

}  // namespace fuselab::cpu
