// SPDX-License-Identifier: Apache-2.0
// What a kernel's record asks of a launch beside a grid and a block: kernels that follow, clusters of blocks, tensor maps.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/cuda/runtime_fixture.h"

namespace fuselab::cuda {
namespace {

using testing::ElementsAre;

class CudaLaunchesTest : public CudaRuntimeTest {
 protected:
  // A module of kernels of two pointers and so many maps; each takes 256 threads at most.
  Result<CompiledKernel> module_of(const std::vector<std::string>& kernels, int maps = 0) {
    CompiledKernel kernel;
    kernel.source.language = "cuda";
    kernel.source.entry = kernels.front();
    for (const std::string& each : kernels) {
      kernel.source.text += "extern \"C\" FL_KERNEL(256) void " + each + "(const fl_bf16* a, fl_bf16* b";
      for (int i = 0; i < maps; ++i) kernel.source.text += ", FL_TENSOR_MAP(map" + std::to_string(i) + ")";
      kernel.source.text += ") {}\n";
    }
    KernelAbi& abi = kernel.source.abi;
    abi.entry = kernels.front();
    abi.grid_x.text = "2 * multiprocessors";
    abi.block_x.text = "128";
    const TensorType rows{DType::kBF16, {64, 512}};
    abi.arguments = {{"a", BufferRole::kIn, rows, 64}, {"b", BufferRole::kOut, rows, 64}};
    FL_TRY(kernel.binary, compiler_.compile(kernel.source, runtime_->info().target, OptimizationLevel::kO2, {}));
    kernel.abi = abi;
    kernel.identity.target = runtime_->info().target.id;
    return kernel;
  }

  Launch launch_with(Executable& executable) {
    Launch launch{&executable, {}};
    for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut})
      launch.arguments.push_back(runtime_->allocate({64 * 512 * 2}, role).value());
    return launch;
  }

  // The shapes of what one run launches: recorded as a graph, or at once.
  std::vector<std::string> shapes_of(const CompiledKernel& kernel, bool recorded) {
    const auto loaded = runtime_->load(kernel);
    if (!loaded.ok()) return {loaded.error().message};
    const Launch launch = launch_with(*loaded.value());
    EXPECT_TRUE(runtime_->time(std::vector{launch}, 1).ok()) << "wakes the device";
    const std::string file = testing::TempDir() + "/shapes-" + std::to_string(getpid());
    fakes_.driver("shapes=" + file);
    EXPECT_TRUE(recorded ? runtime_->time(std::vector{launch}, 1).ok() : launch.executable->enqueue(launch.arguments).ok());
    EXPECT_TRUE(runtime_->synchronize().ok());
    fakes_.driver("");
    std::vector<std::string> shapes;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) shapes.push_back(line);
    std::filesystem::remove(file);
    return shapes;
  }

  std::string refusal_of(const CompiledKernel& kernel) {
    const auto loaded = runtime_->load(kernel);
    return loaded.ok() ? "" : loaded.error().message;
  }
};

TEST_F(CudaLaunchesTest, FollowEachOtherAsTheRecordSays) {
  auto kernel = module_of({"k", "k_fold", "k_fold2"}).value();
  kernel.abi.after = {{"k_fold", {"multiprocessors"}, {"64"}, {"0"}}, {"k_fold2", {"3"}, {"256"}, {"102400"}}};
  for (const bool recorded : {false, true})
    EXPECT_THAT(shapes_of(kernel, recorded), ElementsAre("k 264 128 0 1", "k_fold 132 64 0 1", "k_fold2 3 256 102400 1"));
}

TEST_F(CudaLaunchesTest, EndWithAFoldOfOneBlockThatTheRecordDoesNotList) {
  EXPECT_THAT(shapes_of(module_of({"k", "k_fold"}).value(), true), ElementsAre("k 264 128 0 1", "k_fold 1 256 0 1"));
}

