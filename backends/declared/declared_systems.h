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
#include "core/types/dtype.h"

namespace fuselab::declared {

// A kind of fusion that a system has according to the source documents (S0: R28, R36-R42, R53-R62). It is declared and not proved,
// so it is shown as a claim and never as a device's capability.
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

// Facts, beside its row, about a system that the project names and this version does not drive.
struct DeclaredSystem {
  std::string_view id;
  // Returns in one line why the system is not usable on this machine. Null: the libraries of its BackendInfo are searched.
  std::string (*look)() = nullptr;
  std::optional<FusionClaim> claim;
};

std::span<const DeclaredSystem> declared_systems();
const DeclaredSystem* find_declared_system(std::string_view id);

// Returns the present reason in one line: "libcuda.so.1 not found", or "libdnnl.so.3 found, but this version of Fuselab does not
// drive it yet".
std::string reason_why_unusable(const BackendInfo& info);

}  // namespace fuselab::declared
