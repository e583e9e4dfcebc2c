// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/asked_kernels.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

BaselineKernel kernel_of(const char* case_name, const char* device_id) {
  BaselineKernel kernel;
  kernel.case_name = case_name;
  kernel.device_id = device_id;
  return kernel;
}

CheckCase case_on(const char* name, std::vector<std::string> devices) {
  CheckCase one;
  one.name = name;
  one.devices = std::move(devices);
  return one;
}

TEST(AskedKernels, OfACaseThatNobodyHasAreUnused) {
  Baseline baseline;
  baseline.kernels = {kernel_of("softmax", "cpu:0"), kernel_of("renamed", "cpu:0")};
  const std::vector<CheckCase> cases = {case_on("softmax", {"cpu"})};
  AskedKernels asked;
  asked.mark_seen(cases[0], "cpu:0");
  asked.mark_used(&baseline.kernels[0]);
  EXPECT_EQ(asked.unused(cases, baseline), "renamed on cpu:0");
}

// Where none of its devices works, or one of every device is missing, the case says so itself.
TEST(AskedKernels, OfADeviceThatIsNotThereAreAskedFor) {
  Baseline baseline;
  baseline.kernels = {kernel_of("n", "cuda:0"), kernel_of("n", "cuda:1")};
  const std::vector<std::vector<std::string>> named = {{"cuda"}, {"cuda:0", "cuda:1"}, {}};
  for (const std::vector<std::string>& devices : named) EXPECT_EQ(AskedKernels().unused({case_on("n", devices)}, baseline), "");
  EXPECT_EQ(AskedKernels().unused({case_on("n", {"cuda:0"})}, baseline), "n on cuda:1");
  EXPECT_EQ(AskedKernels().unused({case_on("n", {"cpu"})}, baseline), "n on cuda:0, n on cuda:1");
}

TEST(AskedKernels, OfADeviceThatNobodyLookedAtAreMissed) {
  Baseline baseline;
  baseline.kernels = {kernel_of("n", "cpu:0"), kernel_of("n", "cuda:1"), kernel_of("other", "cuda:2")};
  const CheckCase every = case_on("n", {});
  AskedKernels asked;
  asked.mark_seen(every, "cpu:0");
  EXPECT_EQ(asked.missed_devices(every, {}, baseline), std::set<std::string>{"cuda:1"});
  EXPECT_EQ(asked.missed_devices(every, {"cuda"}, baseline), std::set<std::string>{"cuda:1"});
  EXPECT_TRUE(asked.missed_devices(every, {"cpu"}, baseline).empty()) << "asked for by name";
  asked.mark_used(&baseline.kernels[1]);
  EXPECT_TRUE(asked.missed_devices(every, {}, baseline).empty()) << "held against on another device of its backend";
}

TEST(AskedKernels, LookedForAndNotTakenAreUnusedAndTheFirstFiveAreNamed) {
  Baseline baseline;
  for (const char* piece : {"a", "b", "c", "d", "e", "f", "g"}) {
    baseline.kernels.push_back(kernel_of("model", "cpu:0"));
    baseline.kernels.back().piece = piece;
  }
  const std::vector<CheckCase> cases = {case_on("model", {})};
  AskedKernels asked;
  asked.mark_seen(cases[0], "cpu:0");
  asked.mark_used(nullptr);
  EXPECT_EQ(asked.unused(cases, baseline), "a on cpu:0, b on cpu:0, c on cpu:0, d on cpu:0, e on cpu:0 and 2 more");
}

}  // namespace
}  // namespace fuselab::engine
