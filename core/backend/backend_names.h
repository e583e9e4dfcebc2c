// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"

namespace fuselab {

// The names of the systems in the source documents. A system is identified by its lower-case id; the documents' enums are only
// lookup tables onto ids, so that no code branches on them. The systems themselves are in backends/systems.cpp.

// S0's kinds of fusion backends (R9). Any that is neither Triton nor XLA is Custom.
enum class FusionBackendType { kTriton, kXla, kCustom, kNone };

// S2's numbering (R115): GPUs 0-9, CPUs 10-19, special 20 and up.
enum class BackendType {
  kCuda = 0,
  kMps = 1,
  kCudnn = 2,
  kCusparselt = 3,
  kCpu = 10,
  kMkl = 11,
  kMkldnn = 12,
  kOpenmp = 13,
  kXeon = 14,
  kNki = 20,
  kTriton = 21,
  kMha = 22,
  kNnpack = 23,
  kOptEinsum = 24,
  kUnknown = 999,
};

// S3's vendors (R138).
enum class VendorFamily { kAuto, kNvidia, kAmd, kTpu, kIntel, kCpu };

// S4's places to compute (R164).
enum class ComputeBackend { kCpuSimd, kCuda, kMetal };

// S1's user preference (R94): automatic, force the CPU, or prefer one of the others.
enum class BackendPreference { kAuto, kCpu, kCuda, kMetal, kRocm, kOpenCl, kWebGpu };

// Returns nothing for kNone, kUnknown and kAuto.
std::optional<std::string_view> id_of(FusionBackendType type);
std::optional<std::string_view> id_of(BackendType type);
std::optional<std::string_view> id_of(VendorFamily family);
std::optional<std::string_view> id_of(BackendPreference preference);
std::string_view id_of(ComputeBackend backend);

std::string_view name_of(FusionBackendType type);  // "Triton", as in S0's messages
std::string_view name_of(BackendPreference preference);
FusionBackendType fusion_backend_type_of(std::string_view id);
BackendType backend_type_of(std::string_view id);
Result<BackendPreference> parse_backend_preference(std::string_view name);

// Returns CUDA > ROCm > Metal > TPU > Intel > OpenCL > WebGPU > CPU, a merge of R96 and R147. It only breaks ties: the measured
// table decides (A5).
std::span<const std::string_view> auto_order();

bool same_name(std::string_view a, std::string_view b);  // ASCII, ignoring case

}  // namespace fuselab
