// SPDX-License-Identifier: Apache-2.0
// Masks that hide whole tiles of keys, which random ones never do: results stay those of the reference, whatever lies in hidden
// values, and the products of such tiles are left out.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/cuda_generator.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"
#include "tests/differential/cuda_trial.h"

namespace fuselab::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Hiding {
  const char* name;
  const char* graph;
  const char* config;
  std::vector<std::pair<const char*, const char*>>
      breaks;  // of the text, that must be found; the first shows that a tile is left out
  friend void PrintTo(const Hiding& hiding, std::ostream* out) { *out << hiding.name; }
};

// What reads where nothing is when a tile is left out.
constexpr const char* kTile = "    bool weighs = false;\n";
constexpr const char* kTileNotSeen = "    bool weighs = !sees && fl_load<float, 1>(nullptr).v[0] != 0.0f;\n";
constexpr const char* kTurn = "sees ? end : from, lane);\n";
constexpr const char* kTurnNotSeen = "sees || fl_load<float, 1>(nullptr).v[0] != 0.0f ? end : from, lane);\n";
constexpr const char* kValues = "fl_any_lane(weighs) || !fl_are_finite(value_tile, lane)";
constexpr const char* kValuesLeftOut = "fl_any_lane(weighs) || fl_load<float, 1>(nullptr).v[0] != 0.0f";

const Hiding kHidings[] = {
    {"BoolMask",
     "graph(q: bf16[1,2,40,64], k: bf16[1,2,150,64], v: bf16[1,2,150,64], m: bool[1,1,40,150]) { y = Attention(q, k, v, m); return "
     "y }",
     "min_blocks=1,queries_stay=1,skip_hidden=1,stages=2,tile_k=32,tile_q=64",
     {{kTile, kTileNotSeen}, {"!fl_are_finite(value_tile, lane)", "false"}, {"sees = sees && fl_shows", "sees = !fl_shows"}}},
    {"BoolMaskInF32",
     "graph(q: f32[1,2,40,64], k: f32[1,2,150,64], v: f32[1,2,150,64], m: bool[40,150]) { y = Attention(q, k, v, m); return y }",
     "min_blocks=1,queries_stay=0,skip_hidden=1,stages=1,tile_k=32,tile_q=64",
     {{kTile, kTileNotSeen}, {"kCarries = 0x00800000u", "kCarries = 0x00400000u"}, {"any |= fl_shuffle_xor(any, mask, 32);", ";"}}},
    {"AddedMask",
     "graph(q: f16[1,2,40,64], k: f16[1,2,150,64], v: f16[1,2,150,64], m: f16[1,1,40,150]) { y = Attention(q, k, v, m); return y }",
     "min_blocks=1,queries_stay=1,skip_hidden=1,stages=2,tile_k=32,tile_q=64",
     {{kValues, kValuesLeftOut}, {"!fl_are_finite(value_tile, lane)", "false"}, {"0x7c007c00u", "0x7800u"}}},
    {"FilledMask",
     R"(graph(q: f32[1,2,40,64], k: f32[1,2,150,64], v: f32[1,2,150,64], m: bool[40,150]) { t = Transpose(k, perm=[0,1,3,2]);
        n = Constant(value=-1e9); r = MatMul(q, t); s = Where(m, r, n); p = Softmax(s); y = MatMul(p, v); return y })",
     "min_blocks=1,queries_stay=0,skip_hidden=1,stages=2,tile_k=32,tile_q=64",
     {{kTile, kTileNotSeen}, {"!fl_are_finite(value_tile, lane)", "false"}}},
    {"CausalOfManyQueries",
     "graph(q: bf16[1,1,128,64], k: bf16[1,1,128,64], v: bf16[1,1,128,64]) { y = Attention(q, k, v, is_causal=1); return y }",
     "min_blocks=1,queries_stay=1,skip_hidden=1,stages=2,tile_k=32,tile_q=128",
     {{kTile, kTileNotSeen},
      {"first_query + warp * 16 + 16;", "first_query + warp * 16;"},
      {"!fl_are_finite(value_tile, lane)", "false"}}},
    {"Decode",
     "graph(q: f16[1,4,2,64], k: f16[1,2,460,64], v: f16[1,2,460,64], m: bool[1,1,2,460]) { y = Attention(q, k, v, m); return y }",
     "min_blocks=1,parts=2,skip_hidden=1,stages=2,tile_k=16,warps=4",
     {{kTurn, kTurnNotSeen},
      {"sees = sees && fl_shows", "sees = !fl_shows"},
      {"kValuePitch, from, end, lane);\n    bool sees", "kValuePitch, from, from, lane);\n    bool sees"}}},
    {"CausalDecode",
     "graph(q: f32[1,4,5,64], k: f32[1,2,460,64], v: f32[1,2,460,64]) { y = Attention(q, k, v, is_causal=1, scale=1.0); return y }",
     "min_blocks=1,parts=2,stages=2,tile_k=16,warps=4",
     {{kTurn, kTurnNotSeen},
      {"if (kCausal) sees = from < kQueries;", "if (kCausal) sees = from < 0;"},
      {"> (g + half * 8) % kQueries", "> g + half * 8"}}},
};

