// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "backends/builtin_backends.h"
#include "backends/systems.h"
#include "core/backend/discovery.h"
#include "core/fusion/match/fusion_types.h"
#include "core/measure/timer_cost.h"
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {
namespace {

class Backend : public testing::TestWithParam<BackendCase> {};

INSTANTIATE_TEST_SUITE_P(Lifecycle, Backend, testing::ValuesIn(all_cases(true)), [](const auto& given) { return given.param.id; });

TEST_P(Backend, IsKnownUnderItsIdAndConstructsAtOnce) {
  const auto backend = GetParam().make();  // touches nothing: no probe, no device, no file
  EXPECT_EQ(backend->id(), GetParam().id);
  const BackendInfo* const row = find_backend_info(GetParam().id);
  ASSERT_NE(row, nullptr);
  EXPECT_FALSE(row->display_name.empty());
}

TEST_P(Backend, SaysWhyItIsUnusableOrHasDevices) {
  const auto backend = GetParam().make();
  const BackendReport report = report_on(*backend);
  const std::string& reason = report.availability.reason;
  if (!report.availability.usable) {
    EXPECT_FALSE(GetParam().usable_everywhere) << reason;
    ASSERT_FALSE(reason.empty());
    EXPECT_THAT(reason, testing::Not(testing::HasSubstr("\n")));
    EXPECT_TRUE(report.devices.empty());
    EXPECT_TRUE(report.capabilities.operators.empty()) << "it claims what it never proved";
    EXPECT_FALSE(backend->probe().usable) << "its devices cannot be enumerated: " << reason;
    GTEST_SKIP() << reason;
  }
  EXPECT_FALSE(report.devices.empty());
}

// GCC's runtime pins the thread that opens it, which then sees one processor.
TEST(OpenMp, HasAsManyThreadsAsTheProcessor) {
  std::vector<std::int64_t> threads;
  for (const char* const id : {"cpu", "openmp"}) {  // the count of cpu is taken before anything is pinned
    const auto built = built_backends();
    if (std::find(built.begin(), built.end(), id) == built.end()) GTEST_SKIP() << id << " is not built";
    const auto backend = make_backend(*find_backend_info(id));
    if (const Availability found = backend->probe(); !found.usable) GTEST_SKIP() << found.reason;
    threads.push_back(backend->enumerate().value().front().target.limits.at("max_threads"));
  }
  EXPECT_EQ(threads.front(), threads.back());
}

// Its empty timings are read from the clock that its samples are read from; who has none says so.
TEST_P(Backend, TimesNothingByItsOwnClock) {
  const auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  auto* const probe = dynamic_cast<TimerProbe*>(opened.runtime.get());
  if (probe == nullptr) GTEST_SKIP() << opened.runtime->info().id << " has no empty timings";
  const auto timings = probe->time_nothing(31);
  if (!timings.ok() && timings.error().code == ErrorCode::kUnsupported) GTEST_SKIP() << timings.error().message;
  ASSERT_TRUE(timings.ok()) << timings.error().message;
  const TimerCost cost = timer_cost(timings.value());
  EXPECT_EQ(cost.timings, 31) << cost.unknown;
  EXPECT_LT(cost.overhead.count, 1e7);
}

TEST_P(Backend, NamesItsDevicesStably) {
  const auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto first = opened.backend->enumerate().value();
  const auto second = GetParam().make()->enumerate().value();
  ASSERT_EQ(first.size(), second.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].id, second[i].id);
    EXPECT_EQ(first[i].uuid, second[i].uuid);
    EXPECT_EQ(first[i].backend, GetParam().id);
    EXPECT_EQ(first[i].id, GetParam().id + ":" + std::to_string(first[i].index));
    EXPECT_TRUE(seen.insert(first[i].id).second) << first[i].id;
    EXPECT_FALSE(first[i].name.empty());
    EXPECT_FALSE(first[i].uuid.empty());
    EXPECT_FALSE(first[i].target.id.empty());
    if (first[i].free_memory_bytes && first[i].total_memory_bytes) {
      EXPECT_LE(*first[i].free_memory_bytes, *first[i].total_memory_bytes);
    }
  }
}

TEST_P(Backend, ReportsCapabilitiesWithKnownNames) {
  const auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto capabilities = opened.backend->capabilities(opened.device);
  EXPECT_FALSE(capabilities.dtypes.empty());
  EXPECT_FALSE(capabilities.operators.empty());
  EXPECT_FALSE(capabilities.patterns.empty());
  for (const auto& pattern : capabilities.patterns) EXPECT_TRUE(parse_fusion_pattern(pattern).ok()) << pattern;
  EXPECT_EQ(std::set(capabilities.operators.begin(), capabilities.operators.end()).size(), capabilities.operators.size());
  EXPECT_EQ(capabilities.supports_jit, opened.backend->generator() != nullptr && opened.backend->compiler() != nullptr);
}

TEST_P(Backend, OpensADeviceTwiceAndRefusesAForeignOne) {
  const auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  EXPECT_EQ(opened.runtime->info().id, opened.device.id);
  EXPECT_TRUE(opened.backend->open(opened.device).ok());
  DeviceInfo foreign = opened.device;
  foreign.id = "elsewhere:0";
  foreign.backend = "elsewhere";
  EXPECT_FALSE(opened.backend->open(foreign).ok());
}

// The systems that only say why they are not there.
class DeclaredBackend : public testing::TestWithParam<std::string> {};

std::vector<std::string> declared_ids() {
  std::vector<std::string> ids;
  const auto cases = all_cases(true);
  for (const auto& info : known_backends()) {
    const auto driven = std::any_of(cases.begin(), cases.end(), [&](const auto& backend) { return backend.id == info.id; });
    if (!driven) ids.emplace_back(info.id);
  }
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Lifecycle, DeclaredBackend, testing::ValuesIn(declared_ids()),
                         [](const auto& given) { return given.param; });

TEST_P(DeclaredBackend, SaysWhatIsMissing) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  const auto backend = registry.find(GetParam());
  ASSERT_NE(backend, nullptr);
  const auto report = report_on(*backend);
  ASSERT_FALSE(report.availability.usable) << "it is driven now";
  ASSERT_FALSE(report.availability.reason.empty());
  EXPECT_TRUE(report.devices.empty());
  GTEST_SKIP() << report.display_name << ": " << report.availability.reason;
}

}  // namespace
}  // namespace fuselab::conformance
