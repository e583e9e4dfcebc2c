// SPDX-License-Identifier: Apache-2.0
// XLA's plugin as a fake made here: what is refused of one that is absent, of another version or not it, and whose words are told.
#include "backends/xla/library/pjrt_library.h"

#include <gtest/gtest.h>

#include <span>

#include "backends/xla/xla_provider.h"
#include "backends/xla/xla_runtime.h"
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
  EXPECT_EQ(library.value()->stablehlo(), "1.20.0");
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
  const auto buffer = without_device.value()->to_device({}, DType::kF32, 0, 1);
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

TEST(XlaRuntime, KeepsWhatWasWrittenLast) {
  const auto library = open(FAKE_PJRT_GOOD);
  ASSERT_TRUE(library.ok());
  XlaRuntime runtime(library.value(), describe_device(*library.value()));
  const auto buffer = runtime.allocate({8}, BufferRole::kIn);
  ASSERT_TRUE(buffer.ok());
  const std::vector<std::byte> first(8, std::byte{1}), second(8, std::byte{2});
  std::vector<std::byte> read(8);
  ASSERT_TRUE(runtime.download(read, buffer.value()).ok());
  EXPECT_EQ(read, std::vector<std::byte>(8, std::byte{0xFF})) << "fresh memory is poisoned";
  ASSERT_TRUE(runtime.upload(buffer.value(), first).ok());
  ASSERT_TRUE(runtime.input(buffer.value(), DType::kF32, 2, 1).ok());
  ASSERT_TRUE(runtime.download(read, buffer.value()).ok());
  EXPECT_EQ(read, first) << "through XLA's memory";
  ASSERT_TRUE(runtime.input(buffer.value(), DType::kI64, 1, 2).ok());
  ASSERT_TRUE(runtime.upload(buffer.value(), second).ok());
  ASSERT_TRUE(runtime.download(read, buffer.value()).ok());
  EXPECT_EQ(read, second);
  EXPECT_FALSE(runtime.input(buffer.value(), DType::kF32, 3, 1).ok()) << "more elements than it has";
  EXPECT_TRUE(runtime.release(buffer.value()).ok());
  EXPECT_FALSE(runtime.release(buffer.value()).ok());
}

// A product with its inputs in place, ready to run into any buffer.
class Product {
 public:
  Product(XlaRuntime& runtime, XlaStack& stack, const char* text) : runtime_(runtime) {
    XlaProvider provider(stack);
    XlaCompiler compiler(stack);
    const Graph graph = parse_graph(text).value();
    const Target target = runtime.info().target;
    CompiledKernel kernel;
    kernel.identity.target = target.id;
    kernel.config = provider.default_config(graph, target);
    const SourceModule source = provider.generate(graph, kernel.config, target).value();
    kernel.abi = source.abi;
    kernel.binary = compiler.compile(source, target, OptimizationLevel::kO2, {}).value();
    executable_ = runtime.load(kernel).value();
    for (const ValueId input : graph.inputs())
      arguments_.push_back(runtime.allocate(size_of(graph.type(input)).value(), BufferRole::kIn).value());
  }

  Result<std::vector<float>> into(const Buffer& result, float number, std::size_t elements) {
    for (const Buffer& input : arguments_) {
      const std::vector<float> numbers(static_cast<std::size_t>(input.size.count) / sizeof(float), number);
      FL_TRY_VOID(runtime_.upload(input, std::as_bytes(std::span(numbers))));
    }
    std::vector<Buffer> all = arguments_;
    all.push_back(result);
    FL_TRY_VOID(executable_->enqueue(all));
    FL_TRY_VOID(executable_->enqueue(all));  // into the memory that the first gave back
    std::vector<float> numbers(elements);
    FL_TRY_VOID(runtime_.download(std::as_writable_bytes(std::span(numbers)), result));
    return numbers;
  }

 private:
  XlaRuntime& runtime_;
  std::unique_ptr<Executable> executable_;
  std::vector<Buffer> arguments_;
};

TEST(XlaRuntime, GivesEachLaunchTheMemoryOfItsResults) {
  XlaStack stack([] { return open(FAKE_PJRT_GOOD); });
  const auto library = stack.library();
  ASSERT_TRUE(library.ok()) << library.error().message;
  XlaRuntime runtime(library.value(), describe_device(*library.value()));
  Product four(runtime, stack, "graph(x: f32[2,3], y: f32[3,2]) { p = MatMul(x, y); return p }");
  Product two(runtime, stack, "graph(x: f32[2,5], y: f32[5,1]) { p = MatMul(x, y); return p }");
  Product fails(runtime, stack, "graph(x: f32[2,19], y: f32[19,2]) { p = MatMul(x, y); return p }");
  const Buffer result = runtime.allocate({16}, BufferRole::kOut).value();
  for (const float number : {1.0F, 2.0F, 3.0F}) {
    EXPECT_EQ(four.into(result, number, 4).value(), std::vector<float>(4, 3 * number * number));
    EXPECT_EQ(two.into(result, number, 2).value(), std::vector<float>(2, 5 * number * number)) << "results of another size";
    EXPECT_FALSE(fails.into(result, number, 4).ok());
  }
}

TEST(XlaProvider, AsksForNothingOfAnotherBuild) {
  XlaStack stack([] { return open(FAKE_PJRT_GOOD); });
  const XlaProvider provider(stack);
  const Graph graph = parse_graph("graph(x: f32[2,3]) { y = Relu(x); return y }").value();
  const Target own = describe_device(*stack.library().value()).target;
  EXPECT_TRUE(provider.supports(graph, own).yes) << provider.supports(graph, own).why_not;
  Target other = own;
  other.id += "x";
  EXPECT_NE(provider.supports(graph, other).why_not.find("another build's"), std::string::npos);
  const Graph empty = parse_graph("graph(x: f32[0,3]) { y = Relu(x); return y }").value();
  EXPECT_NE(provider.supports(empty, own).why_not.find("empty"), std::string::npos);
  const Graph half = parse_graph("graph(x: f16[2,3]) { y = Relu(x); return y }").value();
  EXPECT_NE(provider.supports(half, own).why_not.find("f16"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::xla
