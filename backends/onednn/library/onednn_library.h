// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/host/omp_team.h"
#include "backends/loading/vendor_library.h"
#include "backends/onednn/abi/onednn_abi.h"
#include "backends/onednn/library/primitive_calls.h"
#include "core/base/result.h"

namespace fuselab::onednn {

// The opened library, its processor engine and one stream that runs in order. It may be of either major, which is queried at run
// time. Stays loaded for the process. Used by one thread at a time.
class OneDnnLibrary {
 public:
  // Looks for libdnnl.so.3, then libdnnl.so.2 ($FUSELAB_LIB_ONEDNN overrides).
  // Fails with kUnavailable and one line where there is none, where it is older than 2.6 or newer than 3.x, or where its threads
  // cannot be set.
  static Result<std::shared_ptr<OneDnnLibrary>> open(const loading::Surroundings& surroundings);

  const abi::Functions& calls() const { return calls_; }
  const PrimitiveCalls& primitives() const { return *primitives_; }
  host::OmpTeam& team() { return team_; }
  const host::OmpTeam& team() const { return team_; }
  abi::Engine engine() const { return engine_; }
  abi::Stream stream() const { return stream_; }

  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }  // "2.6.3"
  const std::string& hash() const { return hash_; }        // of the source that the library was built from
  std::string isa() const;                                 // "avx512_core_bf16": the widest instruction set that it uses here
  // Returns the argument that is the operand of the n-th post-op.
  abi::Argument post_op_argument(std::size_t index) const {
    return post_op_base_ * static_cast<abi::Argument>(index + 1) | abi::kSource1;
  }

  // Returns success, or an error with the action: "describing a matmul: unimplemented".
  static Status check(abi::Code status, const std::string& what);

 private:
  OneDnnLibrary() = default;
  Status find_post_op_base();

  abi::Functions calls_{};
  std::unique_ptr<PrimitiveCalls> primitives_;
  host::OmpTeam team_;
  abi::Engine engine_ = nullptr;
  abi::Stream stream_ = nullptr;
  abi::Argument post_op_base_ = abi::kPostOpBase;
  std::string path_, version_, hash_;
};

}  // namespace fuselab::onednn
