// SPDX-License-Identifier: Apache-2.0
// The bounds of an AMD GPU, which counts vector units and waits in the place of schedulers and stalls. The sets are made up.
#include <gmock/gmock.h>

#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

using testing::HasSubstr;
using testing::Not;

// A GPU of CDNA with ten compute units, nothing of which is busy but what is given.
struct AmdFacts : ProfileFacts {
  AmdFacts(double vector, double tensor, double occupancy) : ProfileFacts(kProduct) {
    threads = 10;
    ceilings.rows.clear();
    counters.rung = "device, 2 passes";
    count("device_vector_active", vector);
    count("device_tensor_active", tensor);
    count("device_occupancy", occupancy);
    count("device_cycles", 1e6);
  }
  BoundVerdict verdict() {
    standing(1e6);
    last.device_threads = 10;
    last.launch_share = 0;
    return judge({graph, cost, measured, last, code, counters, sweep, kernels});
  }
};

TEST(AmdVerdicts, BusyVectorUnitsAreTheBound) {
  AmdFacts facts(0.9, 0, 0.9);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kPorts);
  EXPECT_EQ(verdict.where, "vector units");
  EXPECT_THAT(verdict.text, HasSubstr("the vector units work in 90 % of the cycles"));
  EXPECT_THAT(AmdFacts(0.9, 0.8, 0.9).verdict().text, Not(HasSubstr("vector units")))
      << "matrix instructions are counted there, too";
  EXPECT_EQ(AmdFacts(0.9, 0.8, 0.9).verdict().bound, Bound::kTensor);
}

TEST(AmdVerdicts, FewWavefrontsThatWaitAreABoundOfOccupancy) {
  AmdFacts facts(0.1, 0, 0.2);
  facts.count("device_wait_share", 0.85);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kOccupancy);
  EXPECT_THAT(verdict.text, HasSubstr("a wavefront waits in 85 % of its time"));
}

TEST(AmdVerdicts, FullComputeUnitsThatWaitAreABoundOfLatency) {
  AmdFacts facts(0.1, 0, 0.95);
  facts.count("device_wait_share", 0.85);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLatency);
  EXPECT_THAT(verdict.text, HasSubstr("no unit that was counted works in 90 % of the time"));
  EXPECT_THAT(verdict.text, HasSubstr("a wavefront waits in 85 % of its time"));
}

TEST(AmdVerdicts, SharedMemorysConflictsAndWaitsAreSaid) {
  AmdFacts facts(0.1, 0, 0.9);
  facts.count("device_shared_wavefronts", 9e6);
  facts.count("device_shared_conflicts", 6e6);
  facts.count("device_shared_wait_share", 0.5);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kShared);
  EXPECT_EQ(verdict.where, "bank conflicts");
  EXPECT_THAT(verdict.text, HasSubstr("a wavefront waits to use shared memory in 50 % of its time"));
}

TEST(AmdVerdicts, HitsOfTheSecondCacheAreOfHitsAndMisses) {
  AmdFacts facts(0.1, 0, 0.9);
  facts.count("device_l2_hits", 75);
  facts.count("device_l2_misses", 25);
  facts.standing(1e6);
  facts.last.device_threads = 10;
  facts.last.launch_share = 0;
  facts.last.levels = {{"L2", 5e12, 4e6, "counted", 0.8e6, 0.8, true}};
  const BoundVerdict verdict =
      judge({facts.graph, facts.cost, facts.measured, facts.last, facts.code, facts.counters, facts.sweep, facts.kernels});
  EXPECT_EQ(verdict.where, "L2");
  EXPECT_THAT(verdict.text, HasSubstr("75 % of what is looked up in L2 is found there"));
}

}  // namespace
}  // namespace fuselab::profile
