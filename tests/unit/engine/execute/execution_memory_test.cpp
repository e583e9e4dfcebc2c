// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_memory.h"

#include <gmock/gmock.h>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

ExecutionGraph cut_graph(const std::string& text) {
  Subject subject;
  subject.graph = parse_graph(text).value();
  return execution_graph(cut(std::move(subject), OptimizationLevel::kO0).value()).value();
}

// 1 KiB, 256 elements each.
constexpr const char* kChain = "graph(i0: f32[16,16], i1: f32[16,16]) { v0 = Add(i0, i1); v1 = Softmax(v0); return v1 }";

ExecutionRoom roomy() {
  return {{1 << 20}, true, {{1 << 20}, false}};
}

TEST(ExecutionMemory, IsTheLargestThatIsNeededAtOnce) {
  const auto needed = execution_memory(cut_graph(kChain), false);
  ASSERT_TRUE(needed.ok());
  EXPECT_EQ(needed.value().host.count, 1024 + 256 * 8) << "one input, or the output, with its float64";
  EXPECT_EQ(needed.value().device.count, 3 * 1024) << "the sum has two inputs and an output";
  EXPECT_EQ(needed.value().files.count, 3 * 1024);
}

TEST(ExecutionMemory, JudgingKeepsEveryValue) {
  const auto needed = execution_memory(cut_graph(kChain), true);
  ASSERT_TRUE(needed.ok());
  EXPECT_EQ(needed.value().host.count, 4 * (1024 + 256 * 8));
}

TEST(ExecutionMemory, IsRefusedWhereItDoesNotFitAndSaysBoth) {
  const ExecutionMemory needed = execution_memory(cut_graph(kChain), false).value();
  EXPECT_TRUE(check_room(needed, roomy()).ok());
  ExecutionRoom room = roomy();
  room.memory = {3071};
  const Status refused = check_room(needed, room);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(refused.error().message, HasSubstr("needs about " + format_bytes({3072})));
  EXPECT_THAT(refused.error().message, HasSubstr(format_bytes({3071}) + " are free"));
}

TEST(ExecutionMemory, NamesADeviceWithAMemoryOfItsOwnThatWouldDo) {
  const ExecutionMemory needed = execution_memory(cut_graph(kChain), false).value();
  DeviceInfo cpu, gpu;
  cpu.id = "cpu:0";
  cpu.type = "cpu";
  gpu.id = "cuda:0";
  gpu.type = "gpu";
  gpu.free_memory_bytes = 3072;
  ExecutionRoom room = roomy();
  EXPECT_EQ(who_would_do(needed, room, {cpu, gpu}), "cuda:0 would do: --prefer cuda:0");
  gpu.free_memory_bytes = 3071;
  EXPECT_EQ(who_would_do(needed, room, {cpu, gpu}), "no other device here would do");
  gpu.free_memory_bytes = 3072;
  room.memory = {3071};
  EXPECT_EQ(who_would_do(needed, room, {cpu, gpu}), "no other device here would do") << "the tensors are made here";
}

TEST(ExecutionMemory, FilesInMemoryCountAsMemory) {
  const ExecutionMemory needed = execution_memory(cut_graph(kChain), false).value();
  ExecutionRoom room = roomy();
  room.memory = {4 * 1024};
  EXPECT_TRUE(check_room(needed, room).ok());
  room.files.in_memory = true;
  EXPECT_FALSE(check_room(needed, room).ok());
}

TEST(ExecutionMemory, AFullDiskIsSaidWithTheWayOut) {
  ExecutionRoom room = roomy();
  room.files.free = {1024};
  const Status refused = check_room(execution_memory(cut_graph(kChain), false).value(), room);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("TMPDIR"));
}

TEST(ExecutionMemory, ADeviceWithMemoryOfItsOwnTakesNoneOfTheHosts) {
  const ExecutionMemory needed{{1}, {1 << 30}, {1}};
  EXPECT_FALSE(check_room(needed, roomy()).ok());
  ExecutionRoom room = roomy();
  room.devices_share = false;
  EXPECT_TRUE(check_room(needed, room).ok());
}

}  // namespace
}  // namespace fuselab::engine
