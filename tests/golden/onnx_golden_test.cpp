// SPDX-License-Identifier: Apache-2.0
// The bytes of an ONNX model that a piece becomes. FUSELAB_UPDATE_GOLDENS=1 rewrites the file.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>

#include "backends/onnx/onnx_model.h"
#include "core/graph/graph_text.h"
#include "tests/support/recorded_text.h"

namespace fuselab {
namespace {

// Sixteen bytes a line: in hexadecimal, then those that are letters.
std::string dump(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    std::string letters;
    for (std::size_t i = at; i < at + 16; ++i) {
      char pair[4] = "   ";
      if (i < bytes.size()) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        std::snprintf(pair, sizeof pair, "%02x ", byte);
        letters += std::isgraph(byte) != 0 ? bytes[i] : '.';
      }
      text += pair;
    }
    text += " " + letters + "\n";
  }
  return text;
}

TEST(OnnxModel, IsAsRecorded) {
  const auto graph = parse_graph(
      "graph(x: f32[4,8], w: param f32[8,3], b: param f32[3]) "
      "{ p = MatMul(x, w); s = Add(p, b); c = Clip(s, max=6.0, min=0.0); r = ReduceMean(c, axes=[-1]); return c, r }");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto model = onnx_model::write_onnx(graph.value());
  ASSERT_TRUE(model.ok()) << model.error().message;
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / "linear.txt", dump(model.value()));
}

// An i32 MatMul with the casts and zero points of its operands is one operator there.
TEST(OnnxModel, HasMatMulIntegerOfBytes) {
  const auto graph =
      parse_graph(R"(graph(x: u8[4,8], z: u8[], w: i8[8,3], s: f32[]) { a = Cast(x, to="i32"); z32 = Cast(z, to="i32");
    c = Sub(a, z32); b = Cast(w, to="i32"); p = MatMul(c, b); n = Cast(p, to="f32"); y = Mul(n, s); return y })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto model = onnx_model::write_onnx(graph.value());
  ASSERT_TRUE(model.ok()) << model.error().message;
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / "matmul_integer.txt", dump(model.value()));
}

}  // namespace
}  // namespace fuselab
