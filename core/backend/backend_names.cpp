// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_names.h"

#include <algorithm>

namespace fuselab {
namespace {

struct TypeName {
  BackendType type;
  std::string_view id;
};
constexpr TypeName kTypes[] = {
    {BackendType::kCuda, "cuda"},     {BackendType::kMps, "metal"},
    {BackendType::kCudnn, "cudnn"},   {BackendType::kCusparselt, "cusparselt"},
    {BackendType::kCpu, "cpu"},       {BackendType::kMkl, "mkl"},
    {BackendType::kMkldnn, "onednn"}, {BackendType::kOpenmp, "openmp"},
    {BackendType::kXeon, "xeon"},     {BackendType::kNki, "nki"},
    {BackendType::kTriton, "triton"}, {BackendType::kMha, "mha"},
    {BackendType::kNnpack, "nnpack"}, {BackendType::kOptEinsum, "opt_einsum"},
};

constexpr std::string_view kAutoOrder[] = {"cuda", "rocm", "metal", "tpu", "intel", "opencl", "webgpu", "cpu"};

struct PreferenceName {
  BackendPreference preference;
  std::string_view name;
};
constexpr PreferenceName kPreferences[] = {
    {BackendPreference::kAuto, "auto"},     {BackendPreference::kCpu, "cpu"},   {BackendPreference::kCuda, "cuda"},
    {BackendPreference::kMetal, "metal"},   {BackendPreference::kRocm, "rocm"}, {BackendPreference::kOpenCl, "opencl"},
    {BackendPreference::kWebGpu, "webgpu"},
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> id_of(FusionBackendType type) {
  switch (type) {
    case FusionBackendType::kTriton: return "triton";
    case FusionBackendType::kXla: return "xla";
    case FusionBackendType::kCustom: return "custom";
    case FusionBackendType::kNone: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string_view> id_of(BackendType type) {
  for (const auto& row : kTypes) {
    if (row.type == type) return row.id;
  }
  return std::nullopt;
}

std::optional<std::string_view> id_of(VendorFamily family) {
  switch (family) {
    case VendorFamily::kAuto: return std::nullopt;
    case VendorFamily::kNvidia: return "cuda";
    case VendorFamily::kAmd: return "rocm";
    case VendorFamily::kTpu: return "tpu";
    case VendorFamily::kIntel: return "intel";
    case VendorFamily::kCpu: return "cpu";
  }
  return std::nullopt;
}

std::optional<std::string_view> id_of(BackendPreference preference) {
  if (preference == BackendPreference::kAuto) return std::nullopt;
  return name_of(preference);
}

std::string_view id_of(ComputeBackend backend) {
  switch (backend) {
    case ComputeBackend::kCpuSimd: return "cpu";
    case ComputeBackend::kCuda: return "cuda";
    case ComputeBackend::kMetal: return "metal";
  }
  return "cpu";
}

std::string_view name_of(FusionBackendType type) {
  switch (type) {
    case FusionBackendType::kTriton: return "Triton";
    case FusionBackendType::kXla: return "XLA";
    case FusionBackendType::kCustom: return "Custom";
    case FusionBackendType::kNone: return "None";
  }
  return "None";
}

std::string_view name_of(BackendPreference preference) {
  for (const auto& row : kPreferences) {
    if (row.preference == preference) return row.name;
  }
  return "auto";
}

FusionBackendType fusion_backend_type_of(std::string_view id) {
  if (same_name(id, "triton")) return FusionBackendType::kTriton;
  if (same_name(id, "xla")) return FusionBackendType::kXla;
  return id.empty() ? FusionBackendType::kNone : FusionBackendType::kCustom;
}

BackendType backend_type_of(std::string_view id) {
  for (const auto& row : kTypes) {
    if (same_name(row.id, id)) return row.type;
  }
  return BackendType::kUnknown;
}

Result<BackendPreference> parse_backend_preference(std::string_view name) {
  for (const auto& row : kPreferences) {
    if (same_name(row.name, name)) return row.preference;
  }
  return invalid_argument("unknown backend preference '" + std::string(name) +
                          "'; one of auto, cpu, cuda, metal, rocm, opencl, webgpu");
}

std::span<const std::string_view> auto_order() {
  return kAutoOrder;
}

}  // namespace fuselab
