// SPDX-License-Identifier: Apache-2.0
// A compile worker whose plugin for a target without a device crashes, hangs or talks nonsense: one program's failure, and the next
// is compiled.
#include <gmock/gmock.h>

#include "core/kernel/virtual_target.h"
#include "tests/faults/workers/worker_fixture.h"
#include "tests/support/environment_variables.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

TEST(TopologyWorkers, ACrashAndAHangOfAPluginCostOneProgramEach) {
  test::Variables variables;
  for (const char* const name : {"FUSELAB_LIB_XLA_CUDA", "FUSELAB_LIB_XLA_TPU"}) variables.set(name, FAKE_PJRT_GOOD);
  const ScratchFolder folder;
  WorkerPoolOptions options;
  options.worker_program = worker_program();
  options.cache_directory = folder.path() / "cache";
  options.lock_directory = folder.path() / "locks";
  options.compile_workers = 1;
  options.compile_timeout = std::chrono::seconds(5);
  WorkerPool pool(options);
  const auto compile = [&](int depth, const char* target) {
    const std::string k = std::to_string(depth);
    const Graph graph = parse_graph("graph(x: f32[4," + k + "], y: f32[" + k + ",4]) { p = MatMul(x, y); return p }").value();
    return pool.compile({"xla", virtual_target(target).value().target, canonical_text(graph), {}, OptimizationLevel::kO2}, {});
  };
  for (const char* const target : {"sm_90a", "tpu-v6e"}) {
    EXPECT_TRUE(compile(8, target).ok()) << target;
    const auto crashed = compile(13, target);
    ASSERT_FALSE(crashed.ok());
    EXPECT_THAT(crashed.error().message, HasSubstr("SIGSEGV"));
    EXPECT_TRUE(compile(8, target).ok()) << "after a crash";
  }
  const auto hung = compile(17, "sm_90a");
  ASSERT_FALSE(hung.ok());
  EXPECT_EQ(hung.error().code, ErrorCode::kTimeout) << hung.error().message;
  const auto nonsense = compile(23, "tpu-v6e");
  ASSERT_TRUE(nonsense.ok()) << nonsense.error().message;
  EXPECT_TRUE(nonsense.value().resources.empty());
}

}  // namespace
}  // namespace fuselab::engine
