// SPDX-License-Identifier: Apache-2.0
// The collector of the host's counters on machines in the form of a recording (each file says what of it was seen and what is
// composed): which rung of the ladder, what is scaled, which reasons.
#include "profiler/host/counted_launches.h"

#include <gmock/gmock.h>

#include "core/profile/vocabulary.h"
#include "profiler/host/event_ladder.h"
#include "tests/support/recorded_counters.h"
#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

using test::RecordedCounters;
using testing::HasSubstr;

constexpr double kLaunchNs = 2e6;

CounterSet counted(RecordedCounters& machine) {
  const auto set = count_launches(
      machine,
      [&](int times) -> Result<double> {
        machine.launched(times);
        return kLaunchNs * times;
      },
      0.5);
  EXPECT_TRUE(set.ok());
  return set.ok() ? set.value() : CounterSet();
}

CounterSet counted_on(const std::string& fixture) {
  RecordedCounters machine(fixture_file(fixture));
  return counted(machine);
}

double value_of(const CounterSet& set, const std::string& name) {
  const auto value = set.value(name);
  EXPECT_TRUE(value.has_value()) << name;
  return value.value_or(-1);
}

TEST(CountedLaunches, SapphireRapidsStandsOnTheHighestRung) {
  const CounterSet set = counted_on("sapphire_rapids.counters");
  EXPECT_EQ(set.rung, "top-down");
  EXPECT_TRUE(set.passed_over.empty());
  EXPECT_DOUBLE_EQ(value_of(set, "topdown_memory_bound"), 0.75);
  EXPECT_DOUBLE_EQ(value_of(set, "topdown_retiring"), 0.15);
  EXPECT_DOUBLE_EQ(value_of(set, "cycles"), 20e6) << "a launch, however many there were";
  EXPECT_DOUBLE_EQ(value_of(set, "instructions_per_cycle"), 0.45);
  EXPECT_DOUBLE_EQ(value_of(set, "memory_bytes"), 64 * 3e6);
  EXPECT_DOUBLE_EQ(value_of(set, "flops"), 8 * 2e6 + 100) << "lanes of every width together";
  EXPECT_DOUBLE_EQ(value_of(set, "processors_used"), 2.9);
  EXPECT_NEAR(value_of(set, "frequency"), 20e6 / 5.8e6 * 1e9, 1) << "from cycles, where they are counted";
}

TEST(CountedLaunches, AnEventThatTookTurnsIsScaledAndMarked) {
  const CounterSet set = counted_on("sapphire_rapids.counters");
  const Metric* const tlb = set.find("tlb_misses");
  ASSERT_NE(tlb, nullptr);
  EXPECT_TRUE(tlb->scaled);
  EXPECT_DOUBLE_EQ(tlb->counted_share, 0.5);
  EXPECT_DOUBLE_EQ(tlb->value.value_or(0), 4000);
  EXPECT_FALSE(set.find("cycles")->scaled);
}

TEST(CountedLaunches, ZenHasGenericCountersInGroupsThatFit) {
  RecordedCounters machine(fixture_file("zen4.counters"));
  const CounterSet set = counted(machine);
  EXPECT_EQ(machine.open_groups(), 0) << "all were closed again";
  EXPECT_EQ(set.rung, "generic");
  ASSERT_EQ(set.passed_over.size(), 1U);
  EXPECT_THAT(set.passed_over[0], HasSubstr("top-down: "));
  EXPECT_DOUBLE_EQ(value_of(set, "instructions_per_cycle"), 3) << "four events do not fit, so each was counted by itself";
  EXPECT_DOUBLE_EQ(value_of(set, "flops"), 120e6);
  EXPECT_DOUBLE_EQ(value_of(set, "stalled_backend_share"), 0.1);
  const Metric* const misses = set.find("cache_misses_last");
  ASSERT_NE(misses, nullptr);
  EXPECT_FALSE(misses->value) << "never counted: no zero";
  EXPECT_THAT(misses->reason, HasSubstr("never had its turn"));
  EXPECT_FALSE(set.value("memory_bytes"));
  EXPECT_EQ(set.find("topdown_retiring"), nullptr) << "there is no such event, so there is nothing to miss";
  EXPECT_DOUBLE_EQ(value_of(set, "energy_package"), 0) << "the recording stands still";
}

