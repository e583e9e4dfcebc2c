// SPDX-License-Identifier: Apache-2.0
// Bank conflicts of plain loads and stores of shared memory, counted where a device would serve lanes at once.
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

Outcome banks_of(const std::string& statements) {
  const KernelText text{
      "k", "extern \"C\" FL_KERNEL(64) void k(float* y) {\n  FL_SHARED(float, s, 2048);\n  const int t = fl_thread();\n" +
               statements + "\n  y[t] = 0.0f;\n}\n"};
  const auto object = KernelObject::compile({&text, 1});
  EXPECT_TRUE(object.ok()) << object.error().message;
  std::vector<Argument> arguments = {wanted<float>("y", 64)};
  LaunchLimits limits;
  limits.count_plain_banks = true;
  Outcome outcome = run_launch(*object.value(), 0, {1, 64}, arguments, limits);
  EXPECT_EQ(outcome.finding, "");
  return outcome;
}

TEST(SimtPlainBanks, AreCountedByTheWordsThatLanesAskFor) {
  EXPECT_EQ(banks_of("  s[t] = 1.0f;").plain_banks.conflicts, 0);
  EXPECT_EQ(banks_of("  s[t] = 1.0f;").plain_banks.passes, 2);  // two warps
  EXPECT_EQ(banks_of("  s[t * 2] = 1.0f;").plain_banks.conflicts, 2);
  EXPECT_EQ(banks_of("  s[t * 32] = 1.0f;").plain_banks.conflicts, 62);
  EXPECT_EQ(banks_of("  s[t * 33 % 2048] = 1.0f;").plain_banks.conflicts, 0);
  EXPECT_THAT(banks_of("  s[t] = 1.0f;\n  fl_barrier();\n  s[t * 32] = 1.0f;").worst_banks,
              ::testing::HasSubstr("`s[t * 32] = 1.0f;`"));
  EXPECT_EQ(banks_of("  s[t] = 1.0f;").worst_banks, "");
}

// 16 bytes a lane: eight lanes at once. What some lanes leave out does not shift what they do together afterwards.
TEST(SimtPlainBanks, AreCountedByPassesOfVectorsAndBetweenTheLanesWaits) {
  const std::string store = "  fl_vec<float, 4> v = {};\n  fl_store<float, 4>(s + t * PITCH, v);";
  EXPECT_EQ(banks_of(changed(store, "PITCH", "4")).plain_banks.conflicts, 0);
  EXPECT_EQ(banks_of(changed(store, "PITCH", "4")).plain_banks.passes, 8);
  EXPECT_EQ(banks_of(changed(store, "PITCH", "32")).plain_banks.conflicts, 8 * 7);
  const std::string uneven =
      "  for (int i = 0; i < 3; ++i) {\n    if (i > 0 || t % 32 < 16) s[i * 64 + t] = 1.0f;\n    fl_barrier();\n  }";
  EXPECT_EQ(banks_of(uneven).plain_banks.conflicts, 0);
  EXPECT_EQ(banks_of(uneven).plain_banks.passes, 6);
}

}  // namespace
}  // namespace fuselab::simt
