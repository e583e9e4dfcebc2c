// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "core/measure/outcome.h"
#include "core/measure/protocol.h"
#include "core/measure/timing.h"
#include "core/store/trial_record.h"

namespace fuselab {
namespace {

TEST(Names, EveryOutcomeReadsItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Outcome::kCancelled); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    names.insert(name_of(outcome));
    const auto parsed = parse_outcome(name_of(outcome));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), outcome);
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_THAT(parse_outcome("fast").error().message, testing::HasSubstr("known: timed, matched"));
}

TEST(Names, ModesSourcesAndKindsReadTheirOwnNames) {
  for (const auto mode : kCacheModes) {
    EXPECT_EQ(parse_cache_mode(name_of(mode)).value(), mode);
  }
  for (const auto source :
       {TimingSource::kHostWall, TimingSource::kDeviceEvents, TimingSource::kProvider, TimingSource::kSynthetic}) {
    EXPECT_EQ(parse_timing_source(name_of(source)).value(), source);
  }
  for (const auto kind : {PlanKind::kFused, PlanKind::kUnfused}) EXPECT_EQ(parse_plan_kind(name_of(kind)).value(), kind);
  EXPECT_THAT(parse_cache_mode("hot").error().message, testing::HasSubstr("known: warm, cold"));
  EXPECT_THAT(parse_timing_source("sundial").error().message, testing::HasSubstr("host-wall"));
  EXPECT_THAT(parse_plan_kind("both").error().message, testing::HasSubstr("fused, unfused"));
}

template <typename Identity>
std::size_t distinct_keys(const std::vector<std::function<void(Identity&)>>& changes) {
  std::set<std::string> keys = {Identity().key().hex()};
  for (const auto& change : changes) {
    Identity identity;
    change(identity);
    keys.insert(identity.key().hex());
  }
  return keys.size();
}

TEST(MetricIdentity, EachFieldAloneChangesTheKey) {
  const std::vector<std::function<void(MetricIdentity&)>> changes = {
      [](MetricIdentity& m) { m.mode = CacheMode::kCold; },
      [](MetricIdentity& m) { m.what = "kernel"; },
      [](MetricIdentity& m) { m.threads = 2; },
      [](MetricIdentity& m) { m.inputs.pattern = InputPattern::kLarge; },
      [](MetricIdentity& m) { m.inputs.seed = 0xffffffffffffffffULL; },
      [](MetricIdentity& m) { m.protocol_version += 1; },
      [](MetricIdentity& m) { m.detail = "samples=15"; },
  };
  EXPECT_EQ(distinct_keys(changes), changes.size() + 1);
}

TEST(EnvironmentIdentity, EachFieldAloneChangesTheKey) {
  const std::vector<std::function<void(EnvironmentIdentity&)>> changes = {
      [](EnvironmentIdentity& e) { e.host = "x"; },         [](EnvironmentIdentity& e) { e.device_uuid = "x"; },
      [](EnvironmentIdentity& e) { e.driver = "x"; },       [](EnvironmentIdentity& e) { e.cpu_model = "x"; },
      [](EnvironmentIdentity& e) { e.microcode = "x"; },    [](EnvironmentIdentity& e) { e.os_kernel = "x"; },
      [](EnvironmentIdentity& e) { e.clock_policy = "x"; }, [](EnvironmentIdentity& e) { e.tool_version = "x"; },
  };
  EXPECT_EQ(distinct_keys(changes), changes.size() + 1);
}

}  // namespace
}  // namespace fuselab
