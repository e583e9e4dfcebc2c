// SPDX-License-Identifier: Apache-2.0
// Machines that were dumped by `fuselab devices --json`: every file in tests/support/fake_cuda/machines is one, played by the fake
// driver. What is made of the raw numbers is compared with the numbers, not with what the dumping program made of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "core/graph/graph_text.h"
#include "tests/support/fake_cuda/device_dump.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

constexpr std::size_t kStride = 7;  // of the configurations that are written: no multiple of any axis

std::vector<std::string> dumps() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(MACHINES)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class DumpedCudaMachine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fakes_.driver("machine=" + GetParam());
    const auto driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    driver_ = driver.value();
    auto found = describe_devices(*driver_);
    ASSERT_TRUE(found.ok()) << found.error().message;
    found_ = std::move(found).value();
    ASSERT_FALSE(found_.devices.empty()) << "a dump without a CUDA device tests nothing: take it out of the folder";
    ASSERT_EQ(found_.devices.size(), machine_.devices.size()) << found_.note();
  }

  FakeLibraries fakes_;
  fake_cuda::DumpedMachine machine_ = fake_cuda::read_machine(GetParam());
  std::shared_ptr<const CudaDriver> driver_;
  FoundDevices found_;
};

TEST_P(DumpedCudaMachine, IsListedWithTheTargetAndTheLimitsOfItsNumbers) {
  for (std::size_t i = 0; i < found_.devices.size(); ++i) {
    const DeviceInfo& info = found_.devices[i];
    fake_cuda::DumpedDevice& raw = machine_.devices[i];
    EXPECT_EQ(info.name, raw.name);
    EXPECT_EQ(info.total_memory_bytes, static_cast<std::int64_t>(raw.memory));
    EXPECT_EQ(info.compute_units, raw.attributes.at(16));
    const std::string major = "sm_" + std::to_string(raw.attributes.at(75));
    const std::string capability = major + std::to_string(raw.attributes.at(76));
    EXPECT_EQ(info.target.id, capability + (capability == "sm_90" ? "a" : ""));
    const auto& limits = info.target.limits;
    EXPECT_EQ(limits.at("max_threads"), raw.attributes.at(1));
    EXPECT_EQ(limits.at("shared_bytes"), raw.attributes.at(8));
    EXPECT_EQ(limits.at("shared_optin_bytes"), raw.attributes.at(97));
    EXPECT_EQ(limits.at("max_threads_per_sm"), raw.attributes.at(39));
    EXPECT_EQ(limits.at("l2_bytes"), raw.attributes.at(38));
    for (const Target& other : info.other_targets) {
      EXPECT_EQ(other.id.substr(0, other.id.size() - 1), major);
      EXPECT_LT(other.id, info.target.id);
      EXPECT_THAT(other.id, testing::AllOf(testing::Ne("sm_87"), testing::Ne("sm_101"), testing::Ne("sm_110")));
    }
    // Dumped again, it is the same dump.
    std::map<int, int> again;
    for (const DeviceAttribute& each : info.attributes) again[each.number] = static_cast<int>(each.value);
    for (const auto& [number, value] : again) EXPECT_EQ(raw.attributes.at(number), value) << number;
    const auto also = [&](const auto& each) { return each.first <= 127; };  // what every driver has
    EXPECT_EQ(std::count_if(again.begin(), again.end(), also), std::count_if(raw.attributes.begin(), raw.attributes.end(), also));
  }
}

// A row that is too long for 48 KiB of shared memory, and one block for each multiprocessor.
TEST_P(DumpedCudaMachine, GetsKernelsThatItsDevicesCanRun) {
  const auto graph = parse_graph("graph(x: bf16[4096,24000]) { y = Softmax(x); return y }").value();
  const CudaGenerator generator;
  for (const DeviceInfo& info : found_.devices) {
    ASSERT_TRUE(generator.supports(graph, info.target).yes) << info.name;
    std::int64_t most_shared = 0, most_threads = 0, persistent = 0;
    const auto configs = generator.space(graph, info.target).enumerate(100000);
    for (std::size_t at = 0; at < configs.size(); at += kStride) {
      const LaunchConfig& config = configs[at];
      const auto source = generator.generate(graph, config, info.target);
      ASSERT_TRUE(source.ok()) << config.text() << ": " << source.error().message;
      const KernelAbi& abi = source.value().abi;
      most_shared = std::max(most_shared, abi.shared_bytes.evaluate({}).value());
      most_threads = std::max(most_threads, abi.block_x.evaluate({}).value());
      const auto blocks = abi.grid_x.evaluate({}).value();
      if (blocks < 4096 && blocks % *info.compute_units == 0) ++persistent;
    }
    EXPECT_GT(most_shared, info.target.limits.at("shared_bytes")) << "the device has more, and it is worth having";
    EXPECT_LE(most_shared, info.target.limits.at("shared_optin_bytes"));
    EXPECT_LE(most_threads, info.target.limits.at("max_threads"));
    EXPECT_GT(persistent, 0) << "blocks that stay come in multiples of " << *info.compute_units;
  }
}

TEST_P(DumpedCudaMachine, OpensEachOfItsDevices) {
  NvrtcCompiler compiler;
  for (const DeviceInfo& info : found_.devices) {
    const auto opened = gpu::stream::StreamRuntime::open(driver_, info, compiler, nullptr);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_TRUE(opened.value()->info().free_memory_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Dumps, DumpedCudaMachine, testing::ValuesIn(dumps()), [](const auto& each) {
  std::string name = std::filesystem::path(each.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace fuselab::cuda
