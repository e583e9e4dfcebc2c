// SPDX-License-Identifier: Apache-2.0
// The ceiling kernels that are timed in turns with a block's plans.
#include "backends/native/ceilings/host_ceiling.h"

#include <gtest/gtest.h>

#include "backends/native/ceilings/stream_ceilings.h"

namespace fuselab::cpu {
namespace {

TEST(HostCeiling, RunsEveryFormOfAMixUnderItsName) {
  for (const auto& [reads, writes] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 0), std::pair(0, 1), std::pair(4, 4)}) {
    for (const StreamForm& form : stream_forms(reads, writes)) {
      CeilingSpec spec;
      spec.read_streams = reads;
      spec.write_streams = writes;
      spec.footprint = {1 << 18};
      spec.threads = 1;
      spec.stream_form = form.text();
      auto ceiling = HostCeiling::create(spec);
      ASSERT_TRUE(ceiling.ok()) << ceiling.error().message;
      EXPECT_EQ(ceiling.value()->spec().stream_form, form.text());
      const CeilingLook rates = ceiling.value()->look(10'000);
      EXPECT_GT(rates.bytes_per_second, 0) << form.text();
      EXPECT_EQ(rates.flops_per_second, 0) << "nobody asked for arithmetic";
    }
  }
}

TEST(HostCeiling, ComputesInEveryFormOfEveryKind) {
  for (const char* const kind : {"flops", "flops-f64", "flops-half"}) {
    for (const ArithmeticForm& form : arithmetic_forms(kind)) {
      CeilingSpec spec;
      spec.arithmetic = kind;
      spec.arithmetic_form = form.name;
      auto ceiling = HostCeiling::create(spec);
      ASSERT_TRUE(ceiling.ok()) << ceiling.error().message;
      EXPECT_EQ(ceiling.value()->spec().arithmetic_form, form.name);
      EXPECT_GE(ceiling.value()->spec().threads, 1) << "all of them";
      EXPECT_GT(ceiling.value()->look(10'000).flops_per_second, 0) << form.name;
    }
  }
}

TEST(HostCeiling, TakesTheFirstFormWhereANameIsUnknown) {
  CeilingSpec spec;
  spec.read_streams = 1;
  spec.footprint = {1 << 16};
  spec.stream_form = "of another release";
  EXPECT_EQ(HostCeiling::create(spec).value()->spec().stream_form, "together");
}

TEST(StreamForms, MoveEveryElementOnce) {
  ThreadPool pool({0});
  for (const StreamForm& form : stream_forms(1, 1)) {
    auto arrays = StreamArrays::create(pool, 1, 1, {64 * 1024 + 512}, Pages::kUsual);
    ASSERT_TRUE(arrays.ok());
    stream(pool, 1, form, arrays.value(), 1);
    const auto [begin, end] = arrays.value().part(0, 1);
    for (std::size_t i = begin; i < end; ++i) ASSERT_GT(arrays.value().writes()[0][i], 0.5F) << form.text() << " left out " << i;
  }
}

}  // namespace
}  // namespace fuselab::cpu
