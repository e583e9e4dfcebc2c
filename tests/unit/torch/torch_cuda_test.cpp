// SPDX-License-Identifier: Apache-2.0
// PyTorch on CUDA's devices, as stand-ins for its two libraries and for NVIDIA's driver: what is opened when, and what is computed
// on our stream in our memory.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <numeric>

#include "backends/loading/shared_library.h"
#include "backends/torch_cuda/torch_cuda_backend.h"
#include "core/platform/files/temporary_folder.h"
#include "tests/support/environment_variables.h"
#include "tests/support/graph_builder.h"

namespace fuselab::torch {
namespace {

using ::testing::HasSubstr;

class TorchCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    variables_.set("FUSELAB_LIB_CUDA", FAKE_CUDA_DRIVER);
    variables_.set("FUSELAB_LIB_TORCH_CUDA", FAKE_TORCH_CUDA_GOOD);
    variables_.set("FUSELAB_LIB_NVRTC", "/nowhere/libnvrtc.so");
    variables_.set("NVIDIA_TF32_OVERRIDE", "1");
  }

  // Returns a folder with these two files as PyTorch's.
  std::string beside_operators(const char* kernels) {
    const auto in_folder = folder_.value().path() / "libtorch_cuda.so";
    std::filesystem::copy_file(FAKE_TORCH_OPERATORS, folder_.value().path() / "libtorch_cpu.so");
    std::filesystem::copy_file(kernels, in_folder);
    return in_folder.string();
  }

  Result<CompiledKernel> compiled(const char* text) {
    const Graph graph = testing::graph_from(text);
    const Target target = device().target;
    return compile_kernel(*backend_, graph, backend_->generator()->default_config(graph, target), target, OptimizationLevel::kO2,
                          {});
  }

  DeviceInfo device() {
    const auto devices = backend_->enumerate();
    return devices.ok() ? devices.value().front() : DeviceInfo();
  }

  // Loads the kernel of a graph of f32 and allocates its buffers, whose inputs are 1, 2, 3, …
  void load(const char* text) {
    const auto kernel = compiled(text);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    auto opened = backend_->open(device());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    executable_.reset();  // before its runtime
    runtime_ = std::move(opened).value();
    auto loaded = runtime_->load(kernel.value());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    executable_ = std::move(loaded).value();
    launch_ = {executable_.get(), {}};
    for (const KernelArgument& each : kernel.value().abi.arguments) {
      const Bytes size = size_of(each.type).value();
      launch_.arguments.push_back(runtime_->allocate(size, each.role).value());
      std::vector<float> numbers(static_cast<std::size_t>(size.count / 4));
      std::iota(numbers.begin(), numbers.end(), 1.0F);
      if (each.role != BufferRole::kIn) continue;
      ASSERT_TRUE(runtime_->upload(launch_.arguments.back(), std::as_bytes(std::span(numbers))).ok());
    }
  }

  std::vector<float> result(std::size_t count) {
    std::vector<float> numbers(count);
    EXPECT_TRUE(runtime_->download(std::as_writable_bytes(std::span(numbers)), launch_.arguments.back()).ok());
    return numbers;
  }

  template <typename Answer>
  static Answer ask_kernels(const char* function) {
    return reinterpret_cast<Answer (*)()>(loading::open_library(FAKE_TORCH_CUDA_GOOD).symbol(function))();
  }

  test::Variables variables_;
  Result<platform::TemporaryFolder> folder_ = platform::TemporaryFolder::create("fuselab-test");
  std::unique_ptr<FusionBackend> backend_ = make_torch_cuda_backend();
  std::unique_ptr<DeviceRuntime> runtime_;
  std::unique_ptr<Executable> executable_;
  Launch launch_;
};

TEST_F(TorchCuda, IsADeviceOfItsOwnOnTheSameSilicon) {
  const Availability availability = backend_->probe();
  ASSERT_TRUE(availability.usable) << availability.reason;
  const DeviceInfo info = device();
  EXPECT_EQ(info.id, "torch_cuda:0");
  EXPECT_EQ(info.backend, "torch_cuda");
  EXPECT_EQ(info.type, "gpu");
  EXPECT_THAT(info.name, HasSubstr("(through PyTorch 2.15.0)"));
  EXPECT_EQ(info.target.id, "torch_cuda-2.15.0-eager");
  EXPECT_TRUE(info.other_targets.empty()) << "no code of CUDA's is loaded on it";
  EXPECT_TRUE(info.properties.contains("uuid")) << "of the silicon that cuda:0 is";
  EXPECT_EQ(backend_->open(DeviceInfo()).error().code, ErrorCode::kNotFound);
}

// Of NVIDIA's libraries cuDNN multiplies f32 as TF32 unless it is told otherwise.
TEST_F(TorchCuda, TurnsTf32OffBeforeNvidiasLibrariesAreLoaded) {
  ASSERT_TRUE(backend_->probe().usable);
  EXPECT_STREQ(ask_kernels<const char*>("fake_torch_cuda_tf32"), "0");
}

