// SPDX-License-Identifier: Apache-2.0
// What a backend calls emptying the caches: where they are this processor's, marked lines come from memory afterwards.
#include <gtest/gtest.h>

#include "app/worker/block/cold_flush.h"
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {
namespace {

class Cold : public testing::TestWithParam<BackendCase> {};

TEST_P(Cold, AfterEmptyingTheCachesLinesComeFromMemory) {
  const Opened opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  if (opened.device.type != "cpu") GTEST_SKIP() << opened.device.id << " is not this processor: nobody looks into its caches";
  worker::ColdFlush caches(*opened.runtime);
  for (int i = 0; i < 9; ++i) {
    const Status flushed = caches.flush();
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
  }
  const ColdState state = caches.state();
  if (state.kind == ColdState::Kind::kUnverified) GTEST_SKIP() << state.text;
  EXPECT_EQ(state.kind, ColdState::Kind::kCold) << state.text;
}

INSTANTIATE_TEST_SUITE_P(Seam, Cold, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

}  // namespace
}  // namespace fuselab::conformance
