// SPDX-License-Identifier: Apache-2.0
#include "core/profile/vocabulary.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/recorded_text.h"

namespace fuselab {
namespace {

TEST(Vocabulary, TheGuidesTableIsWrittenFromIt) {
  test::expect_as_recorded(std::string(FUSELAB_DOCS) + "/metrics.md", metrics_page());
}

TEST(Vocabulary, NamesAreTheirOwnAndEveryMetricSaysWhereItComesFrom) {
  std::set<std::string_view> names;
  for (const MetricInfo& info : metric_vocabulary()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.title.empty() || info.unit.empty() || info.source.empty() || info.available.empty()) << info.name;
    EXPECT_EQ(find_metric(info.name), &info);
  }
  EXPECT_EQ(find_metric("no such"), nullptr);
}

}  // namespace
}  // namespace fuselab
