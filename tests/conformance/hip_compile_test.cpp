// SPDX-License-Identifier: Apache-2.0
// Texts that the HIP generator writes for the built-in workloads are compiled by clang for AMD's targets, where clang, its linker
// and AMD's device library are present. Without --full a sample that rotates with the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "app/worker/emulation/emulation.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/rocm/compiler/hip_compiler.h"
#include "backends/rocm/hip_generator.h"
#include "backends/rocm/rocm_backend.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "core/kernel/virtual_target.h"
#include "core/workloads/workload.h"
#include "tests/conformance/model_pieces.h"
#include "tests/support/rotation.h"

namespace fuselab::hip {
namespace {

constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
constexpr unsigned kOneIn = 12, kOnePieceIn = 10;

TEST(HipTexts, CompileForEveryTargetWithoutSpills) {
  HipCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const HipGenerator generator;
  unsigned number = test::sample_seed();
  int compiled = 0;
  for (const Workload& workload : builtin_workloads()) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      const auto graph = instantiate(workload, {}, dtype);
      if (!graph.ok()) continue;
      for (const char* const id : kTargets) {
        if (!test::run_everything() && number++ % kOneIn != 0) continue;
        const Target target = virtual_target(id).value().target;
        if (!generator.supports(graph.value(), target).yes) continue;
        const LaunchConfig config = generator.default_config(graph.value(), target);
        const auto source = generator.generate(graph.value(), config, target);
        ASSERT_TRUE(source.ok()) << source.error().message;
        const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO2, {});
        const std::string who = workload.id + " " + std::string(name_of(dtype)) + " for " + id + ", " + config.text();
        ASSERT_TRUE(binary.ok()) << who << ": " << binary.error().message;
        EXPECT_EQ(binary.value().format, "hsaco");
        EXPECT_EQ(binary.value().metadata.at("resource.spill_bytes"), "0") << who;
        EXPECT_GT(std::stoi(binary.value().metadata.at("resource.blocks_per_sm")), 0) << who;
        ++compiled;
      }
    }
  }
  std::cout << compiled << " texts compiled by " << compiler.fingerprint().version << " (seed " << test::sample_seed() << ")\n";
  EXPECT_GT(compiled, 0);
}

// Every piece of the built-in models that CUDA's families write, at the models' own extents; a sample of them runs on the executor.
TEST(HipTexts, AreWrittenForWhatCudaWritesAndMatchTheReference) {
  const auto backend = make_rocm_backend();
  const bool runs = backend->emulator()->probe().usable;
  const HipGenerator generator;
  const Target cuda = virtual_target("sm_90").value().target;
  unsigned position = test::sample_seed();
  int matched = 0;
  for (const auto& model : builtin_models()) {
    const auto graph = conformance::bound_model(model.id);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    for (const auto& [text, name] : conformance::pieces_of(graph.value())) {
      const Graph piece = parse_graph(text).value();
      if (!cuda::CudaGenerator().supports(piece, cuda).yes) continue;
      for (const char* const id : kTargets) {
        const Target target = virtual_target(id).value().target;
        const Support support = generator.supports(piece, target);
        EXPECT_TRUE(support.yes) << model.id << ", " << name << " for " << id << ": " << support.why_not;
        if (!support.yes || !runs || (!test::run_everything() && position++ % (kOnePieceIn * std::size(kTargets)) != 0)) continue;
        const auto found = worker::emulate(*backend, piece, target);
        ASSERT_TRUE(found.ok()) << model.id << ", " << name << " for " << id << ": " << found.error().message;
        EXPECT_TRUE(found.value().matched) << model.id << ", " << name << " for " << id << ": " << found.value().detail;
        ++matched;
      }
    }
  }
  std::cout << matched << " pieces ran on the executor\n";
}

TEST(HipCompiler, GivesClangsWordsForAnUnknownTargetAndAWrongText) {
  HipCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  Target target = virtual_target("gfx942").value().target;
  SourceModule source;
  source.text = "extern \"C\" __attribute__((global)) void k() { nothing(); }";
  source.entry = source.abi.entry = "k";
  const auto wrong = compiler.compile(source, target, OptimizationLevel::kO2, {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(wrong.error().message.find("nothing"), std::string::npos) << wrong.error().message;
  target.id = "gfx9999";
  const auto unknown = compiler.compile(source, target, OptimizationLevel::kO2, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("gfx9999"), std::string::npos) << unknown.error().message;
}

}  // namespace
}  // namespace fuselab::hip
