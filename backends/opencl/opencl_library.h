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
  // Looks for libOpenCL.so.1 ($FUSELAB_LIB_OPENCL overrides). kUnavailable in one line: "libOpenCL.so.1 not found". Before it is
  // opened, PoCL's cache of compiled kernels is put into a temporary folder of this process: a first launch is a first one.
  static Result<std::shared_ptr<const OpenClLibrary>> open();

  const abi::Functions& calls() const { return calls_; }
  // Success, or the error with what was being done: "building a kernel: CL_BUILD_PROGRAM_FAILURE (-11)".
  Status check(abi::Code code, const std::string& what) const;

 private:
  OpenClLibrary() = default;

  abi::Functions calls_{};
};

// "CL_OUT_OF_RESOURCES (-5)"
std::string name_of(abi::Code code);
// What the code means for a trial.
ErrorCode error_code_of(abi::Code code);

// Removes the cache folders of processes that are gone.
void sweep_caches();

}  // namespace fuselab::opencl
