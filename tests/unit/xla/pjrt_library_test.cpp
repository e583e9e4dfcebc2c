// SPDX-License-Identifier: Apache-2.0
// XLA's plugin as a fake made here: what is refused of one that is absent, of another version or not it, and whose words are told.
#include "backends/xla/library/pjrt_library.h"

#include <gtest/gtest.h>

#include <span>

#include "backends/host/processor.h"
#include "backends/library/host/host_device.h"
#include "backends/library/host/plan_runtime.h"
#include "backends/library/plan_provider.h"
#include "backends/library/plan_text.h"
#include "backends/xla/xla_library.h"
#include "core/graph/graph_text.h"

namespace fuselab::xla {
namespace {

Result<std::shared_ptr<PjrtLibrary>> open(const char* file) {
  return PjrtLibrary::open(loading::Surroundings{file, {}, {}});
}

TEST(PjrtLibrary, SaysWhatItIs) {
  const auto library = open(FAKE_PJRT_GOOD);
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(library.value()->interface(), "0.115");
  EXPECT_EQ(library.value()->build().size(), 12U);
}

TEST(PjrtLibrary, SaysInOneLineWhyNot) {
  const std::pair<const char*, const char*> cases[] = {{"/nowhere/plugin.so", "/nowhere/plugin.so not found"},
                                                       {FAKE_PJRT_OLD, "version 0.40 of the PJRT interface; 0.57 and later"},
                                                       {FAKE_PJRT_OTHER, "version 1.0 of the PJRT interface"},
                                                       {FAKE_PJRT_SHORT, "version 0.115 of the PJRT interface"},
                                                       {FAKE_PJRT_HOLLOW, "has no function GetPjrtApi"}};
  for (const auto& [file, reason] : cases) {
    const auto opened = open(file);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(opened.error().message.find(reason), std::string::npos) << opened.error().message;
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  }
  const auto without_device = open(FAKE_PJRT_EMPTY);
  ASSERT_TRUE(without_device.ok());
  const auto buffer = without_device.value()->view(nullptr, TensorType{DType::kF32, {}}, false, 1);
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(buffer.error().message.find("has no device here"), std::string::npos);
}

TEST(PjrtLibrary, TellsWhatXlaSaysOfAProgram) {
  const auto library = open(FAKE_PJRT_GOOD);
  ASSERT_TRUE(library.ok());
  const auto program = library.value()->compile("text", 1);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(program.error().message.find("XLA: INVALID_ARGUMENT: text is no module"), std::string::npos) << program.error().message;
  EXPECT_EQ(program.error().message.find('\n'), std::string::npos);
}

// The fake makes no client for a thread that may run on more processors than the client has threads.
TEST(PjrtLibrary, KeepsTheCallerOnAsManyProcessorsAsThreads) {
  const std::size_t all = host::usable_cpus().size();
  const auto library = open(FAKE_PJRT_GOOD);
  ASSERT_TRUE(library.ok());
  EXPECT_EQ(library.value()->compile("text", 1).error().code, ErrorCode::kCompileFailed);
  EXPECT_EQ(host::usable_cpus().size(), all) << "making a client has left its mark";
  library.value()->hold_to(1);
  EXPECT_EQ(host::usable_cpus().size(), 1U);
  library.value()->hold_to(static_cast<int>(all));
  EXPECT_EQ(host::usable_cpus().size(), all);
}

// A product's kernel, compiled as a worker does it, and a runtime that loads it.
class XlaPlans : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(lazy_.library().ok()) << lazy_.library().error().message;
    info_ = library::describe_device(lazy_.library().value()->facts());
    runtime_ = std::make_unique<library::PlanRuntime>(host_, info_);
  }

  CompiledKernel product(const char* text) {
    library::PlanCompiler compiler(lazy_);
    const Graph graph = parse_graph(text).value();
    CompiledKernel kernel;
    kernel.identity.target = info_.target.id;
    kernel.config = provider_.default_config(graph, info_.target);
    kernel.source = provider_.generate(graph, kernel.config, info_.target).value();
    kernel.abi = kernel.source.abi;
    kernel.binary = compiler.compile(kernel.source, info_.target, OptimizationLevel::kO2, {}).value();
    return kernel;
  }

  // Runs a product of matrices that hold this number everywhere, twice.
  Result<std::vector<float>> run(const CompiledKernel& kernel, float number, const Buffer& result, std::size_t elements) {
    FL_TRY(const auto executable, runtime_->load(kernel));
    std::vector<Buffer> arguments;
    for (std::size_t i = 0; i < 2; ++i) {
      FL_TRY(const Bytes size, size_of(kernel.abi.arguments[i].type));
      FL_TRY(const Buffer input, runtime_->allocate(size, BufferRole::kIn));
      const std::vector<float> numbers(static_cast<std::size_t>(size.count) / sizeof(float), number);
      FL_TRY_VOID(runtime_->upload(input, std::as_bytes(std::span(numbers))));
      arguments.push_back(input);
    }
    arguments.push_back(result);
    const Launch launch{executable.get(), arguments};
    FL_TRY_VOID(runtime_->time({&launch, 1}, 2));  // the second into the memory that the first gave back
    std::vector<float> numbers(elements);
    FL_TRY_VOID(runtime_->download(std::as_writable_bytes(std::span(numbers)), result));
    FL_TRY_VOID(runtime_->synchronize());
    return numbers;
  }