// Hides keys 40 to 140 from all queries but one; the values of keys 70 to 80 and of the last one may be NaN and infinite.
std::vector<RealTensor> inputs_of(const Graph& graph, bool are_special) {
  std::vector<RealTensor> inputs = make_inputs(graph, {InputPattern::kUniform, 3});
  RealTensor& values = inputs[2];
  const auto width = static_cast<std::size_t>(extents_of(values.type.shape).back());
  if (are_special) {
    values.data[75 * width + 3] = std::numeric_limits<double>::quiet_NaN();
    values.data[71 * width + 8] = kInfinity;
    values.data[values.data.size() - width + 5] = -kInfinity;
  }
  if (inputs.size() > 3) {
    RealTensor& mask = inputs[3];
    const bool is_bool = mask.type.dtype == DType::kBool;
    const std::size_t row = static_cast<std::size_t>(extents_of(mask.type.shape).back());
    for (std::size_t at = 0; at < mask.data.size(); ++at) {
      const bool hides = at % row >= 40 && at % row < 140 && at / row % 40 != 17;
      if (hides) mask.data[at] = is_bool ? 0 : -kInfinity;
    }
  }
  for (RealTensor& input : inputs) round_to_dtype(input);
  return inputs;
}

// Runs the text as generated and with each break; each but the text itself must be found with one of the inputs.
void try_breaks(const Hiding& hiding, std::span<const std::vector<RealTensor>> inputs) {
  const Graph graph = parse_graph(hiding.graph).value();
  const cuda::CudaGenerator generator;
  const auto config = LaunchConfig::parse(hiding.config);
  ASSERT_TRUE(config.ok());
  const auto source = generator.generate(graph, config.value(), cuda_target());
  ASSERT_TRUE(source.ok()) << source.error().message;
  std::vector<simt::KernelText> texts = simt::texts_of(source.value());
  std::vector<std::size_t> first;  // kernel of each broken text
  for (const auto& [sound, broken] : hiding.breaks) {
    SourceModule module = source.value();
    const std::size_t at = module.text.find(sound);
    ASSERT_NE(at, std::string::npos) << sound;
    module.text.replace(at, std::string_view(sound).size(), broken);
    first.push_back(texts.size());
    for (simt::KernelText& text : simt::texts_of(module)) texts.push_back(std::move(text));
  }
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  std::vector<std::string> found(hiding.breaks.size());
  for (const std::vector<RealTensor>& each : inputs) {
    EXPECT_EQ(try_inputs_on_simt(graph, source.value().abi, *object.value(), 0, each, 5), "");
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] += try_inputs_on_simt(graph, source.value().abi, *object.value(), first[i], each, 5);
  }
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NE(found[i], "") << hiding.breaks[i].second;
  const bool reads_nothing = std::string_view(hiding.breaks[0].second).find("nullptr") != std::string_view::npos;
  if (reads_nothing) {
    EXPECT_THAT(found[0], ::testing::HasSubstr("out of bounds")) << "no tile was left out";
  }
}

class CudaAttentionHiding : public ::testing::TestWithParam<Hiding> {};

TEST_P(CudaAttentionHiding, LeavesOutTilesThatNobodySees) {
  const Graph graph = parse_graph(GetParam().graph).value();
  try_breaks(GetParam(), std::vector{inputs_of(graph, false), inputs_of(graph, true)});
}

INSTANTIATE_TEST_SUITE_P(Masks, CudaAttentionHiding, ::testing::ValuesIn(kHidings),
                         [](const auto& each) { return std::string(each.param.name); });

// An infinity makes a score of either sign, and one of -Inf weighs nothing; one among values makes results infinite. A query all of
// whose scores are -Inf has the result 0 where there is a mask.
TEST(CudaAttentionInfinities, AreThoseOfPlainProducts) {
  const Hiding singles = {"Infinities",
                          "graph(q: f32[1,1,20,64], k: f32[1,1,40,64], v: f32[1,1,40,64], m: f32[20,40]) "
                          "{ y = Attention(q, k, v, m); return y }",
                          "min_blocks=1,queries_stay=0,skip_hidden=0,stages=2,tile_k=32,tile_q=64",
                          {{"right[n].finite[0], right[n].finite[1]", "right[n].high[0], right[n].high[1]"},
                           {"fl_multiply_tf32(sums[n], left.finite,", "fl_multiply_tf32(sums[n], left.high,"},
                           {"is_finite ? rest : 0.0f", "rest"}}};
  const Graph graph = parse_graph(singles.graph).value();
  std::vector<std::vector<RealTensor>> inputs(3, make_inputs(graph, {InputPattern::kUniform, 3}));
  inputs[0][1].data[7 * 64 + 5] = kInfinity;
  inputs[1][2].data[7 * 64 + 5] = kInfinity;
  inputs[2][0].data[7 * 64 + 5] = -kInfinity;
  for (std::size_t at = 5; at < inputs[2][1].data.size(); at += 64) inputs[2][1].data[at] = std::fabs(inputs[2][1].data[at]) + 0.1;
  for (std::vector<RealTensor>& each : inputs) {
    for (RealTensor& input : each) round_to_dtype(input);
  }
  try_breaks(singles, inputs);
}

}  // namespace
}  // namespace fuselab::testing
