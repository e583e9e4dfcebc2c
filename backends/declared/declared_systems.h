// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend_info.h"
#include "core/base/support.h"
#include "core/fusion/match/fusion_types.h"
#include "core/graph/dtype.h"

namespace fuselab::declared {

// What the source documents say a system can fuse (S0: R28, R36-R42, R53-R62). Declared, not proved: it is shown as a claim and
// never as a device's capabilities.
struct FusionClaim {
  std::string_view pattern_name;  // "TritonFusion"
  int priority = 0;
  int max_group_operators = 0;  // 0: no limit is claimed
  std::vector<FusionPatternType> patterns;
  std::vector<DType> dtypes;
  bool autotuning = false, profiling = false, jit = false, binary_cache = false;
  std::string_view kernel_prefix;  // kernels are called "<prefix><id>"
  int threads_per_block = 0;
  int register_bytes = 0;
  std::vector<std::string_view> compiler_flags;
};

// What is to be known beside its row of a system that the project names and this version does not drive.
struct DeclaredSystem {
  std::string_view id;
  // Looks on this machine, in one line: why it is not usable here. Null: the libraries of its BackendInfo are searched.
  std::string (*look)() = nullptr;
  std::optional<FusionClaim> claim;
};

std::span<const DeclaredSystem> declared_systems();
const DeclaredSystem* find_declared_system(std::string_view id);

// Looks now and answers in one line: "libcuda.so.1 not found", or "libdnnl.so.3 found, but this version of Fuselab does not
// drive it yet".
std::string reason_why_unusable(const BackendInfo& info);

}  // namespace fuselab::declared
