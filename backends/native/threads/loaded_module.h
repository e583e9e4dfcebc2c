// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::cpu {

// A generated kernel: runs tasks [begin, end) on buffers in ABI order, with scratch of its own.
using KernelFunction = void (*)(void* const* buffers, void* scratch, std::int64_t begin, std::int64_t end);

// A shared object that exists in memory only. Its code stays mapped while the object lives.
class LoadedModule {
 public:
  static Result<LoadedModule> load(std::span<const std::byte> elf, const std::string& entry);
  LoadedModule(LoadedModule&& other) noexcept;
  LoadedModule& operator=(LoadedModule&&) = delete;
  ~LoadedModule();

  KernelFunction function() const { return function_; }
  // Returns another function of the object that is called in the same way, or null.
  KernelFunction find(const std::string& entry) const;
  // Returns the object's count of indices out of range (resources/kernels/c/whole/index.h), or null: it has no index.
  const std::int64_t* wrong_index() const;

 private:
  LoadedModule() = default;

  platform::UniqueFd file_;
  void* handle_ = nullptr;
  KernelFunction function_ = nullptr;
};

}  // namespace fuselab::cpu
