// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/cuda/cupti/cupti_tracer.h"
#include "tests/support/environment_variables.h"

namespace fuselab::cuda {

// A kernel that counts its launches.
class LaunchedKernel final : public Executable {
 public:
  Status enqueue(std::span<const Buffer>) override {
    ++launches;
    return fails ? Status(Error{ErrorCode::kLaunchFailed, "the launch failed"}) : Status();
  }
  int launches = 0;
  bool fails = false;
};

// A plan of two launches of one kernel, recorded through a stand-in library.
class RecordedPlan : public testing::Test {
 protected:
  void SetUp() override { shared_ = loading::open_library(FAKE_CUPTI_GOOD); }

  std::unique_ptr<DeviceTracer> open(const char* file = FAKE_CUPTI_GOOD) {
    auto opened = open_cupti_tracer(loading::Surroundings{file, {}}, this, 0, synchronize_);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  // From here on the library has this trouble; what it said before is forgotten.
  void tell(const char* trouble) {
    variables_.set("FAKE_CUPTI", trouble);
    said();
  }
  std::vector<Launch> plan() { return {{&kernel_, {}}, {&kernel_, {}}}; }
  std::string said() { return reinterpret_cast<const char* (*)()>(shared_.symbol("fake_cupti_said"))(); }
  template <typename Number = int>
  Number number(const char* name) {
    return reinterpret_cast<Number (*)()>(shared_.symbol(name))();
  }

  loading::OpenedLibrary shared_;
  LaunchedKernel kernel_;
  int synchronized_ = 0;
  const std::function<Status()> synchronize_ = [this] {
    ++synchronized_;
    return Status();
  };
  test::Variables variables_;
};

}  // namespace fuselab::cuda
