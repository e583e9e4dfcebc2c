// SPDX-License-Identifier: Apache-2.0
// An RMSNormalization before a contraction: part of its kernel where every asked backend takes it and nobody else reads the rows.
#include <gmock/gmock.h>

#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using testing::reason_between;

FusionOptions asking_for_norms(bool rows, bool twins = false) {
  FusionOptions options;
  options.asked = {{"cuda", {}}};
  options.asked.front().limits.takes_normed_rows = rows;
  options.asked.front().limits.takes_twin_products = twins;
  return options;
}

constexpr const char* kNormedRows =
    "graph(x: bf16[64,32], n: bf16[32], w: bf16[32,48]) { h = RMSNormalization(x, n); y = MatMul(h, w); z = Relu(y); return z }";

TEST(NormedRows, AreScaledInTheKernelThatReadsThem) {
  const auto taken = fused(kNormedRows, asking_for_norms(true));
  EXPECT_EQ(groups_of(taken), "RMSNormalization+MatMul+Relu");
  EXPECT_EQ(taken.operations.front().prologue,
            "RMSNormalization's factor of a row is found while MatMul reads the row, and scales its sums");
  const auto apart = fused(kNormedRows, asking_for_norms(false));
  EXPECT_EQ(groups_of(apart), "RMSNormalization MatMul+Relu");
  EXPECT_EQ(reason_between(apart, "h", "y"), "MatMul works on tiles, RMSNormalization on whole rows: the loops do not match");
  EXPECT_EQ(groups_of(fused(kNormedRows)), groups_of(apart)) << "nobody was asked";
}

TEST(NormedRows, ServeTwoProducts) {
  EXPECT_EQ(groups_of(fused("graph(x: bf16[64,32], n: bf16[32], w: bf16[32,48], u: bf16[32,48]) { h = RMSNormalization(x, n); "
                            "g = MatMul(h, w); p = MatMul(h, u); t = Tanh(g); y = Mul(t, p); return y }",
                            asking_for_norms(true, true))),
            "RMSNormalization+MatMul+MatMul+Tanh+Mul");
}

TEST(NormedRows, StayWhereOthersReadThem) {
  const auto reason = [](const char* graph) { return reason_between(fused(graph, asking_for_norms(true)), "h", "y"); };
  const std::string loops = "MatMul works on tiles, RMSNormalization on whole rows: ";
  EXPECT_EQ(reason("graph(x: bf16[64,32], n: bf16[32], w: bf16[32,48], u: bf16[32,48]) { h = RMSNormalization(x, n); "
                   "y = MatMul(h, w); z = MatMul(h, u); return y, z }"),
            loops + "others read the normalised rows, too: they have to be written anyway");
  EXPECT_EQ(reason("graph(x: f16[64,32], n: f16[32], w: f16[32,48]) { h = RMSNormalization(x, n); y = MatMul(h, w); return y }"),
            loops + "kernels of products normalise rows of bf16 only");
  EXPECT_EQ(reason("graph(x: bf16[8,32], n: bf16[32], w: bf16[32,48]) { h = RMSNormalization(x, n); y = MatMul(h, w); return y }"),
            loops + "so few rows are normalised before");
  EXPECT_EQ(reason("graph(x: bf16[64,32], n: bf16[32], w: bf16[48,64]) { h = RMSNormalization(x, n); y = MatMul(w, h); return y }"),
            loops + "others read the normalised rows, too: they have to be written anyway");
}

}  // namespace
}  // namespace fuselab