  std::shared_ptr<library::HostLibrary> host_;
  library::LazyLibrary lazy_{[this] {
    auto opened = XlaLibrary::open(loading::Surroundings{FAKE_PJRT_GOOD, {}, {}});
    if (opened.ok()) host_ = opened.value();
    return opened;
  }};
  library::PlanProvider provider_{"xla-plan", lazy_};
  DeviceInfo info_;
  std::unique_ptr<library::PlanRuntime> runtime_;
};

TEST_F(XlaPlans, WriteTheirResultsWhereTheyBelong) {
  const CompiledKernel four = product("graph(x: f32[2,3], y: f32[3,2]) { p = MatMul(x, y); return p }");
  const CompiledKernel two = product("graph(x: f32[2,5], y: f32[5,1]) { p = MatMul(x, y); return p }");
  const CompiledKernel fails = product("graph(x: f32[2,19], y: f32[19,2]) { p = MatMul(x, y); return p }");
  const Buffer result = runtime_->allocate({16}, BufferRole::kOut).value();
  for (const float number : {1.0F, 2.0F, 3.0F}) {
    EXPECT_EQ(run(four, number, result, 4).value(), std::vector<float>(4, 3 * number * number));
    EXPECT_EQ(run(two, number, result, 2).value(), std::vector<float>(2, 5 * number * number)) << "results of another size";
    EXPECT_NE(run(fails, number, result, 4).error().message.find("no luck"), std::string::npos);
  }
}

TEST_F(XlaPlans, KeepTheTextInTheSourceAndWhatXlaMadeOfItInTheBinary) {
  CompiledKernel kernel = product("graph(x: f32[2,3], y: f32[3,2]) { p = MatMul(x, y); return p }");
  EXPECT_NE(kernel.source.text.find("stablehlo.dot_general"), std::string::npos) << kernel.source.text;
  const std::string stored(reinterpret_cast<const char*>(kernel.binary.data.data()), kernel.binary.data.size());
  const library::LibraryFacts& facts = lazy_.library().value()->facts();
  const auto plan = library::read_plan(stored, facts);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan.value().program.size(), 3 * sizeof(long)) << "the fake's compiled form";
  library::LibraryFacts other = facts;
  other.build = "another";
  EXPECT_EQ(library::read_plan(stored, other).error().code, ErrorCode::kUnsupported);
  kernel.binary.data.resize(kernel.binary.data.size() - 1);
  EXPECT_NE(runtime_->load(kernel).error().message.find("not a program"), std::string::npos);
  kernel.binary.format = "pjrt-program";
  EXPECT_EQ(runtime_->load(kernel).error().code, ErrorCode::kUnsupported) << "what earlier versions stored";
}

TEST_F(XlaPlans, AreRefusedWithAnotherNumberOfResults) {
  library::PlanCompiler compiler(lazy_);
  // The fake computes the first product alone.
  const Graph graph = parse_graph("graph(x: f32[2,3], y: f32[3,2]) { p = MatMul(x, y); q = MatMul(x, y); return p, q }").value();
  const auto source = provider_.generate(graph, provider_.default_config(graph, info_.target), info_.target);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto binary = compiler.compile(source.value(), info_.target, OptimizationLevel::kO2, {});
  ASSERT_FALSE(binary.ok());
  EXPECT_EQ(binary.error().message, "XLA's program has 1 results, its graph 2");
}

TEST_F(XlaPlans, AreNotAskedForWhatTheyMayComputeWrong) {
  const std::pair<const char*, const char*> refused[] = {{"graph(x: f32[0,3]) { y = Relu(x); return y }", "without elements"},
                                                         {"graph(x: f16[2,3]) { y = Relu(x); return y }", "f16"},
                                                         {"graph(x: f32[2], e: f32[2]) { y = Pow(x, e); return y }", "denormal"},
                                                         {"graph(x: f32[2]) { y = Tan(x); return y }", "not asked of XLA"}};
  EXPECT_TRUE(provider_.supports(parse_graph("graph(x: f32[2,3]) { y = Relu(x); return y }").value(), info_.target).yes);
  for (const auto& [text, reason] : refused)
    EXPECT_NE(provider_.supports(parse_graph(text).value(), info_.target).why_not.find(reason), std::string::npos) << text;
}

TEST(XlaPlan, RefusesAPluginThatCopies) {
  const auto library = open(FAKE_PJRT_COPIES);
  ASSERT_TRUE(library.ok()) << library.error().message;
  alignas(64) std::byte memory[64] = {};
  const auto buffer = library.value()->view(memory, TensorType{DType::kF32, {Dim(4)}}, true, 1);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(buffer.error().message.find("copies the memory that it is lent"), std::string::npos) << buffer.error().message;
}

}  // namespace
}  // namespace fuselab::xla
