// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/roofline.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

StreamMix mix_of(const std::string& text) {
  return stream_mix(parse_graph(text).value());
}

TEST(StreamMix, CountsWhatIsMovedAndNotWhatIsThere) {
  const StreamMix sliced = mix_of("graph(x: f32[65536,64]) { y = Slice(x, starts=[0], ends=[64], axes=[0]); return y }");
  EXPECT_EQ(sliced.reads, 1);
  EXPECT_EQ(sliced.writes, 1) << "the result is as large as the part that is read";
  const StreamMix biased = mix_of("graph(x: f32[64,64], b: param f32[64]) { y = Add(x, b); return y }");
  EXPECT_EQ(biased.reads, 1) << "a bias is no stream";
}

TEST(StreamMix, IsOneThatIsMeasured) {
  std::string inputs, names;
  for (int i = 0; i < 12; ++i) {
    inputs += (i == 0 ? "x" : ", x") + std::to_string(i) + ": f32[64]";
    names += (i == 0 ? "x" : ", x") + std::to_string(i);
  }
  const StreamMix many = mix_of("graph(" + inputs + ") { y = Max(" + names + "); return y }");
  EXPECT_EQ(many.reads, 4);
  const StreamMix joined = mix_of("graph(" + inputs + ") { y = Concat(" + names + ", axis=0); return y }");
  EXPECT_EQ(joined.reads, 1) << "what only joins tensors reads them one after the other";
  EXPECT_EQ(joined.writes, 1);
  const StreamMix three = mix_of(
      "graph(a: f32[64], b: f32[64], c: f32[64], d: f32[64]) { x = Add(a, b); y = Add(b, c); z = Add(c, d); return x, y, z }");
  EXPECT_EQ(three.reads, 4);
  EXPECT_EQ(three.writes, 3) << "a ceiling of two writes is another one";
}

}  // namespace
}  // namespace fuselab::engine
