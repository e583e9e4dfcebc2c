// SPDX-License-Identifier: Apache-2.0
#include "backends/torch_cuda/torch_cuda_library.h"

#include <cstdlib>
#include <filesystem>

#include "backends/library/plan_text.h"
#include "backends/torch_cuda/torch_cuda_work.h"

namespace fuselab::torch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernels = "libtorch_cuda.so";
constexpr const char* kOperators = "libtorch_cpu.so";

Error unavailable(std::string why) {
  return {ErrorCode::kUnavailable, std::move(why)};
}

// Looks without opening it: it brings NVIDIA's libraries into the process, which one that compiles does not need.
Result<std::string> find_kernels(const loading::Surroundings& surroundings) {
  std::error_code ignored;
  if (!surroundings.chosen.empty()) {
    if (fs::exists(surroundings.chosen, ignored)) return surroundings.chosen;
    return unavailable("FUSELAB_LIB_TORCH_CUDA: " + surroundings.chosen + " not found");
  }
  for (const fs::path& root : surroundings.python_roots) {
    const fs::path file = root / "torch" / "lib" / kKernels;
    if (fs::exists(file, ignored)) return file.string();
  }
  return unavailable(
      std::string(kKernels) +
      " not found: activate a Python environment that has PyTorch for CUDA, or name the file in FUSELAB_LIB_TORCH_CUDA");
}

}  // namespace

Result<std::shared_ptr<TorchCudaLibrary>> TorchCudaLibrary::open(const loading::Surroundings& surroundings) {
  FL_TRY(std::string kernels, find_kernels(surroundings));
  const std::string operators = (fs::path(kernels).parent_path() / kOperators).string();
  loading::OpenedLibrary opened = loading::open_library(operators);
  if (opened.handle == nullptr) return unavailable(operators + " does not open: " + opened.problem);
  std::shared_ptr<TorchCudaLibrary> library(new TorchCudaLibrary(std::move(kernels)));
  FL_TRY_VOID(library->take(std::move(opened)));
  library->facts_ = library->facts_of("torch_cuda");
  library->facts_.settings = "eager";
  library->facts_.most_threads = 0;
  library->facts_.flags = "grad=off tf32=off";
  return library;
}

Status TorchCudaLibrary::load() {
  // cuBLAS and cuDNN read it when they are loaded.
  ::setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  const loading::OpenedLibrary kernels = loading::open_library(kernels_);
  if (kernels.handle == nullptr) return unavailable(kernels_ + " does not open: " + kernels.problem);
  const loading::Symbol symbols[] = {{"aoti_torch_create_cuda_stream_guard", reinterpret_cast<void**>(&streams_.enter)},
                                     {"aoti_torch_delete_cuda_stream_guard", reinterpret_cast<void**>(&streams_.leave)}};
  return loading::resolve(kernels, symbols);
}

Status TorchCudaLibrary::load_kernels() {
  if (!loaded_) loaded_ = load();
  return *loaded_;
}

Result<std::string> TorchCudaLibrary::try_plan(const library::PlanText& plan) {
  FL_TRY(const TorchPlan calls, plan_for(plan.graph));
  return remarks_on(calls);
}

Result<std::unique_ptr<gpu::stream::StreamWork>> TorchCudaLibrary::build(gpu::stream::DeviceContext& context,
                                                                         const library::PlanText& asked) {
  FL_TRY(TorchPlan plan, plan_for(asked.graph));
  FL_TRY_VOID(load_kernels());
  calls().set_gradients(false);  // PyTorch keeps them for each thread
  return TorchCudaWork::build(shared_from_this(), context, std::move(plan));
}

}  // namespace fuselab::torch
