// SPDX-License-Identifier: Apache-2.0
// The port for a library that computes on a device's stream, proved by one that copies. Device and driver are the fake vendor's.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "backends/gpu/stream/stream_runtime.h"
#include "backends/library/lazy_library.h"
#include "backends/library/plan_provider.h"
#include "backends/library/plan_text.h"
#include "backends/library/stream/stream_library.h"
#include "core/graph/graph_text.h"
#include "tests/support/fake_vendor/fake_vendor.h"

namespace fuselab::library {
namespace {

constexpr const char* kCopy = "graph(x: f32[25]) { y = Identity(x); return y }";

class CopyWork final : public gpu::stream::StreamWork {
 public:
  CopyWork(gpu::stream::DeviceContext& context, Bytes bytes) : context_(context), bytes_(bytes) {}
  Status enqueue(std::vector<gpu::stream::abi::DevicePointer>& addresses) override {
    return context_.check(
        context_.calls().copy_on_device(addresses[1], addresses[0], static_cast<std::size_t>(bytes_.count), context_.stream()),
        "copying");
  }

 private:
  gpu::stream::DeviceContext& context_;
  Bytes bytes_;
};

class CopyLibrary final : public StreamLibrary {
 public:
  const LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override { return {}; }
  Result<PlanOutline> outline(const Graph& graph) override {
    if (graph.nodes().size() != 1 || graph.nodes().front().op != Op::kIdentity) {
      return Error{ErrorCode::kUnsupported, "AcmeCopy copies and does nothing else"};
    }
    PlanOutline outline;
    outline.steps = {"one copy"};
    return outline;
  }
  Result<std::string> try_plan(const PlanText&) override { return std::string("a copy needs no kernel"); }
  Result<std::unique_ptr<gpu::stream::StreamWork>> build(gpu::stream::DeviceContext& context, const PlanText& plan) override {
    FL_TRY(const Bytes bytes, size_of(plan.graph.type(plan.graph.inputs().front())));
    return std::unique_ptr<gpu::stream::StreamWork>(std::make_unique<CopyWork>(context, bytes));
  }

  LibraryFacts facts_{"acme-copy", "AcmeCopy", "3", "", "/nowhere/libacmecopy.so", "one", "none", 0, "exact=yes"};
};

class StreamLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    info_ = fake_vendor::described_device();
    info_.target.id = target_id(library_->facts());
    auto opened = gpu::stream::StreamRuntime::open(fake_vendor::open_driver(), info_, compiler_, nullptr, plan_loader(library_));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
  }

  CompiledKernel compiled(const Graph& graph) {
    CompiledKernel kernel;
    kernel.identity.target = info_.target.id;
    kernel.config = provider_.default_config(graph, info_.target);
    kernel.source = provider_.generate(graph, kernel.config, info_.target).value();
    kernel.abi = kernel.source.abi;
    kernel.binary = compiler_.compile(kernel.source, info_.target, OptimizationLevel::kO2, {}).value();
    return kernel;
  }

  std::shared_ptr<CopyLibrary> library_ = std::make_shared<CopyLibrary>();
  LazyLibrary lazy_{[this] { return Result<std::shared_ptr<CopyLibrary>>(library_); }};
  PlanProvider provider_{"acme-copy-plan", lazy_};
  PlanCompiler compiler_{lazy_};
  DeviceInfo info_;
  std::unique_ptr<DeviceRuntime> runtime_;
};

TEST_F(StreamLibraryTest, RunsItsPlansOnTheStreamBetweenEvents) {
  const CompiledKernel kernel = compiled(parse_graph(kCopy).value());
  EXPECT_EQ(kernel.binary.metadata.at("remarks"), "a copy needs no kernel");
  const auto loaded = runtime_->load(kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  std::array<float, 25> sent{}, back{};
  std::iota(sent.begin(), sent.end(), 1.0F);
  const Launch launch{loaded.value().get(),
                      {runtime_->allocate({100}, BufferRole::kIn).value(), runtime_->allocate({100}, BufferRole::kOut).value()}};
  ASSERT_TRUE(runtime_->upload(launch.arguments[0], std::as_bytes(std::span(sent))).ok());
  const auto timing = runtime_->time({&launch, 1}, 300);
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
  EXPECT_NEAR(timing.value().duration.count, 300 * 1000.1 + 500, 10)
      << "the fake copies 1000 bytes a nanosecond after a microsecond";
  ASSERT_TRUE(runtime_->download(std::as_writable_bytes(std::span(back)), launch.arguments[1]).ok());
  EXPECT_EQ(back, sent);
  EXPECT_TRUE(runtime_->synchronize().ok());
}

TEST_F(StreamLibraryTest, HasNoThreadsToChoose) {
  const Graph graph = parse_graph(kCopy).value();
  EXPECT_TRUE(provider_.supports(graph, info_.target).yes);
  EXPECT_FALSE(provider_.default_config(graph, info_.target).has("threads"));
  EXPECT_TRUE(provider_.space(graph, info_.target).parameters().empty());
  const Graph other = parse_graph("graph(x: f32[25]) { y = Relu(x); return y }").value();
  EXPECT_EQ(provider_.supports(other, info_.target).why_not, "AcmeCopy copies and does nothing else");
}

TEST_F(StreamLibraryTest, RefusesThePlansOfAnotherVersionAndItsVendorsModules) {
  const CompiledKernel kernel = compiled(parse_graph(kCopy).value());
  library_->facts_.version = "4";
  EXPECT_EQ(runtime_->load(kernel).error().message, "the plan is for acme-copy 3 with one, here is acme-copy 4 with one");
  EXPECT_EQ(runtime_->load(fake_vendor::doubling_kernel()).error().message, "a binary of format 'acme-o' does not run on acme:0");
}

}  // namespace
}  // namespace fuselab::library
