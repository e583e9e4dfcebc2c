// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/plan_execution.h"

#include <gmock/gmock.h>

#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/tensor/tensor.h"
#include "tests/unit/worker/test_runtime.h"

namespace fuselab::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kElements = 4;

class PlanExecution : public testing::Test {
 protected:
  PlanExecution() {
    runtime_.kernels["twice"].body = [](auto buffers) -> Status {
      for (std::size_t i = 0; i < kElements; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
      return {};
    };
    runtime_.kernels["fails"].body = [](auto) -> Status { return Error{ErrorCode::kLaunchFailed, "as it was told"}; };
  }

  // These kernels one after the other, each on what the one before made.
  wire::ExecuteRequest chain(const std::vector<std::string>& entries) {
    wire::ExecuteRequest request{"test", "test:0", {type_}, {}, {{0, file("in")}}, {}};
    for (const std::string& entry : entries) {
      CompiledKernel kernel;
      kernel.abi.entry = kernel.identity.config = entry;
      kernel.abi.arguments = {{"x", BufferRole::kIn, type_, 64}, {"y", BufferRole::kOut, type_, 64}};
      const int from = static_cast<int>(request.values.size()) - 1;
      request.values.push_back(type_);
      request.steps.push_back({kernel, {from, from + 1}});
    }
    request.outputs = {{static_cast<int>(request.values.size()) - 1, file("out")}};
    EXPECT_TRUE(platform::write_passing_file(request.inputs[0].file, pack({type_, {1, 2, 3, 4}})).ok());
    return request;
  }
  wire::ExecuteReply run(const wire::ExecuteRequest& request) { return execute(runtime_, request, page_, launched_); }
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  TensorType type_{DType::kF32, {kElements}};
  TestRuntime runtime_;
  std::set<std::string> launched_;
  platform::SharedPage page_ = platform::SharedPage::create().value();
  platform::TemporaryFolder folder_ = platform::TemporaryFolder::create("fuselab-plan-test").value();
};

TEST_F(PlanExecution, CopiesInRunsCopiesOutAndReleasesEverything) {
  const wire::ExecuteReply reply = run(chain({"twice", "twice"}));
  ASSERT_TRUE(reply.ran) << reply.error.message;
  const auto bytes = platform::read_file(file("out"), {1000});
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(unpack(type_, bytes.value()).value().data, (std::vector<double>{4, 8, 12, 16}));
  EXPECT_TRUE(runtime_.memory.empty());
  EXPECT_GT(reply.to_device.count, 0);
  EXPECT_GT(reply.from_device.count, 0);
}

TEST_F(PlanExecution, ReleasesEverythingAlsoAfterAFailure) {
  const wire::ExecuteReply reply = run(chain({"twice", "fails"}));
  EXPECT_FALSE(reply.ran);
  EXPECT_EQ(reply.failed_step, 1);
  EXPECT_TRUE(runtime_.memory.empty());
}

TEST_F(PlanExecution, TellsAKernelsFirstLaunchFromTheOthers) {
  const wire::ExecuteRequest request = chain({"twice", "twice"});
  EXPECT_THAT(run(request).first, ElementsAre(0)) << "the second step is the same kernel";
  EXPECT_THAT(run(request).first, IsEmpty());
}

// A later pass reads the input again, whose buffer the third tensor would otherwise have taken over.
TEST_F(PlanExecution, RepeatedPassesFindTheirInputsAndAreTimedApart) {
  wire::ExecuteRequest request = chain({"twice", "twice", "twice"});
  EXPECT_THAT(run(request).steady, IsEmpty());
  request.repeat = 3;
  const wire::ExecuteReply reply = run(request);
  ASSERT_TRUE(reply.ran) << reply.error.message;
  const auto bytes = platform::read_file(file("out"), {1000});
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(unpack(type_, bytes.value()).value().data, (std::vector<double>{8, 16, 24, 32}));
  EXPECT_EQ(reply.steps.size(), 3u);
  EXPECT_EQ(reply.steady.size(), 3u);
}

TEST_F(PlanExecution, RefusesWhatTheHostHasNoRoomFor) {
  runtime_.info_.unified_memory = true;
  wire::ExecuteRequest request = chain({"twice"});
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  request.values.push_back({DType::kF32, {kHuge}});
  request.outputs.push_back({static_cast<int>(request.values.size()) - 1, file("huge")});
  const wire::ExecuteReply reply = run(request);
  EXPECT_FALSE(reply.ran);
  EXPECT_EQ(reply.error.code, ErrorCode::kOutOfMemory) << reply.error.message;
  EXPECT_THAT(reply.error.message, testing::HasSubstr(format_bytes({4 * kHuge})));
}

}  // namespace
}  // namespace fuselab::worker
