// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/rocm/rocprof/rocprof_session.h"
#include "core/backend/device_runtime.h"
#include "tests/support/environment_variables.h"

namespace fuselab::hip {

using TellLaunch = void (*)(const void* function, const char* name, const unsigned* grid, const unsigned* block, unsigned shared);

// A kernel whose launches the stand-in library is told of, as ROCm tells the real one.
class ToldKernel final : public Executable {
 public:
  Status enqueue(std::span<const Buffer>) override {
    ++launches;
    if (fails) return Error{ErrorCode::kLaunchFailed, "the launch failed"};
    const unsigned grid[] = {64, 2, 1}, block[] = {256, 1, 1};
    if (tell != nullptr) tell(this, "fake_kernel.kd", grid, block, 2048);
    return {};
  }
  TellLaunch tell = nullptr;
  int launches = 0;
  bool fails = false;
};

// A plan of two launches of one kernel, in a process whose profiler is the stand-in.
class ProfiledPlan : public testing::Test {
 protected:
  void SetUp() override {
    shared_ = loading::open_library(FAKE_ROCPROFILER_GOOD);
    forget();
  }

  // Attaches while the library has this trouble, then starts ROCm.
  Result<std::shared_ptr<RocprofSession>> attach(const char* trouble = "") {
    forget();
    variables_.set("FAKE_ROCPROFILER", trouble);
    auto attached = RocprofSession::attach(loading::Surroundings{FAKE_ROCPROFILER_GOOD, {}}, std::chrono::milliseconds(50));
    start_rocm();
    return attached;
  }
  void start_rocm() {
    void* table = nullptr;
    using SetTable = int (*)(const char*, std::uint64_t, std::uint64_t, void**, std::uint64_t);
    reinterpret_cast<SetTable>(shared_.symbol("rocprofiler_set_api_table"))("hip", 1, 0, &table, 1);
    kernel_.tell = reinterpret_cast<TellLaunch>(table);
  }
  void forget() { reinterpret_cast<void (*)()>(shared_.symbol("fake_rocprofiler_forget"))(); }
  std::vector<Launch> plan() { return {{&kernel_, {}}, {&kernel_, {}}}; }

  loading::OpenedLibrary shared_;
  ToldKernel kernel_;
  int synchronized_ = 0;
  const std::function<Status()> synchronize_ = [this] {
    ++synchronized_;
    return Status();
  };
  test::Variables variables_;
};

}  // namespace fuselab::hip
