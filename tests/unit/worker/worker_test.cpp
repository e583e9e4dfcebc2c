// SPDX-License-Identifier: Apache-2.0
#include "app/worker/worker.h"

#include <gtest/gtest.h>

#include <thread>

#include "app/wire/codec.h"
#include "app/wire/frame_reader.h"
#include "backends/builtin_backends.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/tensor/tensor.h"

namespace fuselab::worker {
namespace {

using std::chrono::milliseconds;

// A worker in a thread of the test, and the session's end of its channel.
class Served {
 public:
  explicit Served(WorkerRole role) : ends_(platform::Channel::create_pair().value()) {
    register_builtin_backends(registry_);
    thread_ = std::thread([this, role] {
      Worker worker(role, registry_, std::move(ends_.second), platform::SharedPage::create().value(), {});
      status_ = worker.serve();
    });
  }
  ~Served() {
    if (!thread_.joinable()) return;
    ends_.first.close();
    thread_.join();
  }
  Status end() {
    ends_.first.close();
    thread_.join();
    return status_;
  }
  Result<wire::Reply> ask(const wire::Request& request) {
    FL_TRY(const auto frame, wire::encode(request));
    return exchange(frame);
  }
  Result<wire::Reply> exchange(std::span<const std::byte> frame) {
    FL_TRY_VOID(ends_.first.send(frame, milliseconds(5000)));
    wire::FrameReader reader([this](auto into, auto time) { return ends_.first.receive_some(into, time); });
    FL_TRY(const auto answer, reader.next(milliseconds(20000)));
    if (!answer) return Error{ErrorCode::kTimeout, "no answer"};
    return wire::decode_reply(*answer);
  }

