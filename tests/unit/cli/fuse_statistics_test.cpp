// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/fuse_statistics.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "core/base/units.h"
#include "core/graph/graph_text.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kStatic = 48 << 10, kOptional = 227 << 10;

DeviceInfo device_of_limits(std::map<std::string, std::int64_t> limits) {
  DeviceInfo device;
  device.target.limits = std::move(limits);
  return device;
}

// A softmax along rows of 64 KiB.
FusionResult long_rows() {
  const auto graph = parse_graph("graph(a: f32[8,16384]) { s = Softmax(a); return s }");
  EXPECT_TRUE(graph.ok());
  return fuse(graph.value(), {}).value();
}

TEST(FuseStatistics, RowsAreHeldAgainstWhatABlockOfTheAskedDevicesKeeps) {
  const DeviceInfo small = device_of_limits({{"shared_bytes", kStatic}});
  const auto findings = findings_of(long_rows(), {small});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings.front().finding.is_error);
  EXPECT_EQ(findings.front().finding.constraint, FusionConstraint::kOnChipMemory);
  EXPECT_THAT(findings.front().finding.text, HasSubstr(format_bytes({kStatic})));
  EXPECT_THAT(findings_text(findings), HasSubstr("Validated: 0 errors, 1 warning\n  warning, OnChipMemory: "));
}

TEST(FuseStatistics, TheLeastOfTheAskedDevicesCounts) {
  const DeviceInfo processor = device_of_limits({{"vector_bytes", 32}});
  const DeviceInfo small = device_of_limits({{"shared_bytes", kStatic}});
  const DeviceInfo large = device_of_limits({{"shared_bytes", kStatic}, {"shared_optin_bytes", kOptional}});
  EXPECT_THAT(findings_of(long_rows(), {large}), IsEmpty()) << "a launch may ask for more than a block declares";
  EXPECT_EQ(findings_of(long_rows(), {large, small, processor}).size(), 1U);
  EXPECT_EQ(findings_of(long_rows(), {processor, small, large}).size(), 1U);
}

TEST(FuseStatistics, NobodysMemoryLimitsNoRow) {
  EXPECT_THAT(findings_of(long_rows(), {}), IsEmpty());
  EXPECT_THAT(findings_of(long_rows(), {device_of_limits({{"vector_bytes", 32}})}), IsEmpty()) << "a processor has no such limit";
}

}  // namespace
}  // namespace fuselab::cli
