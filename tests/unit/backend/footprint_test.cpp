// SPDX-License-Identifier: Apache-2.0
#include "core/backend/footprint.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

TEST(InferenceMemory, CountsAllParametersOfTheDocumentsExample) {
  const auto memory = estimate_inference_memory({4096, 14336, 32, 32000, 32, 8, 4096, 4});
  // A Llama-3-8B body with a 32,000-word vocabulary has 7,241,732,096 parameters.
  EXPECT_EQ(memory.weights.count, 7'241'732'096LL * 4);
  EXPECT_EQ(memory.kv_cache.count, 2LL * 32 * 4096 * 8 * 128 * 4);
  EXPECT_EQ(memory.total().count, memory.weights.count + memory.kv_cache.count + memory.activations.count);
  EXPECT_NEAR(memory.total_gb(), 30.04, 0.01);
}

Graph relu_of(std::int64_t elements) {
  Graph graph;
  const auto input = graph.add_input("x", {DType::kF32, {elements}});
  const auto node = graph.add_node(Op::kRelu, {input});
  EXPECT_TRUE(node.ok());
  graph.add_output(graph.node(node.value()).outputs[0]);
  return graph;
}

TEST(Footprint, CountsBuffersAndTheReference) {
  const auto footprint = footprint_of(relu_of(1000));
  ASSERT_TRUE(footprint.ok());
  EXPECT_EQ(footprint.value().device.count, 8000);
  EXPECT_EQ(footprint.value().host.count, 8000 + 16000);
}

TEST(Footprint, OfWhatNoMachineHoldsIsNoSmallNumber) {
  const auto footprint = footprint_of(relu_of(1'000'000'000'000'000'000));
  ASSERT_TRUE(footprint.ok());
  DeviceInfo device;
  device.id = "cpu:0";
  device.unified_memory = true;
  device.free_memory_bytes = std::int64_t{1} << 40;
  EXPECT_FALSE(fits(footprint.value(), device).yes);
}

TEST(Footprint, SaysWhatIsNeededAndWhatIsThere) {
  DeviceInfo device;
  device.id = "cuda:0";
  EXPECT_TRUE(fits(Bytes{1 << 30}, device).yes) << "unknown memory is not too little memory";
  device.total_memory_bytes = 10'000;
  EXPECT_TRUE(fits(Bytes{10'000}, device).yes);
  const auto tight = fits(Bytes{10'001}, device);
  EXPECT_FALSE(tight.yes);
  EXPECT_THAT(tight.why_not, testing::HasSubstr("cuda:0"));
  EXPECT_THAT(tight.why_not, testing::HasSubstr("in total"));
  device.free_memory_bytes = 9'000;
  EXPECT_THAT(fits(Bytes{9'001}, device).why_not, testing::HasSubstr("free"));
}

TEST(Footprint, ChargesUnifiedMemoryForTheHostsShare) {
  const auto footprint = footprint_of(relu_of(1000)).value();
  DeviceInfo device;
  device.id = "cpu:0";
  device.free_memory_bytes = 10'000;
  EXPECT_TRUE(fits(footprint, device).yes);
  device.unified_memory = true;
  EXPECT_FALSE(fits(footprint, device).yes);
}

}  // namespace
}  // namespace fuselab