 private:
  std::pair<platform::Channel, platform::Channel> ends_;
  BackendRegistry registry_;
  std::thread thread_;
  Status status_;
};

const Error& error_of(const Result<wire::Reply>& reply) {
  return std::get<wire::ErrorReply>(reply.value()).error;
}

TEST(Worker, ListsAndProbesBackends) {
  Served worker(WorkerRole::kProbe);
  const auto list = worker.ask(wire::ListRequest{});
  ASSERT_TRUE(list.ok()) << list.error().message;
  const auto& ids = std::get<wire::ListReply>(list.value()).backends;
  EXPECT_NE(std::find(ids.begin(), ids.end(), "null"), ids.end());
  const auto probed = worker.ask(wire::ProbeRequest{"null"});
  ASSERT_TRUE(probed.ok());
  const BackendReport& report = std::get<wire::ProbeReply>(probed.value()).report;
  EXPECT_TRUE(report.availability.usable);
  ASSERT_FALSE(report.devices.empty());
  EXPECT_TRUE(report.devices[0].synthetic);
  EXPECT_EQ(error_of(worker.ask(wire::ProbeRequest{"nonesuch"})).message, "Backend 'nonesuch' is not registered");
  EXPECT_TRUE(worker.end().ok());
}

TEST(Worker, MeasuresWhatADevicesTimerCosts) {
  Served worker(WorkerRole::kMeasure);
  const auto host = worker.ask(wire::TimerRequest{"cpu", "cpu:0"});
  ASSERT_TRUE(host.ok()) << host.error().message;
  const TimerCost& cost = std::get<wire::TimerReply>(host.value()).timer;
  EXPECT_EQ(cost.source, TimingSource::kHostWall);
  EXPECT_EQ(cost.timings, kTimingsOfNothing) << cost.unknown;
  EXPECT_LT(cost.overhead.count, 1e5) << "two readings of a clock";
  const auto scripted = worker.ask(wire::TimerRequest{"null", "null:0"});
  ASSERT_TRUE(scripted.ok()) << scripted.error().message;
  EXPECT_EQ(timer_text(std::get<wire::TimerReply>(scripted.value()).timer), "unknown: it has no empty timings");
  EXPECT_EQ(error_of(worker.ask(wire::TimerRequest{"null", "null:9"})).code, ErrorCode::kNotFound);
}

TEST(Worker, DescribesAndCompiles) {
  Served worker(WorkerRole::kCompile);
  const Target target{"null-1", "null", {}};
  const char* const graph = "graph(i0: f32[4]) { v0 = Relu(i0); return v0 }";
  const auto described = worker.ask(wire::DescribeRequest{"null", target, graph, OptimizationLevel::kO2});
  ASSERT_TRUE(described.ok()) << described.error().message;
  const auto& description = std::get<wire::DescribeReply>(described.value());
  EXPECT_TRUE(description.support.yes) << description.support.why_not;
  EXPECT_TRUE(description.space.check(description.default_config).ok());
  EXPECT_FALSE(description.generator.empty());
  EXPECT_FALSE(description.flags.empty());
  const auto compiled = worker.ask(wire::CompileRequest{"null", target, graph, description.default_config, OptimizationLevel::kO2});
  ASSERT_TRUE(compiled.ok());
  const auto& kernel = std::get<wire::CompileReply>(compiled.value()).kernel;
  EXPECT_EQ(kernel.identity.generator, description.generator);
  EXPECT_EQ(kernel.identity.flags, description.flags);
  const auto bad = worker.ask(wire::CompileRequest{"null", target, "graph(", description.default_config, OptimizationLevel::kO2});
  EXPECT_EQ(error_of(bad).code, ErrorCode::kInvalidArgument);
}

TEST(Worker, IdentifiesAKernelWithoutCompilingIt) {
  Served worker(WorkerRole::kCompile);
  wire::CompileRequest request{
      "null", {"null-1", "null", {}}, "graph(i0: f32[4]) { v0 = Relu(i0); return v0 }", {}, OptimizationLevel::kO2};
  const auto described = worker.ask(wire::DescribeRequest{"null", request.target, request.graph_text, request.level});
  ASSERT_TRUE(described.ok());
  request.config = std::get<wire::DescribeReply>(described.value()).default_config;
  const auto compiled = worker.ask(request);
  const LaunchConfig outside{{"no_such_parameter", std::int64_t{1}}};
  const auto generated =
      worker.ask(wire::GenerateRequest{"null", request.target, request.graph_text, {request.config, outside}, request.level});
  ASSERT_TRUE(compiled.ok() && generated.ok());
  const CompiledKernel& whole = std::get<wire::CompileReply>(compiled.value()).kernel;
  const auto& texts = std::get<wire::GenerateReply>(generated.value()).kernels;
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_FALSE(texts[1].made) << "one that is refused leaves the others alone";
  EXPECT_FALSE(texts[1].error.message.empty());
  ASSERT_TRUE(texts[0].made);
  const CompiledKernel& named = texts[0].kernel;
  EXPECT_EQ(named.kernel_id(), whole.kernel_id());
  EXPECT_TRUE(named.binary.data.empty());
  EXPECT_FALSE(whole.binary.data.empty());
}

TEST(Worker, CompilesAKeptTextAnew) {
  Served worker(WorkerRole::kCompile);
  const Target target{"null-1", "null", {}}, other{"null-2", "null", {}};
  const char* const graph = "graph(i0: f32[4]) { v0 = Relu(i0); return v0 }";
  const auto described = worker.ask(wire::DescribeRequest{"null", target, graph, OptimizationLevel::kO2});
  ASSERT_TRUE(described.ok()) << described.error().message;
  const auto& description = std::get<wire::DescribeReply>(described.value());
  const auto compiled = worker.ask(wire::CompileRequest{"null", target, graph, description.default_config, OptimizationLevel::kO2});
  ASSERT_TRUE(compiled.ok());
  CompiledKernel kept = std::get<wire::CompileReply>(compiled.value()).kernel;
  const std::vector<std::byte> data = kept.binary.data;
  kept.binary = {};
  const auto again = worker.ask(wire::RecompileRequest{"null", other, kept, "--target=null-2 -O2"});
  ASSERT_TRUE(again.ok()) << again.error().message;
  const CompiledKernel& kernel = std::get<wire::CompileReply>(again.value()).kernel;
  EXPECT_EQ(kernel.binary.data, data);
  EXPECT_EQ(kernel.identity.target, "null-2");
  EXPECT_EQ(kernel.identity.flags, "--target=null-2 -O2");
  EXPECT_EQ(kernel.source.text, kept.source.text);
  EXPECT_NE(kernel.kernel_id(), kept.kernel_id());
  EXPECT_EQ(error_of(worker.ask(wire::RecompileRequest{"null", other, kept, "-fplugin=evil"})).code, ErrorCode::kUnsupported);
  kept.source.text.clear();
  EXPECT_EQ(error_of(worker.ask(wire::RecompileRequest{"null", other, kept, ""})).code, ErrorCode::kNotFound);
}

TEST(Worker, RefusesTheWorkOfAnotherRole) {
  Served worker(WorkerRole::kCompile);
  const auto reply = worker.ask(wire::ProbeRequest{"null"});
  EXPECT_NE(error_of(reply).message.find("a compile worker was asked for the work of a probe worker"), std::string::npos);
}

TEST(Worker, MeasuresCeilings) {
  Served worker(WorkerRole::kMeasure);
  const auto reply = worker.ask(wire::CeilingRequest{"null", "null:0", 2, 1, {{1 << 20}, {1 << 26}}, 0.1});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  const auto& rows = std::get<wire::CeilingReply>(reply.value()).rows;
  ASSERT_EQ(rows.size(), 2U) << "streams, and no time spent on what was not asked for";
  EXPECT_EQ(rows[1].footprint.count, 1 << 26);
  const auto rate = worker.ask(wire::CeilingRequest{"null", "null:0", 0, 0, {}, 0.1});
  ASSERT_TRUE(rate.ok()) << rate.error().message;
  const auto& rates = std::get<wire::CeilingReply>(rate.value()).rows;
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_EQ(rates[0].kind, "flops");
  EXPECT_EQ(rates[1].kind, "flops-f64");
  EXPECT_EQ(rates[2].kind, "launch");
  EXPECT_EQ(error_of(worker.ask(wire::CeilingRequest{"null", "null:9", 1, 1, {}, 0.1})).code, ErrorCode::kNotFound);
}

TEST(Worker, EndsOnGarbage) {
  Served worker(WorkerRole::kProbe);
  const std::vector<std::byte> garbage(64, std::byte{'G'});
  const auto reply = worker.exchange(garbage);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(worker.end().error().code, ErrorCode::kCorrupt);
}

// Relu of four values on a null device, with its input and output in files of this folder.
wire::ExecuteRequest relu_request(const std::filesystem::path& folder, const char* fault) {
  Served compiler(WorkerRole::kCompile);
  const LaunchConfig config{{"a", std::int64_t{0}}, {"b", std::int64_t{0}}, {"fault", std::string(fault)}};
  const auto compiled = compiler.ask(wire::CompileRequest{
      "null", {"null-faulty", "null", {}}, "graph(i0: f32[4]) { v0 = Relu(i0); return v0 }", config, OptimizationLevel::kO2});
  EXPECT_TRUE(compiled.ok() && std::holds_alternative<wire::CompileReply>(compiled.value()));
  const TensorType type{DType::kF32, {4}};
  return {"null",
          "null:1",
          {type, type},
          {{std::get<wire::CompileReply>(compiled.value()).kernel, {0, 1}}},
          {{0, (folder / "in").string()}},
          {{1, (folder / "out").string()}}};
}

wire::ExecuteReply executed(Served& worker, const wire::ExecuteRequest& request) {
  const auto reply = worker.ask(request);
  EXPECT_TRUE(reply.ok() && std::holds_alternative<wire::ExecuteReply>(reply.value()));
  return std::get<wire::ExecuteReply>(reply.value());
}

TEST(Worker, ExecutesOnceForWhatIsComputed) {
  const auto folder = platform::TemporaryFolder::create("fuselab-worker-test");
  ASSERT_TRUE(folder.ok());
  Served worker(WorkerRole::kMeasure);
  const wire::ExecuteRequest request = relu_request(folder.value().path(), "none");
  const TensorType type{DType::kF32, {4}};
  ASSERT_TRUE(platform::write_passing_file(request.inputs[0].file, pack({type, {-1, 2, -3, 4}})).ok());
  const wire::ExecuteReply reply = executed(worker, request);
  ASSERT_TRUE(reply.ran) << reply.error.message;
  EXPECT_EQ(reply.steps.size(), 1U);
  EXPECT_GE(reply.allocated.count, 32);
  const auto bytes = platform::read_file(request.outputs[0].file, {1000});
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(unpack(type, bytes.value()).value().data, (std::vector<double>{0, 2, 0, 4}));
}

TEST(Worker, SaysWhichStepOfAnExecutionFailedAndWritesNothing) {
  const auto folder = platform::TemporaryFolder::create("fuselab-worker-test");
  ASSERT_TRUE(folder.ok());
  Served worker(WorkerRole::kMeasure);
  wire::ExecuteRequest request = relu_request(folder.value().path(), "launch-error");
  EXPECT_EQ(executed(worker, request).failed_step, -1) << "there is no input";
  ASSERT_TRUE(platform::write_passing_file(request.inputs[0].file, std::vector<std::byte>(8)).ok());
  EXPECT_EQ(executed(worker, request).error.code, ErrorCode::kCorrupt) << "the input is too short";
  ASSERT_TRUE(platform::write_passing_file(request.inputs[0].file, std::vector<std::byte>(16)).ok());
  const wire::ExecuteReply failed = executed(worker, request);
  EXPECT_FALSE(failed.ran);
  EXPECT_EQ(failed.failed_step, 0);
  EXPECT_EQ(failed.error.code, ErrorCode::kLaunchFailed);
  request.steps[0].arguments.pop_back();
  EXPECT_EQ(executed(worker, request).error.code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(request.outputs[0].file));
}

}  // namespace
}  // namespace fuselab::worker
