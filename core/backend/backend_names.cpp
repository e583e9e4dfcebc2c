// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend_names.h"

#include <algorithm>
#include <array>

namespace fuselab {
namespace {

const std::array kKnown = {
    BackendInfo{"cpu", "CPU (generated C)", "compute", BackendType::kCpu, false, {}},
    BackendInfo{"cuda", "NVIDIA CUDA", "compute", BackendType::kCuda, true, {"libcuda.so.1"}},
    BackendInfo{"rocm",
                "AMD ROCm (HIP)",
                "compute",
                BackendType::kUnknown,
                true,
                {"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}},
    BackendInfo{"metal", "Apple Metal (MPS)", "compute", BackendType::kMps, true, {}},
    BackendInfo{"opencl", "OpenCL", "compute", BackendType::kUnknown, false, {"libOpenCL.so.1", "libOpenCL.so"}},
    BackendInfo{"webgpu", "WebGPU", "compute", BackendType::kUnknown, true, {"libwebgpu_dawn.so", "libwgpu_native.so"}},
    BackendInfo{"tpu", "Google TPU", "compute", BackendType::kUnknown, false, {"libtpu.so"}},
    BackendInfo{"intel", "Intel GPU (Level Zero)", "compute", BackendType::kUnknown, true, {"libze_loader.so.1"}},
    BackendInfo{"nki", "AWS Neuron (NKI)", "compute", BackendType::kNki, false, {"libnrt.so.1", "libnrt.so"}},
    BackendInfo{"triton", "Triton", "compiler", BackendType::kTriton, true, {"libtriton.so"}},
    BackendInfo{
        "xla", "XLA (PJRT)", "compiler", BackendType::kUnknown, false, {"pjrt_c_api_cpu_plugin.so", "pjrt_c_api_gpu_plugin.so"}},
    BackendInfo{"cudnn", "NVIDIA cuDNN", "library", BackendType::kCudnn, true, {"libcudnn.so.9", "libcudnn.so.8"}},
    BackendInfo{"cusparselt", "NVIDIA cuSPARSELt", "library", BackendType::kCusparselt, true, {"libcusparseLt.so.0"}},
    BackendInfo{"mkl", "Intel MKL", "library", BackendType::kMkl, false, {"libmkl_rt.so.2", "libmkl_rt.so"}},
    BackendInfo{"onednn", "oneDNN (MKL-DNN)", "library", BackendType::kMkldnn, false, {"libdnnl.so.3", "libdnnl.so.2"}},
    BackendInfo{"openmp", "OpenMP", "library", BackendType::kOpenmp, false, {"libgomp.so.1", "libomp.so.5", "libiomp5.so"}},
    BackendInfo{"xeon", "Intel Xeon (AMX)", "library", BackendType::kXeon, false, {}},
    BackendInfo{"mha", "MHA (fused attention library)", "library", BackendType::kMha, true, {}},
    BackendInfo{"nnpack", "NNPACK", "library", BackendType::kNnpack, false, {"libnnpack.so.0", "libnnpack.so"}},
    BackendInfo{"opt_einsum", "opt_einsum", "library", BackendType::kOptEinsum, false, {}},
    BackendInfo{"null", "Null (synthetic)", "test", BackendType::kUnknown, false, {}},
};

struct Alias {
  std::string_view name;
  std::string_view id;
};
constexpr Alias kAliases[] = {{"mps", "metal"}, {"mkldnn", "onednn"}, {"dnnl", "onednn"},         {"hip", "rocm"},
                              {"amd", "rocm"},  {"nvidia", "cuda"},   {"cpusimd", "cpu"},         {"neuron", "nki"},
                              {"pjrt", "xla"},  {"xpu", "intel"},     {"opteinsum", "opt_einsum"}};

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

std::span<const BackendInfo> known_backends() {
  return kKnown;
}

const BackendInfo* find_backend_info(std::string_view id) {
  auto const found = std::find_if(kKnown.begin(), kKnown.end(), [&](const BackendInfo& info) { return same_name(info.id, id); });
  return found == kKnown.end() ? nullptr : &*found;
}

Result<std::string> parse_backend_id(std::string_view name) {
  if (auto const* info = find_backend_info(name)) return std::string(info->id);
  for (auto const& alias : kAliases) {
    if (same_name(alias.name, name)) return std::string(alias.id);
  }
  std::string known;
  for (auto const& info : kKnown) known += (known.empty() ? "" : ", ") + std::string(info.id);
  return invalid_argument("unknown backend '" + std::string(name) + "'; known: " + known);
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
  if (type == BackendType::kUnknown) return std::nullopt;
  for (auto const& info : kKnown) {
    if (info.type == type) return info.id;
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
  for (auto const& row : kPreferences) {
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
  auto const* info = find_backend_info(id);
  return info == nullptr ? BackendType::kUnknown : info->type;
}

Result<BackendPreference> parse_backend_preference(std::string_view name) {
  for (auto const& row : kPreferences) {
    if (same_name(row.name, name)) return row.preference;
  }
  return invalid_argument("unknown backend preference '" + std::string(name) +
                          "'; one of auto, cpu, cuda, metal, rocm, opencl, webgpu");
}

std::span<const std::string_view> auto_order() {
  return kAutoOrder;
}

}  // namespace fuselab