TEST_F(TorchCuda, ComputesAPieceOnOurStreamInOurMemory) {
  load("graph(a: f32[2,3], b: f32[3], c: f32[2,3]) { p = Mul(a, b); v = Add(p, c); return v }");
  ASSERT_TRUE(launch_.executable->enqueue(launch_.arguments).ok());
  ASSERT_TRUE(runtime_->synchronize().ok());
  EXPECT_EQ(result(6), (std::vector<float>{2, 6, 12, 8, 15, 24}));
  const auto timing = runtime_->time({&launch_, 1}, 100);
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
  EXPECT_GT(timing.value().duration.count, 100 * 2 * 1000) << "two results a run, a microsecond each at least";
  EXPECT_EQ(result(6), (std::vector<float>{2, 6, 12, 8, 15, 24})) << "the recording computes it, too";
  EXPECT_EQ(ask_kernels<int>("fake_torch_cuda_guards"), 0) << "the stream was given back";
}

TEST_F(TorchCuda, KeepsNumbersOfAPlanOnTheDevice) {
  load("graph(a: f32[2,3]) { k = Constant(value=2.5); v = Mul(a, k); return v }");
  ASSERT_TRUE(launch_.executable->enqueue(launch_.arguments).ok());
  ASSERT_TRUE(runtime_->synchronize().ok());
  EXPECT_EQ(result(6), (std::vector<float>{2.5, 5, 7.5, 10, 12.5, 15}));
}

TEST_F(TorchCuda, TellsMemoryThatIsMissingFromACallThatFails) {
  load("graph(a: f32[2,19], b: f32[19,2]) { v = MatMul(a, b); return v }");
  const Status full = launch_.executable->enqueue(launch_.arguments);
  EXPECT_EQ(full.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(full.error().message, "aten::mm.out: CUDA out of memory. Tried to allocate 20.00 GiB. See documentation");
  load("graph(a: f32[2]) { v = Erf(a); return v }");
  const Status failed = launch_.executable->enqueue(launch_.arguments);
  EXPECT_EQ(failed.error().code, ErrorCode::kLaunchFailed);
  EXPECT_EQ(failed.error().message, "aten::erf.out: erf: does not like the numbers");
  load("graph(a: f32[2]) { v = Sin(a); return v }");
  EXPECT_EQ(launch_.executable->enqueue(launch_.arguments).error().message,
            "aten::sin.out: Could not find schema for aten::sin.out.");
  EXPECT_EQ(ask_kernels<int>("fake_torch_cuda_guards"), 0);
}

TEST_F(TorchCuda, FindsNoMemoryForWhatAPlanKeeps) {
  ASSERT_TRUE(backend_->probe().usable);
  const auto kernel = compiled("graph(a: f32[1000,1000], b: f32[1000,1000]) { p = Mul(a, b); v = Add(p, a); return v }");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  variables_.set("FUSELAB_FAKE_CUDA", "memory=1000000");
  const auto opened = backend_->open(device());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto loaded = opened.value()->load(kernel.value());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kOutOfMemory);
}

// A job goes on without the ceilings that its device cannot measure; without another reason it would end.
TEST_F(TorchCuda, MeasuresCopiesAloneWithoutNvrtc) {
  load("graph(a: f32[2], b: f32[2]) { v = Mul(a, b); return v }");
  auto* const probe = dynamic_cast<CeilingProbe*>(runtime_.get());
  ASSERT_NE(probe, nullptr);
  EXPECT_TRUE(probe->measure_streams(1, 1, Bytes{1 << 20}, 0.01).ok());
  const auto rows = probe->measure_flops(0.01);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(rows.error().message, HasSubstr("/nowhere/libnvrtc.so not found"));
}

TEST_F(TorchCuda, LooksForNoLibraryWhereThereIsNoDevice) {
  variables_.set("FUSELAB_LIB_CUDA", "/nowhere/libcuda.so.1");
  variables_.set("FUSELAB_LIB_TORCH_CUDA", "/nowhere/libtorch_cuda.so");
  EXPECT_EQ(backend_->probe().reason, "no NVIDIA driver here: FUSELAB_LIB_CUDA: /nowhere/libcuda.so.1 not found");
}

TEST_F(TorchCuda, SaysInOneLineWhatIsMissing) {
  variables_.set("FUSELAB_LIB_TORCH_CUDA", "/nowhere/libtorch_cuda.so");
  EXPECT_EQ(backend_->probe().reason, "FUSELAB_LIB_TORCH_CUDA: /nowhere/libtorch_cuda.so not found");
  EXPECT_EQ(backend_->open(DeviceInfo()).error().code, ErrorCode::kUnavailable);

  backend_ = make_torch_cuda_backend();
  variables_.set("FUSELAB_LIB_TORCH_CUDA", FAKE_TORCH_CUDA_NEEDY);
  EXPECT_THAT(backend_->probe().reason, HasSubstr("/libtorch_cpu.so does not open: ")) << "it is not beside";
}

TEST_F(TorchCuda, NamesTheFunctionThatIsMissing) {
  variables_.set("FUSELAB_LIB_TORCH_CUDA", beside_operators(FAKE_TORCH_CUDA_PARTIAL));
  EXPECT_THAT(backend_->probe().reason, HasSubstr("has no function aoti_torch_delete_cuda_stream_guard: it is too old"));
  EXPECT_EQ(backend_->enumerate().error().code, ErrorCode::kUnavailable);
}

TEST_F(TorchCuda, NamesThePackageOfNvidiasThatIsMissing) {
  variables_.set("FUSELAB_LIB_TORCH_CUDA", beside_operators(FAKE_TORCH_CUDA_NEEDY));
  EXPECT_THAT(backend_->probe().reason, HasSubstr("libfake_absent.so: cannot open shared object file"));
}

}  // namespace
}  // namespace fuselab::torch
