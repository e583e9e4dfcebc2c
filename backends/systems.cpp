// SPDX-License-Identifier: Apache-2.0
#include "backends/systems.h"

#include <algorithm>

#include "core/backend/backend_names.h"

namespace fuselab {
namespace {

using enum RunsOn;

// One row a system: id, display name, kind, what it runs on, licence, libraries.
// clang-format off
const BackendInfo kKnown[] = {
    {"cpu", "CPU (generated C)", "compute", kHardware, "", {}},
    {"cuda", "NVIDIA CUDA", "compute", kGpu, "proprietary", {"libcuda.so.1"}},
    {"rocm", "AMD ROCm (HIP)", "compute", kGpu, "MIT", {"libamdhip64.so.10", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}},
    {"metal", "Apple Metal (MPS)", "compute", kGpu, "proprietary", {}},
    {"opencl", "OpenCL", "compute", kHardware, "Apache-2.0", {"libOpenCL.so.1", "libOpenCL.so"}},
    {"webgpu", "WebGPU", "compute", kGpu, "BSD-3-Clause", {"libwebgpu_dawn.so", "libwgpu_native.so"}},
    {"tpu", "Google TPU", "compute", kHardware, "proprietary", {"libtpu.so"}},
    {"intel", "Intel GPU (Level Zero)", "compute", kGpu, "MIT", {"libze_loader.so.1"}},
    {"nki", "AWS Neuron (NKI)", "compute", kHardware, "proprietary", {"libnrt.so.1", "libnrt.so"}},
    {"triton", "Triton", "compiler", kGpu, "MIT", {"libtriton.so"}},
    {"inductor", "PyTorch Inductor", "compiler", kHardware, "BSD-3-Clause", {"libtorch_cpu.so"}},
    {"xla", "XLA (PJRT)", "compiler", kHardware, "Apache-2.0 AND proprietary", {"pjrt_c_api_cpu_plugin.so", "xla_cuda_plugin.so", "libtpu.so"}},
    {"cudnn", "NVIDIA cuDNN", "library", kGpu, "proprietary", {"libcudnn.so.9", "libcudnn.so.8"}},
    {"cusparselt", "NVIDIA cuSPARSELt", "library", kGpu, "proprietary", {"libcusparseLt.so.0"}},
    {"hipblaslt", "AMD hipBLASLt", "library", kGpu, "MIT", {"libhipblaslt.so.1", "libhipblaslt.so.0"}},
    {"miopen", "AMD MIOpen", "library", kGpu, "MIT", {"libMIOpen.so.1"}},
    {"rocblas", "AMD rocBLAS", "library", kGpu, "MIT", {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0"}},
    {"mkl", "Intel MKL", "library", kHardware, "proprietary", {"libmkl_rt.so.3", "libmkl_rt.so.2"}},
    {"onednn", "oneDNN (MKL-DNN)", "library", kHardware, "Apache-2.0", {"libdnnl.so.3", "libdnnl.so.2"}},
    {"openmp", "OpenMP", "library", kHardware, "GPL-3.0-or-later WITH GCC-exception-3.1", {"libgomp.so.1", "libomp.so.5", "libiomp5.so"}},
    {"xeon", "Intel Xeon (AMX)", "library", kHardware, "", {}},
    {"mha", "MHA (fused attention library)", "library", kGpu, "BSD-3-Clause", {}},
    {"nnpack", "NNPACK", "library", kHardware, "BSD-2-Clause", {"libnnpack.so.0", "libnnpack.so", "libtorch_cpu.so"}},
    {"onnxruntime", "ONNX Runtime", "library", kHardware, "MIT", {"libonnxruntime.so.1", "libonnxruntime.so"}},
    {"openvino", "OpenVINO", "library", kHardware, "Apache-2.0", {"libopenvino_c.so"}},
    {"torch", "PyTorch", "library", kHardware, "BSD-3-Clause", {"libtorch_cpu.so"}},
    {"torch_cuda", "PyTorch on CUDA", "library", kGpu, "BSD-3-Clause AND proprietary", {"libtorch_cuda.so"}},
    {"opt_einsum", "opt_einsum", "library", kHardware, "MIT", {}},
    {"null", "Null (synthetic)", "test", kSoftware, "", {}},
};
// clang-format on

struct Alias {
  std::string_view name;
  std::string_view id;
};
// clang-format off
constexpr Alias kAliases[] = {
    {"mps", "metal"}, {"mkldnn", "onednn"}, {"dnnl", "onednn"}, {"hip", "rocm"}, {"amd", "rocm"}, {"nvidia", "cuda"}, {"cpusimd", "cpu"},
    {"neuron", "nki"}, {"pjrt", "xla"}, {"xpu", "intel"}, {"opteinsum", "opt_einsum"}, {"pytorch", "torch"}, {"torch-cuda", "torch_cuda"}};
// clang-format on

}  // namespace

std::span<const BackendInfo> known_backends() {
  return kKnown;
}

const BackendInfo* find_backend_info(std::string_view id) {
  const auto rows = known_backends();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const BackendInfo& info) { return same_name(info.id, id); });
  return found == rows.end() ? nullptr : &*found;
}

Result<std::string> parse_backend_id(std::string_view name) {
  if (const auto* info = find_backend_info(name)) return std::string(info->id);
  for (const auto& alias : kAliases) {
    if (same_name(alias.name, name)) return std::string(alias.id);
  }
  std::string known;
  for (const auto& info : kKnown) known += (known.empty() ? "" : ", ") + std::string(info.id);
  return invalid_argument("unknown backend '" + std::string(name) + "'; known: " + known);
}

}  // namespace fuselab
