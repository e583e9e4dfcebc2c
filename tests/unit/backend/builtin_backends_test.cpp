// SPDX-License-Identifier: Apache-2.0
#include "backends/builtin_backends.h"

#include <gmock/gmock.h>

#include "backends/declared/declared_systems.h"
#include "backends/declared/shared_library.h"
#include "core/backend/backend_names.h"
#include "core/backend/discovery.h"

namespace fuselab {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(BuiltinBackends, RegistersEveryNamedSystemInOrder) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  auto const all = registry.all();
  ASSERT_EQ(all.size(), known_backends().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->id(), known_backends()[i].id);
    EXPECT_EQ(all[i]->display_name(), known_backends()[i].display_name);
  }
}

TEST(BuiltinBackends, GiveOneLineWhyNot) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  for (auto const& report : discover(registry)) {
    if (report.availability.usable) continue;
    EXPECT_FALSE(report.availability.reason.empty()) << report.id;
    EXPECT_THAT(report.availability.reason, Not(HasSubstr("\n"))) << report.id;
    EXPECT_TRUE(report.devices.empty()) << report.id;
    EXPECT_TRUE(report.capabilities.operators.empty()) << report.id << " claims what it never proved";
  }
}

TEST(BuiltinBackends, RefuseToOpenWhatTheyDoNotDrive) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  auto const triton = registry.find("triton");
  ASSERT_NE(triton, nullptr);
  EXPECT_EQ(triton->generator(), nullptr);
  auto const opened = triton->open(DeviceInfo());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
}

TEST(DeclaredSystems, LookReallyOnThisMachine) {
  constexpr std::string_view kAbsent[] = {"libfuselab-does-not-exist.so.1", "libfuselab-neither.so"};
  EXPECT_EQ(declared::search_libraries(kAbsent).problem, "libfuselab-does-not-exist.so.1, libfuselab-neither.so not found");
  constexpr std::string_view kPresent[] = {"libfuselab-does-not-exist.so.1", "libm.so.6"};
  EXPECT_EQ(declared::search_libraries(kPresent).found, "libm.so.6");
}

TEST(DeclaredSystems, KeepTritonsClaims) {
  auto const* triton = declared::find_declared_system("triton");
  ASSERT_TRUE(triton != nullptr && triton->claim);
  auto const& claim = *triton->claim;
  EXPECT_EQ(claim.pattern_name, "TritonFusion");
  EXPECT_EQ(claim.priority, 10);
  EXPECT_EQ(claim.patterns.size(), 5U);
  EXPECT_THAT(claim.patterns, Contains(FusionPatternType::kElementWise));
  EXPECT_THAT(claim.patterns, Not(Contains(FusionPatternType::kMixed)));
  EXPECT_EQ(claim.dtypes, (std::vector<DType>{DType::kF32, DType::kF16, DType::kBF16, DType::kI32, DType::kI64}));
  EXPECT_TRUE(claim.autotuning && claim.profiling && claim.jit && claim.binary_cache);
  EXPECT_EQ(claim.threads_per_block, 128);
  EXPECT_EQ(claim.register_bytes, 128);
}

TEST(DeclaredSystems, KeepXlasClaims) {
  auto const* xla = declared::find_declared_system("xla");
  ASSERT_TRUE(xla != nullptr && xla->claim);
  auto const& claim = *xla->claim;
  EXPECT_EQ(claim.pattern_name, "XLAFusion");
  EXPECT_EQ(claim.priority, 5);
  EXPECT_EQ(claim.max_group_operators, 20);
  EXPECT_THAT(claim.patterns, Contains(FusionPatternType::kConvActivation));
  EXPECT_THAT(claim.patterns, Contains(FusionPatternType::kMixed));
  EXPECT_EQ(claim.dtypes, (std::vector<DType>{DType::kF32, DType::kF16, DType::kBF16}));
  EXPECT_TRUE(claim.autotuning && claim.jit);
  EXPECT_EQ(claim.threads_per_block, 256);
}

}  // namespace
}  // namespace fuselab
