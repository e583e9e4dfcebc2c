// SPDX-License-Identifier: Apache-2.0
// Attention as exporters write it out: what fusion makes one piece of is one that each of these backends writes, and writes right.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "core/fusion/partition/fusion_engine.h"
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
  const char* weights = "p = Softmax(s);";  // from s to what multiplies v, p
};

constexpr Written kWritten[] = {
    {"MaskFilled", ", m: bool[1,1,9,13]", "n = Constant(value=-inf); r = MatMul(q, k); s = Where(m, n, r);", true},
    {"MaskKept", ", m: bool[9,13]", "n = Constant(value=-1e9); r = MatMul(q, k); s = Where(m, r, n);", true},
    {"MaskOfKeysFilled", ", m: bool[2,1,1,13]",
     "n = Constant(value=-10000.0); c = Constant(value=0.25); r = MatMul(q, k); d = Mul(r, c); s = Where(m, n, d);", true},
    {"MaskOfQueriesFilled", ", m: bool[1,3,9,1]", "n = Constant(value=-2.0); r = MatMul(q, k); s = Where(m, n, r);", true},
    {"MaskFilledF16", ", m: bool[9,13]", "n = Constant(value=-1e9, dtype=\"f16\"); r = MatMul(q, k); s = Where(m, n, r);", true,
     "f16"},
    {"SoftmaxInF32", ", m: f16[9,13]",
     "c = Constant(value=0.25, dtype=\"f16\"); r = MatMul(q, k); d = Mul(r, c); a = Add(d, m); s = Cast(a, to=\"f32\");", true,
     "f16", "w = Softmax(s); p = Cast(w, to=\"f16\");"},
    {"MaskInF32", ", m: f32[2,1,1,13]", "r = MatMul(q, k); d = Cast(r, to=\"f32\"); s = Add(d, m);", true, "bf16",
     "w = Softmax(s); p = Cast(w, to=\"bf16\");"},
    {"MaskFilledThenInF32", ", m: bool[9,13]",
     "n = Constant(value=-1e9, dtype=\"f16\"); r = MatMul(q, k); d = Where(m, n, r); s = Cast(d, to=\"f32\");", true, "f16",
     "w = Softmax(s); p = Cast(w, to=\"f16\");"},
    {"SoftmaxInF64", "", "r = MatMul(q, k); s = Cast(r, to=\"f64\");", false, "f32", "w = Softmax(s); p = Cast(w, to=\"f32\");"},
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
         written.scores + " " + written.weights + " y = MatMul(p, v); return y }";
}

Result<FusionResult> fused(const Written& written) {
  const auto graph = parse_graph(text_of(written));
  if (!graph.ok()) return graph.error();
  return fuse(graph.value(), {});
}

const FusedOperation* attention_of(const FusionResult& pieces) {
  const auto found = std::ranges::find(pieces.operations, FusionPatternType::kAttention, &FusedOperation::pattern);
  return found == pieces.operations.end() ? nullptr : &*found;
}

class AttentionPieces : public ::testing::TestWithParam<Written> {};

INSTANTIATE_TEST_SUITE_P(Of, AttentionPieces, ::testing::ValuesIn(kWritten),
                         [](const auto& given) { return std::string(given.param.name); });

TEST_P(AttentionPieces, AreOneOnlyAsBackendsWriteIt) {
  const auto pieces = fused(GetParam());
  ASSERT_TRUE(pieces.ok()) << pieces.error().message;
  EXPECT_EQ(attention_of(pieces.value()) != nullptr, GetParam().is_one);
}

// A test of its own for each backend: its name says which, so that one whose driver leaks is run without the leak checker.
class AttentionKernels : public ::testing::TestWithParam<std::tuple<const char*, Written>> {};

std::vector<Written> of_one_piece() {
  std::vector<Written> kept;
  std::ranges::copy_if(kWritten, std::back_inserter(kept), &Written::is_one);
  return kept;
}

INSTANTIATE_TEST_SUITE_P(Of, AttentionKernels,
                         ::testing::Combine(::testing::Values("cpu", "opencl"), ::testing::ValuesIn(of_one_piece())),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" + std::get<1>(given.param).name;
                         });

TEST_P(AttentionKernels, AreRight) {
  const auto& [id, written] = GetParam();
  const auto pieces = fused(written);
  ASSERT_TRUE(pieces.ok()) << pieces.error().message;
  const FusedOperation* piece = attention_of(pieces.value());
  ASSERT_NE(piece, nullptr);
  const auto cases = all_cases();
  const auto backend = std::ranges::find(cases, id, &BackendCase::id);
  ASSERT_NE(backend, cases.end());
  Opened opened = open_first_device(*backend);
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const Support support = opened.backend->generator()->supports(piece->graph, opened.device.target);
  ASSERT_TRUE(support.yes) << support.why_not;
  const auto verified = compile_and_verify(*opened.backend, *opened.runtime, piece->graph);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  EXPECT_TRUE(verified.value().passed) << verified.value().detail;
}

}  // namespace
}  // namespace fuselab::conformance
