// SPDX-License-Identifier: Apache-2.0
// Attention as exporters write it out: what fusion makes one piece of is one that each of these backends writes, and writes right.
#include <gtest/gtest.h>

#include <iterator>

#include "core/fusion/fusion_engine.h"
#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

struct Written {
  const char* name;
  const char* head;    // operands beside q, k, v
  const char* scores;  // from q, k to what Softmax reads, s
  bool is_one;
  const char* type = "f32";
};

constexpr Written kWritten[] = {
    {"MaskFilled", ", m: bool[1,1,9,13]", "n = Constant(value=-inf); r = MatMul(q, k); s = Where(m, n, r);", true},
    {"MaskKept", ", m: bool[9,13]", "n = Constant(value=-1e9); r = MatMul(q, k); s = Where(m, r, n);", true},
    {"MaskOfKeysFilled", ", m: bool[2,1,1,13]",
     "n = Constant(value=-10000.0); c = Constant(value=0.25); r = MatMul(q, k); d = Mul(r, c); s = Where(m, n, d);", true},
    {"MaskOfQueriesFilled", ", m: bool[1,3,9,1]", "n = Constant(value=-2.0); r = MatMul(q, k); s = Where(m, n, r);", true},
    {"MaskFilledF16", ", m: bool[9,13]", "n = Constant(value=-1e9, dtype=\"f16\"); r = MatMul(q, k); s = Where(m, n, r);", true,
     "f16"},
    {"MaskAddedFirst", ", m: f32[9,13]", "r = MatMul(q, k); s = Add(m, r);", true},
    {"MaskThatIsAProduct", ", m: f32[2,3,9,13]", "h = Mul(m, m); r = MatMul(q, k); s = Add(h, r);", true},
    {"TwoMasks", ", m: f32[9,13], o: f32[2,1,1,13]", "r = MatMul(q, k); d = Add(r, m); s = Add(d, o);", false},
    {"MaskThenScale", ", m: f32[9,13]", "c = Constant(value=0.25); r = MatMul(q, k); d = Add(r, m); s = Mul(d, c);", false},
    {"MaskBetweenTensors", ", m: bool[9,13], o: f32[2,3,9,13]", "r = MatMul(q, k); s = Where(m, r, o);", false},
    {"NumberAdded", "", "c = Constant(value=0.25); r = MatMul(q, k); s = Add(r, c);", false},
};

std::string text_of(const Written& written) {
  const std::string type = written.type;
  return "graph(q: " + type + "[2,3,9,16], k: " + type + "[2,3,16,13], v: " + type + "[2,3,13,8]" + written.head + ") { " +
         written.scores + " p = Softmax(s); y = MatMul(p, v); return y }";
}

void expect_right(const BackendCase& backend, const FusedOperation& piece) {
  Opened opened = open_first_device(backend);
  if (!opened.why_not.empty()) return;
  const Support support = opened.backend->generator()->supports(piece.graph, opened.device.target);
  ASSERT_TRUE(support.yes) << backend.id << ": " << support.why_not;
  const auto verified = compile_and_verify(*opened.backend, *opened.runtime, piece.graph);
  ASSERT_TRUE(verified.ok()) << backend.id << ": " << verified.error().message;
  EXPECT_TRUE(verified.value().passed) << backend.id << ": " << verified.value().detail;
}

class AttentionPieces : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Of, AttentionPieces, ::testing::Range(std::size_t{0}, std::size(kWritten)),
                         [](const auto& given) { return std::string(kWritten[given.param].name); });

TEST_P(AttentionPieces, AreWhatBackendsWrite) {
  const Written& written = kWritten[GetParam()];
  const auto graph = parse_graph(text_of(written));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto pieces = fuse(graph.value(), {});
  ASSERT_TRUE(pieces.ok()) << pieces.error().message;
  bool is_one = false;
  for (const FusedOperation& piece : pieces.value().operations) {
    if (piece.pattern != FusionPatternType::kAttention) continue;
    is_one = true;
    for (const BackendCase& backend : all_cases()) {
      if (backend.id == "cpu" || backend.id == "opencl") expect_right(backend, piece);
    }
  }
  EXPECT_EQ(is_one, written.is_one);
}

}  // namespace
}  // namespace fuselab::conformance
