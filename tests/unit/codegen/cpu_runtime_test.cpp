// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include "backends/cpu/cpu_backend.h"
#include "backends/host/guarded_memory.h"
#include "backends/host/processor.h"
#include "backends/native/ceilings/launch_ceiling.h"
#include "backends/native/ceilings/stream_ceilings.h"
#include "backends/native/compiler/host_compiler.h"
#include "backends/native/threads/thread_pool.h"

namespace fuselab::cpu {
namespace {

TEST(GuardedMemory, IsAlignedAndNoticesAWriteIntoTheGap) {
  auto memory = host::GuardedMemory::create({100});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.value().data()) % 64, 0U);
  EXPECT_TRUE(memory.value().intact());
  memory.value().data()[100] = std::byte{1};
  EXPECT_FALSE(memory.value().intact());
}

TEST(GuardedMemory, FaultsBehindItsLastCacheLine) {
  auto memory = host::GuardedMemory::create({128});
  ASSERT_TRUE(memory.ok());
  EXPECT_DEATH(memory.value().data()[128] = std::byte{1}, "");
}

TEST(ThreadPool, RunsEveryPartOnceLaunchAfterLaunch) {
  ThreadPool pool(host::usable_cpus());
  std::vector<std::atomic<int>> hits(static_cast<std::size_t>(pool.size()));
  for (int launch = 0; launch < 500; ++launch) {
    pool.run(pool.size(), [&](int thread) { ++hits[static_cast<std::size_t>(thread)]; });
  }
  for (const auto& hit : hits) EXPECT_EQ(hit.load(), 500);
}

// Whoever takes a part, it is taken once, and all have returned before the launch has.
TEST(ThreadPool, TakesEveryPartOnceLaunchAfterLaunch) {
  ThreadPool pool(host::usable_cpus());
  for (const int parts : {1, 2, 3, 17, 64}) {
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(parts));
    for (int launch = 1; launch <= 300; ++launch) {
      pool.run_parts(pool.size(), parts, [&](int thread, int part) {
        EXPECT_LT(thread, pool.size());
        ++hits[static_cast<std::size_t>(part)];
      });
      for (const auto& hit : hits) ASSERT_EQ(hit.load(), launch);
    }
  }
}

// A kernel has memory for the threads that it asked for, and for no others.
TEST(ThreadPool, OnlyAsManyThreadsAsAreAskedForTakeParts) {
  const std::vector<int> cpus = host::usable_cpus();
  ThreadPool pool({cpus.front(), cpus.back(), cpus.front(), cpus.back()});
  std::atomic<int> parts = 0, foreign = 0;
  for (int launch = 0; launch < 300; ++launch) {
    const int threads = 2 + launch % 2;
    pool.run_parts(threads, 16, [&](int thread, int /*part*/) {
      ++parts;
      if (thread >= threads) ++foreign;
    });
  }
  EXPECT_EQ(parts.load(), 300 * 16);
  EXPECT_EQ(foreign.load(), 0);
}

TEST(ThreadPool, LaunchesOfBothKindsFollowEachOther) {
  ThreadPool pool(host::usable_cpus());
  std::atomic<int> parts = 0;
  std::vector<std::atomic<int>> shares(static_cast<std::size_t>(pool.size()));
  for (int launch = 0; launch < 500; ++launch) {
    pool.run_parts(pool.size(), 5, [&](int /*thread*/, int /*part*/) { ++parts; });
    pool.run(pool.size(), [&](int thread) { ++shares[static_cast<std::size_t>(thread)]; });
  }
  EXPECT_EQ(parts.load(), 2500);
  for (const auto& share : shares) EXPECT_EQ(share.load(), 500);
}

// The thread in the first part returns only once all the others are done, so another thread has to take them.
TEST(ThreadPool, ALateThreadKeepsNobodyFromItsOtherParts) {
  ThreadPool pool(host::usable_cpus());
  if (pool.size() < 2) GTEST_SKIP() << "one processor has no second thread";
  std::atomic<int> others = 0;
  std::atomic<bool> moved_on = false;
  const int parts = 4 * pool.size();
  pool.run_parts(pool.size(), parts, [&](int /*thread*/, int part) {
    if (part != 0) {
      ++others;
      return;
    }
    while (others.load() < parts - 1) std::this_thread::yield();
    moved_on = true;
  });
  EXPECT_TRUE(moved_on.load());
  EXPECT_EQ(others.load(), parts - 1);
}

TEST(HostCompiler, SaysWhatItLookedForWhenThereIsNone) {
  HostCompiler compiler({"/nowhere/gcc"});
  const Availability found = compiler.probe();
  EXPECT_FALSE(found.usable);
  EXPECT_NE(found.reason.find("/nowhere/gcc"), std::string::npos);
  EXPECT_NE(found.reason.find("install"), std::string::npos);
}

class WithCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Availability usable = compiler_.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  }
  static SourceModule source(std::string text) {
    SourceModule module;
    module.language = "c";
    module.text = std::move(text);
    module.entry = "f";
    return module;
  }
  HostCompiler compiler_{default_compilers()};
  Target target_{"x86-64", "x86-64", {}};
};