// The graph that a stream is to take as a whole holds at most so many kernels, not so many runs.
TEST_F(CudaLaunchesTest, AreCountedOneByOneWhenTheyAreRecorded) {
  auto kernel = module_of({"k", "k_fold", "k_fold2"}).value();
  kernel.abi.after = {{"k_fold", {"1"}, {"64"}, {"0"}}, {"k_fold2", {"1"}, {"64"}, {"0"}}};
  const auto loaded = runtime_->load(kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_with(*loaded.value());
  for (const std::size_t launches : {std::size_t{1}, std::size_t{200}}) {
    const std::vector<Launch> sequence(launches, launch);
    for (const int repetitions : {1, 85, 86, 300}) {
      const auto timing = runtime_->time(sequence, repetitions);
      ASSERT_TRUE(timing.ok()) << timing.error().message;
      const double kernels = 3.0 * static_cast<double>(launches) * repetitions;
      EXPECT_NEAR(timing.value().duration.count, kernels * 2000 + 500, 1 + kernels * 0.01);
    }
  }
  EXPECT_LE(told_by_fake<int>("fuselab_fake_cuda_largest_graph"), 256);
}

TEST_F(CudaLaunchesTest, AreRefusedWhereOneThatFollowsWouldNotRun) {
  auto kernel = module_of({"k", "k_fold"}).value();
  kernel.abi.after = {{"k_other", {"1"}, {"64"}, {"0"}}};
  EXPECT_EQ(refusal_of(kernel), "the kernel k_other, which follows: the cubin has no kernel 'k_other'");
  kernel.abi.after = {{"k_fold", {"0"}, {"64"}, {"0"}}};
  EXPECT_EQ(refusal_of(kernel), "the kernel k_fold, which follows: the grid would be 0");
  kernel.abi.after = {{"k_fold", {"rows"}, {"64"}, {"0"}}};
  EXPECT_THAT(refusal_of(kernel), testing::HasSubstr("the kernel k_fold, which follows: formula 'rows': unknown dimension 'rows'"));
  kernel.abi.after = {{"k_fold", {"1"}, {"512"}, {"0"}}};
  EXPECT_EQ(
      refusal_of(kernel),
      "the kernel k_fold, which follows: it would not launch: the block has 512 threads, the kernel was compiled for at most 256");
  kernel.abi.after = {{"k_fold", {"1"}, {"64"}, {std::to_string(228 << 10)}}};
  EXPECT_EQ(refusal_of(kernel), "the kernel k_fold, which follows: it would not launch: a block needs 228 KiB of shared memory, " +
                                    runtime_->info().target.id + " has 227 KiB");
}

TEST_F(CudaLaunchesTest, RunInClusters) {
  auto kernel = module_of({"k", "k_fold"}).value();
  kernel.abi.cluster = 2;
  for (const bool recorded : {false, true})
    EXPECT_THAT(shapes_of(kernel, recorded), ElementsAre("k 264 128 0 2", "k_fold 1 256 0 1"));
}

TEST_F(CudaLaunchesTest, AreRefusedWhereClustersDoNotFit) {
  auto kernel = module_of({"k"}).value();
  for (const std::int64_t blocks : {0, 16}) {
    kernel.abi.cluster = blocks;
    EXPECT_EQ(refusal_of(kernel), "its blocks run in clusters of " + std::to_string(blocks) + ", a cluster has 1 to 8");
  }
  kernel.abi.cluster = 4;
  kernel.abi.grid_x.text = "6";
  EXPECT_EQ(refusal_of(kernel), "its blocks run in clusters of 4, which its 6 blocks are no multiple of");
  kernel.abi.grid_x.text = "8";
  fakes_.driver("clusters=0");
  EXPECT_EQ(refusal_of(kernel), "not one cluster of 4 blocks fits Fake H200");
  fakes_.driver("");
  EXPECT_EQ(refusal_of(kernel), "");
}

TEST_F(CudaLaunchesTest, DescribeBuffersToTheCopyEngineWhereverTheyLie) {
  auto kernel = module_of({"k"}, 2).value();
  kernel.abi.maps = {{0, DType::kBF16, {512, 64}, {1024}, {64, 32}, 128}, {1, DType::kBF16, {512, 64}, {1024}, {64, 64}, 0}};
  for (const bool recorded : {false, true}) EXPECT_THAT(shapes_of(kernel, recorded), ElementsAre("k 264 128 0 1"));
  const auto loaded = runtime_->load(kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch first = launch_with(*loaded.value()), second = launch_with(*loaded.value());
  const std::string file = testing::TempDir() + "/maps-" + std::to_string(getpid());
  fakes_.driver("maps=" + file);
  for (const Launch* launch : {&first, &second, &first}) ASSERT_TRUE(launch->executable->enqueue(launch->arguments).ok());
  ASSERT_TRUE(runtime_->synchronize().ok());
  fakes_.driver("");
  std::ifstream lines(file);
  std::vector<std::string> told;
  for (std::string line; std::getline(lines, line);) told.push_back(line);
  std::filesystem::remove(file);
  // Of each launch both maps: where its buffer lies among the arguments, extents, strides, box and swizzle.
  const std::string of_a = "0: 512 64, 1024, 64 32, 3", of_b = "1: 512 64, 1024, 64 64, 0";
  EXPECT_THAT(told, ElementsAre(of_a, of_b, of_a, of_b, of_a, of_b));
}

TEST_F(CudaLaunchesTest, AreRefusedWhereAMapIsNone) {
  auto kernel = module_of({"k"}, 1).value();
  EXPECT_EQ(refusal_of(kernel), "the cubin's kernel takes 3 arguments, its record says 2");
  const TensorMapArgument good{0, DType::kBF16, {512, 64}, {1024}, {64, 32}, 128};
  const auto refused = [&](auto&& change) {
    TensorMapArgument map = good;
    change(map);
    kernel.abi.maps = {map};
    return refusal_of(kernel);
  };
  EXPECT_EQ(refused([](TensorMapArgument&) {}), "");
  EXPECT_EQ(refused([](TensorMapArgument& map) { map.buffer = 2; }), "a map is of argument 2, the kernel has 2");
  const std::string refusal = "the copy engine does not take the map of argument 0: ";
  EXPECT_EQ(refused([](TensorMapArgument& map) { map.box[0] = 72; }),
            refusal + "a row of its box has 144 bytes, its swizzle is 128");
  EXPECT_EQ(refused([](TensorMapArgument& map) { map.extents[1] = 65; }),
            refusal + "it reaches past the 65536 bytes of its buffer");
  // Where a buffer lies is known only when it is bound.
  kernel.abi.maps = {good};
  kernel.abi.arguments[0].alignment = 2;
  const auto loaded = runtime_->load(kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  Launch launch = launch_with(*loaded.value());
  launch.arguments[0].offset = 8;
  launch.arguments[0].size = {100};
  EXPECT_EQ(launch.executable->enqueue(launch.arguments).error().message,
            "the buffer of 'a' is not aligned to the 16 bytes that its map needs");
}

}  // namespace
}  // namespace fuselab::cuda
