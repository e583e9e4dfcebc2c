// SPDX-License-Identifier: Apache-2.0
// Which fusions and calls an optimised program has, and that no bytes whatever break the reader.
#include "backends/xla/topology/hlo_fusions.h"

#include <gtest/gtest.h>

#include "tests/support/fake_pjrt/hlo_bytes.h"

namespace fuselab::xla {
namespace {

using namespace fuselab::test;
using Counts = std::map<std::string, std::int64_t>;

TEST(HloFusions, CountsThoseThatAreNotInsideOfAnother) {
  const auto found = fusions_in(sample_program());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().fusions, (Counts{{"loop", 1}, {"triton_gemm", 1}}));
  EXPECT_EQ(found.value().calls, (Counts{{"__cublas$gemm", 1}}));
}

TEST(HloFusions, NamesAKindByWhatXlasBackendCallsIt) {
  const auto kind_of = [](const std::string& config) {
    return fusions_in(program(computation(fusion("kCustom", config), false))).value().fusions.begin()->first;
  };
  EXPECT_EQ(kind_of(R"({"kind":"__triton_nested_gemm_fusion","x":1})"), "triton_nested_gemm");
  EXPECT_EQ(kind_of("{}"), "custom");
  EXPECT_EQ(kind_of(R"({"kind":"___"})"), "custom");
  EXPECT_EQ(kind_of(R"({"kind":")" + std::string(100, 'a') + "\"}"), "custom");
}

TEST(HloFusions, AreNoneInAProgramOfOneOperation) {
  const auto found = fusions_in(program(computation(field(2, field(2, std::string("dot"))), false)));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found.value().fusions.empty() && found.value().calls.empty());
}

TEST(HloFusions, RefusesWhatIsNoProgram) {
  for (const std::string& bytes :
       {std::string(), std::string("text"), std::string("\xff\xff\xff"), field(1, std::string()), std::string(20, '\xff'),
        program(computation(field(2, field(3, std::string("x"))), false)), field(1, std::string("\x1a\x7f"))}) {
    const auto found = fusions_in(bytes);
    ASSERT_FALSE(found.ok()) << bytes;
    EXPECT_EQ(found.error().code, ErrorCode::kCorrupt);
  }
}

TEST(HloFusions, ACutProgramNeverHasMore) {
  const std::string whole = sample_program();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = fusions_in(std::string_view(whole).substr(0, size));
    if (!found.ok()) continue;
    EXPECT_LE(found.value().fusions.size(), 2U) << size;
  }
}

}  // namespace
}  // namespace fuselab::xla