TEST(CountedLaunches, AVirtualMachineCountsWhatTheKernelKnowsAndSaysWhyNotMore) {
  const CounterSet set = counted_on("virtual_machine.counters");
  EXPECT_EQ(set.rung, "software");
  ASSERT_EQ(set.passed_over.size(), 2U);
  EXPECT_THAT(set.passed_over[1], HasSubstr("no PMU"));
  EXPECT_DOUBLE_EQ(value_of(set, "task_clock"), 14.6e6);
  EXPECT_DOUBLE_EQ(value_of(set, "frequency"), 3.24e9);
  for (const char* name : {"cycles", "instructions", "cache_misses_last", "instructions_per_cycle", "energy_package"}) {
    const Metric* const metric = set.find(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_FALSE(metric->value) << name;
    EXPECT_FALSE(metric->reason.empty()) << name;
  }
  ASSERT_EQ(set.hits.size(), 2U);
  EXPECT_EQ(set.hits[0].address, 0x1204);
  EXPECT_EQ(set.hits[0].hits, 2);
  EXPECT_EQ(set.samples, 4);
}

TEST(CountedLaunches, WhoMayNotCountIsToldWhatWouldLetHim) {
  const CounterSet set = counted_on("paranoid.counters");
  EXPECT_EQ(set.rung, "");
  ASSERT_EQ(set.passed_over.size(), 3U);
  EXPECT_THAT(set.passed_over[2], HasSubstr("kernel.perf_event_paranoid is 4, which lets no user count"));
  EXPECT_THAT(set.why_no_hits, HasSubstr("sysctl kernel.perf_event_paranoid=2"));
  EXPECT_GT(set.plain_ns, 0) << "the launches themselves were timed";
}

TEST(CountedLaunches, OfASlowPlanTheFirstGroupIsCountedAndTheRestSaysThatItsTimeIsSpent) {
  RecordedCounters machine(fixture_file("sapphire_rapids.counters"));
  int launches = 0;
  const auto set = count_launches(
      machine,
      [&](int times) -> Result<double> {
        machine.launched(times);
        launches += times;
        return 3e9 * times;
      },
      1.5);
  ASSERT_TRUE(set.ok());
  EXPECT_LE(launches, 4) << "two of them for the first group";
  EXPECT_EQ(set.value().extra_launches, launches);
  EXPECT_DOUBLE_EQ(set.value().extra_ns, 3e9 * launches);
  EXPECT_DOUBLE_EQ(value_of(set.value(), "topdown_memory_bound"), 0.75);
  EXPECT_THAT(set.value().find("cycles")->reason, HasSubstr("a launch takes 3.00 s"));
  EXPECT_THAT(set.value().why_no_hits, HasSubstr("--seconds gives more"));
}

TEST(CountedLaunches, AFailingLaunchEndsIt) {
  RecordedCounters machine(fixture_file("zen4.counters"));
  int launches = 0;
  const auto set = count_launches(
      machine,
      [&](int) -> Result<double> {
        return ++launches < 5 ? Result<double>(1e6) : Error{ErrorCode::kLaunchFailed, "lost"};
      },
      0.1);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().message, "lost");
}

TEST(CountedLaunches, EveryMetricIsOfTheVocabulary) {
  for (const char* fixture : {"sapphire_rapids.counters", "zen4.counters", "virtual_machine.counters", "paranoid.counters"}) {
    for (const Metric& metric : counted_on(fixture).metrics) {
      EXPECT_NE(find_metric(metric.name), nullptr) << metric.name;
      EXPECT_EQ(metric.value.has_value(), metric.reason.empty()) << fixture << ": " << metric.name;
      EXPECT_FALSE(metric.source.empty()) << metric.name;
    }
  }
}

}  // namespace
}  // namespace fuselab::profile
