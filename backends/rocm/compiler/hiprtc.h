// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backends/rocm/abi/hiprtc_abi.h"
#include "core/base/result.h"

namespace fuselab::hip {

// The opened hiprtc, ROCm's compiler for where there is no clang that knows AMD's GPUs. Stays loaded for the process. To be opened
// in workers alone: it brings an LLVM of its own, and before 6.0 a compilation for what it does not know ends the process.
class Hiprtc {
 public:
  // Looks for libhiprtc.so.10, .7, .6 and .5 and for libamdhip64.so.5, which has it inside ($FUSELAB_LIB_HIPRTC overrides), and for
  // libamd_comgr, which names what it compiles for ($FUSELAB_LIB_COMGR).
  // Fails with kUnavailable and one line.
  static Result<std::shared_ptr<const Hiprtc>> open();

  const std::string& version() const { return version_; }  // "5.2.21153", of its file's name
  const std::string& path() const { return path_; }
  // Returns the architectures that it compiles for: "gfx90a", …
  const std::set<std::string>& architectures() const { return architectures_; }

  // Compiles HIP C++ to a code object for the architecture "gfx90a", with --offload-arch before the other options; `log` is what
  // the compiler said, warnings too. Needs no device and no header. Thread-safe. Fails with kUnsupported, before compiling, for an
  // architecture that comgr does not name; with kCompileFailed and the log.
  Result<std::vector<std::byte>> compile(const std::string& text, const std::string& target, std::span<const std::string> options,
                                         std::string& log) const;

 private:
  Hiprtc() = default;
  Status read_architectures();

  abi::HiprtcFunctions calls_{};
  std::string version_, path_;
  std::set<std::string> architectures_;
};

}  // namespace fuselab::hip
