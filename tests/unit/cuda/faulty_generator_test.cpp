// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/faulty_generator.h"

#include <gmock/gmock.h>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/graph/graph_text.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

Graph softmax() {
  return parse_graph("graph(x: f32[17,64]) { y = Softmax(x); return y }").value();
}

const Target& any_target() {
  return cuda_targets().front();
}

Result<SourceModule> generated(const CodeGenerator& generator, const char* fault) {
  LaunchConfig config = generator.default_config(softmax(), any_target());
  config.set("fault", std::string(fault));
  EXPECT_TRUE(generator.space(softmax(), any_target()).check(config).ok()) << fault;
  return generator.generate(softmax(), config, any_target());
}

TEST(FaultyGenerator, IsTheBackendsOnlyWhereItIsAskedFor) {
  FakeLibraries fakes;
  const auto backend = make_cuda_backend();
  fakes.use("FUSELAB_FAULTY_KERNELS", "");
  EXPECT_EQ(backend->generator()->id(), "cuda-simt");
  const ParameterSpace ordinary = backend->generator()->space(softmax(), any_target());
  for (const Parameter& axis : ordinary.parameters()) EXPECT_NE(axis.name, "fault");
  fakes.use("FUSELAB_FAULTY_KERNELS", "1");
  EXPECT_EQ(backend->generator()->id(), "cuda-simt-faulty");
}

TEST(FaultyGenerator, MakesKernelsThatFailAndOnesThatDoNot) {
  const CudaGenerator sound;
  const gpu::FaultyGenerator faulty(sound);
  const std::string text = sound.generate(softmax(), sound.default_config(softmax(), any_target()), any_target()).value().text;
  EXPECT_EQ(generated(faulty, "none").value().text, text);
  EXPECT_THAT(generated(faulty, "crash").value().text, HasSubstr("{\n  *reinterpret_cast<volatile int*>(8ll) = 1;"));
  EXPECT_THAT(generated(faulty, "trap").value().text, HasSubstr("{\n  fl_trap();"));
  const SourceModule hang = generated(faulty, "hang").value();
  EXPECT_THAT(hang.text, HasSubstr("turn < 14000 && fl_nanoseconds() - begin < 14000000000ull"));
  EXPECT_EQ(hang.generator, "cuda-simt-faulty");
  LaunchConfig unknown = faulty.default_config(softmax(), any_target());
  unknown.set("fault", std::string("fire"));
  EXPECT_EQ(faulty.generate(softmax(), unknown, any_target()).error().code, ErrorCode::kInvalidArgument);
}

TEST(FaultyGenerator, AsksForMoreMemoryThanThereIs) {
  const CudaGenerator sound;
  const SourceModule module = generated(gpu::FaultyGenerator(sound), "oom").value();
  ASSERT_EQ(module.abi.arguments.size(), 3U);
  EXPECT_EQ(module.abi.arguments.back().role, BufferRole::kScratch);
  EXPECT_EQ(size_of(module.abi.arguments.back().type).value().count, std::int64_t{1} << 50);
  EXPECT_THAT(module.text, HasSubstr(",\n    unsigned char* FL_RESTRICT more_than_there_is) {\n"));
}

}  // namespace
}  // namespace fuselab::cuda
