// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {

// A runtime on the fake driver, whose kernels do nothing; a lost device is noted where the process would end.
class CudaRuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    fakes_.use("FUSELAB_FAKE_CUDA_RUNNER", "");
    const auto driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    const auto devices = describe_devices(*driver.value());
    ASSERT_TRUE(devices.ok());
    auto opened = gpu::stream::StreamRuntime::open(driver.value(), devices.value().devices.front(), compiler_,
                                                   [this](const std::string& why) { lost_.push_back(why); });
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
  }

  Result<CompiledKernel> compile(const std::string& signature, int threads = 128) {
    CompiledKernel kernel;
    kernel.source.language = "cuda";
    kernel.source.text = "extern \"C\" __global__ void k(" + signature + ") {}\n";
    kernel.source.entry = "k";
    kernel.source.abi.entry = "k";
    kernel.source.abi.block_x.text = std::to_string(threads);
    kernel.source.abi.grid_x.text = "multiprocessors * 2";
    for (int i = 0; i < 2; ++i) kernel.source.abi.arguments.push_back({"a" + std::to_string(i), BufferRole::kIn, {}, 64});
    FL_TRY(kernel.binary, compiler_.compile(kernel.source, runtime_->info().target, OptimizationLevel::kO2, {}));
    kernel.abi = kernel.source.abi;
    kernel.identity.target = runtime_->info().target.id;
    return kernel;
  }

  Launch launch_of(Executable& executable) {
    Launch launch;
    launch.executable = &executable;
    for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut})
      launch.arguments.push_back(runtime_->allocate({100}, role).value());
    return launch;
  }

  // Nothing that the real driver would have refused.
  void TearDown() override {
    runtime_.reset();
    EXPECT_EQ(told_by_fake<int>("fuselab_fake_cuda_misuses"), 0);
  }

  FakeLibraries fakes_;
  NvrtcCompiler compiler_;
  std::vector<std::string> lost_;
  std::unique_ptr<DeviceRuntime> runtime_;
};

}  // namespace fuselab::cuda
