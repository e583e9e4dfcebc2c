// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::xla {

// What XLA made of a program, counted over all computations that are not the inside of a fusion.
struct HloFusions {
  std::map<std::string, std::int64_t> fusions;  // by kind: "loop", "output", "triton_nested_gemm"
  std::map<std::string, std::int64_t> calls;    // of a library, by name: "__cudnn$convBiasActivationForward"
};

// Reads an optimised program in the form that PJRT gives ("hlo_with_config": a HloModuleProtoWithConfig). The bytes are untrusted.
// Fails with kCorrupt where they are no such program.
Result<HloFusions> fusions_in(std::string_view program);

}  // namespace fuselab::xla
