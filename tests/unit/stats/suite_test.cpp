// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/stats/error_rate.h"
#include "core/stats/false_discovery.h"

namespace fuselab {
namespace {

// The example of Benjamini and Hochberg 1995, table 1: fifteen comparisons, of which four stand at 0.05.
TEST(FalseDiscovery, FindsWhatItsAuthorsFound) {
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<bool> stands = false_discovery_control(p, 0.05);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(stands[i], i < 4) << p[i];
}

TEST(FalseDiscovery, OrderDoesNotMatterAndNothingStandsOfNothing) {
  EXPECT_EQ(false_discovery_control(std::vector<double>{0.9, 0.001, 0.5}, 0.05), (std::vector<bool>{false, true, false}));
  EXPECT_TRUE(false_discovery_control({}, 0.05).empty());
  EXPECT_EQ(false_discovery_control(std::vector<double>{0.2, 0.3}, 0.05), (std::vector<bool>{false, false}));
}

// The same example as R's p.adjust(p, "BH") has it, in another order.
TEST(FalseDiscovery, SaysFromWhichRateOnEachStands) {
  const std::vector<double> rates = false_discovery_rates(std::vector<double>{0.0095, 0.0001, 0.0278, 0.0019, 0.0298});
  const std::vector<double> expected = {0.0095 * 5 / 3, 0.0001 * 5, 0.0298, 0.0019 * 5 / 2, 0.0298};
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], expected[i], 1e-12) << i;
  EXPECT_TRUE(false_discovery_rates({}).empty());
}

// None in n: 1 - 0.05^(1/n) exactly; 1 of 2,964 and 0 of 1,244: upper bounds of 0.16 % and 0.24 %, published for paired benchmarks.
TEST(ErrorRate, UpperBoundsAreThePublishedOnes) {
  EXPECT_NEAR((ErrorRate{0, 1000}.upper_bound()), 1 - std::pow(0.05, 1.0 / 1000), 1e-12);
  EXPECT_NEAR((ErrorRate{1, 2964}.upper_bound()), 0.0016, 5e-5);
  EXPECT_NEAR((ErrorRate{0, 1244}.upper_bound()), 0.0024, 5e-5);
}

TEST(ErrorRate, BoundsHoldTheShareBetweenThem) {
  const ErrorRate rate{7, 100};
  EXPECT_LT(rate.lower_bound(), rate.share());
  EXPECT_GT(rate.upper_bound(), rate.share());
  EXPECT_EQ((ErrorRate{0, 0}.upper_bound()), 1);
  EXPECT_EQ((ErrorRate{0, 0}.lower_bound()), 0);
  EXPECT_EQ((ErrorRate{5, 5}.upper_bound()), 1);
}

}  // namespace
}  // namespace fuselab
