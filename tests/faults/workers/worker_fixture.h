// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "app/engine/workers/worker_pool.h"
#include "core/graph/graph_text.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::engine {

inline std::filesystem::path worker_program() {
  const char* const program = std::getenv("FUSELAB_WORKER_PROGRAM");
  return program != nullptr ? program : "";
}

// A pool with real worker processes and the null backend's faulty device.
class WorkerFixture : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(worker_program().empty()) << "run by ctest, or set FUSELAB_WORKER_PROGRAM to the built fuselab-worker";
    WorkerPoolOptions options;
    options.worker_program = worker_program();
    options.cache_directory = folder_.path() / "cache";
    options.lock_directory = folder_.path() / "locks";
    options.compile_workers = 2;
    options.on_wait = [this](const std::string& text) {
      waited_.push_back(text);
      told_to_wait_ = true;
    };
    pool_ = std::make_unique<WorkerPool>(options);
    const auto report = pool_->probe("null");
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_GE(report.value().devices.size(), 2U);
    device_ = report.value().devices[1];
  }

  Graph graph() const {
    return parse_graph("graph(i0: f32[8,16], i1: f32[8,16]) { v0 = Add(i0, i1); v1 = Relu(v0); return v1 }").value();
  }

  Result<CompiledKernel> compile(std::int64_t a, const std::string& fault) {
    const LaunchConfig config{{"a", a}, {"b", std::int64_t{1}}, {"fault", fault}};
    return pool_->compile({"null", device_.target, canonical_text(graph()), config, OptimizationLevel::kO2}, {});
  }

  // A block of one plan per fault, on the faulty device. Fast launches: what hangs is found after 300 ms.
  Block block_of(const std::vector<std::string>& faults) {
    Block block;
    block.device = device_.id;
    block.protocol.drop_factor = 0;
    block.protocol.launch_timeout = {300e6};
    for (std::size_t i = 0; i < faults.size(); ++i) {
      auto kernel = compile(static_cast<std::int64_t>(i % 6), faults[i]);
      EXPECT_TRUE(kernel.ok()) << faults[i];
      auto plan = make_plan(faults[i], graph(), {{NodeId{0}, NodeId{1}}}, {std::move(kernel).value()});
      EXPECT_TRUE(plan.ok());
      block.plans.push_back(std::move(plan).value());
    }
    return block;
  }

  // Does what has to wait for somebody, whom `release` ends soon after the waiting was told, or after `longest`; whether it waited.
  template <typename Work, typename Release>
  bool waits_until(Work work, Release release, std::chrono::milliseconds longest = std::chrono::minutes(1)) {
    std::atomic<bool> released = false;
    told_to_wait_ = false;
    const std::jthread releaser([&] {
      const auto end = std::chrono::steady_clock::now() + longest;
      while (!told_to_wait_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      released = true;
      release();
    });
    work();
    return released;
  }

  ScratchFolder folder_;
  std::unique_ptr<WorkerPool> pool_;
  DeviceInfo device_;
  std::vector<std::string> waited_;
  std::atomic<bool> told_to_wait_ = false;
};

}  // namespace fuselab::engine