TEST_F(WithCompiler, MakesTheSameBytesFromTheSameText) {
  const SourceModule text = source("int f(int x) { return x + 1; }\n");
  const auto first = compiler_.compile(text, target_, OptimizationLevel::kO2, {});
  const auto second = compiler_.compile(text, target_, OptimizationLevel::kO2, {});
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first.value().data, second.value().data);
  EXPECT_FALSE(compiler_.fingerprint().version.empty());
}

TEST_F(WithCompiler, PassesOnTheCompilersOwnWords) {
  const auto result = compiler_.compile(source("int f( { }\n"), target_, OptimizationLevel::kO2, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCompileFailed);
  EXPECT_NE(result.error().message.find("error:"), std::string::npos) << result.error().message;
}

TEST_F(WithCompiler, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "int f" + std::to_string(i) + "(int x) { return x * " + std::to_string(i) + "; }\n";
  const auto result = compiler_.compile(source(text), target_, OptimizationLevel::kO3, stop.get_token());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST_F(WithCompiler, NeverCompilesForTheMachineItHappensToRunOn) {
  for (const char* id : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    const std::string flags = compiler_.flags({id, "x86-64", {}}, OptimizationLevel::kO2);
    EXPECT_NE(flags.find(std::string("-march=") + id), std::string::npos);
    EXPECT_EQ(flags.find("native"), std::string::npos);
  }
}

TEST(StreamCeilings, HaveARowPerStoreKindAndThreadCount) {
  ThreadPool pool(host::usable_cpus());
  const auto rows = measure_stream_ceilings(pool, 2, 1, {1 << 20}, 0.05);
  ASSERT_TRUE(rows.ok());
  EXPECT_GE(rows.value().size(), 2U);
  for (const Ceiling& row : rows.value()) {
    EXPECT_EQ(row.read_streams, 2);
    EXPECT_GT(row.per_second, 0);
    EXPECT_LE(row.low, row.per_second);
    EXPECT_GE(row.high, row.per_second);
  }
}

TEST(StreamCeilings, AreMeasuredAlsoOfMixesThatOnlyReadOnlyWriteOrWriteMuch) {
  struct MixOfStreams {
    int reads, writes;
    std::size_t store_kinds;
  };
  ThreadPool pool({host::usable_cpus().front()});
  for (const auto& [reads, writes, store_kinds] : {MixOfStreams{1, 0, 1}, MixOfStreams{0, 1, 2}, MixOfStreams{4, 3, 2}}) {
    const auto rows = measure_stream_ceilings(pool, reads, writes, {1 << 18}, 0.01);
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(rows.value().size(), store_kinds) << reads << ":" << writes;
    for (const Ceiling& row : rows.value()) {
      EXPECT_EQ(row.read_streams, reads);
      EXPECT_EQ(row.write_streams, writes);
      EXPECT_GT(row.low, 0);
      EXPECT_LE(row.low, row.per_second);
      EXPECT_GE(row.high, row.per_second);
    }
  }
}

TEST(LaunchCeilings, AreARowPerNumberOfThreadsAndOneIsTheFastest) {
  ThreadPool pool(host::usable_cpus());
  const std::vector<Ceiling> rows = measure_launch_ceilings(pool, 0.02);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front().kind, "launch");
  EXPECT_EQ(rows.front().threads, 1);
  EXPECT_EQ(rows.back().threads, pool.size());
  EXPECT_GT(rows.front().per_second, 1e5);
  for (const Ceiling& row : rows) EXPECT_LE(row.per_second, 2 * rows.front().per_second) << row.threads << " threads";
}

TEST(CpuDevice, NamesItsTargetsFromTheWidestToTheBaseline) {
  const DeviceInfo info = host::describe_cpu();
  EXPECT_EQ(info.id, "cpu:0");
  EXPECT_EQ(info.uuid, host::describe_cpu().uuid);
  EXPECT_EQ((info.other_targets.empty() ? info.target : info.other_targets.back()).id, "x86-64");
  EXPECT_GE(info.compute_units.value_or(0), 1);
}

TEST(CpuDevice, AsksTheSystemForItsLimits) {
  const DeviceInfo info = host::describe_cpu();
  struct sysinfo machine {};
  ASSERT_EQ(sysinfo(&machine), 0);
  EXPECT_EQ(info.total_memory_bytes, static_cast<std::int64_t>(machine.totalram) * machine.mem_unit);
  ASSERT_TRUE(info.free_memory_bytes);
  EXPECT_GT(*info.free_memory_bytes, 0);
  EXPECT_LE(*info.free_memory_bytes, *info.total_memory_bytes);
  EXPECT_EQ(info.target.limits.at("max_threads"), static_cast<std::int64_t>(host::usable_cpus().size()));
  const auto l1 = info.target.limits.find("l1_bytes");
  const long l1_of_libc = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  if (l1 != info.target.limits.end() && l1_of_libc > 0) {
    EXPECT_EQ(l1->second, l1_of_libc);
  }
}

}  // namespace
}  // namespace fuselab::cpu
