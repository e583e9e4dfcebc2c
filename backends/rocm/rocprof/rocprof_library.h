// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/loading/vendor_library.h"
#include "backends/rocm/abi/rocprof_abi.h"
#include "core/base/result.h"

namespace fuselab::hip {

// rocprofiler-sdk, opened; it stays loaded. Its functions may be called from any thread.
class RocprofLibrary {
 public:
  // Looks for librocprofiler-sdk.so.1; $FUSELAB_LIB_ROCPROFILER overrides.
  // Fails with kUnavailable and one line where there is none, or one that lacks a function.
  static Result<RocprofLibrary> open(const loading::Surroundings& surroundings);

  const abi::RocprofFunctions& calls() const { return calls_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  abi::RocprofFunctions calls_{};
};

// Returns success, or an error with the action and what the code means: who may count, and what would permit it.
Status check_rocprof(abi::RocprofCode code, const std::string& what);

}  // namespace fuselab::hip
