// SPDX-License-Identifier: Apache-2.0
#include "backends/torch_cuda/torch_cuda_work.h"

#include "backends/torch/bound_calls.h"
#include "core/tensor/tensor.h"

namespace fuselab::torch {
namespace {

namespace stream = gpu::stream;

constexpr std::size_t kStagingBytes = 1 << 20;

// PyTorch counts and passes addresses of a device as pointers.
std::byte* pointer_to(stream::abi::DevicePointer address) {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

Result<std::unique_ptr<stream::StreamWork>> TorchCudaWork::build(std::shared_ptr<TorchCudaLibrary> library,
                                                                 stream::DeviceContext& context, TorchPlan plan) {
  std::unique_ptr<TorchCudaWork> work(new TorchCudaWork(std::move(library), context, std::move(plan)));
  FL_TRY_VOID(work->keep_memory());
  return std::unique_ptr<stream::StreamWork>(std::move(work));
}

Status TorchCudaWork::keep_memory() {
  for (const std::int64_t bytes : plan_.kept_bytes) {
    FL_TRY(stream::DeviceMemory memory, stream::DeviceMemory::create(context_, {bytes}, gpu::Access::kWritten));
    kept_.push_back(std::move(memory));
  }
  if (plan_.numbers.empty()) return {};
  FL_TRY(stream::PinnedMemory staging, stream::PinnedMemory::create(context_, kStagingBytes));
  for (const PlanNumber& each : plan_.numbers) {
    const stream::DeviceMemory& memory = kept_[static_cast<std::size_t>(each.place - plan_.arguments)];
    FL_TRY_VOID(stream::copy_to_device(context_, staging, memory.address(), pack({{each.dtype, {}}, {each.value}})));
  }
  return {};
}

// Tensors are made anew for each run: a run is queued once and then repeated from a recording.
Status TorchCudaWork::run(const std::vector<std::byte*>& memory) const {
  FL_TRY(const auto bound, BoundCalls::bind(*library_, plan_, memory, {abi::kCuda, context_.ordinal()}));
  FL_TRY_VOID(bound->run());
  return bound->check_results();
}

Status TorchCudaWork::enqueue(std::vector<stream::abi::DevicePointer>& addresses) {
  std::vector<std::byte*> memory;
  for (const stream::abi::DevicePointer each : addresses) memory.push_back(pointer_to(each));
  for (const stream::DeviceMemory& each : kept_) memory.push_back(pointer_to(each.address()));
  void* guard = nullptr;
  FL_TRY_VOID(library_->check(library_->streams().enter(context_.stream(), context_.ordinal(), &guard), "taking the stream"));
  const Status ran = run(memory);
  const Status left = library_->check(library_->streams().leave(guard), "leaving the stream");
  return ran.ok() ? left : ran;
}

}  // namespace fuselab::torch
