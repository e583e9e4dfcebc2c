// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/opencl/abi/opencl_abi.h"
#include "core/base/result.h"

namespace fuselab::opencl {

// The opened ICD loader. Stays loaded for the process. Thread-safe.
class OpenClLibrary {
 public:
  // Looks for libOpenCL.so.1 ($FUSELAB_LIB_OPENCL overrides). Before opening it, it sets PoCL's cache of compiled kernels to a
  // temporary folder of this process, so that a first launch finds no cached kernel.
  // Fails with kUnavailable and one line: "libOpenCL.so.1 not found".
  static Result<std::shared_ptr<const OpenClLibrary>> open();

  const abi::Functions& calls() const { return calls_; }
  // Returns success, or an error with the action: "building a kernel: CL_BUILD_PROGRAM_FAILURE (-11)".
  Status check(abi::Code code, const std::string& what) const;

 private:
  OpenClLibrary() = default;

  abi::Functions calls_{};
};

// Returns a code's name: "CL_OUT_OF_RESOURCES (-5)".
std::string name_of(abi::Code code);
// Returns the error code that a trial gets for this code.
ErrorCode error_code_of(abi::Code code);

// Removes the cache folders of processes that are gone.
void sweep_caches();

}  // namespace fuselab::opencl
