// SPDX-License-Identifier: Apache-2.0
// What the Python helper is asked to compile.
#include "backends/inductor/plan_json.h"

#include <gtest/gtest.h>

#include "backends/torch/lowering.h"
#include "core/graph/graph_text.h"

namespace fuselab::inductor {
namespace {

std::string written(const char* text) {
  const Graph graph = parse_graph(text).value();
  return plan_json(graph, torch::lower(graph).value()).dump();
}

TEST(PlanJson, HoldsPlacesAndCalls) {
  EXPECT_EQ(written("graph(x: f32[2,3], b: f32[3]) { y = Add(x, b); z = Tanh(y); return z }"),
            R"({"arguments":3,"calls":[["aten::add","out","ttct",[0,1,"0x1p+0",2],-1],["aten::tanh","out","tt",[2,3],-1]],)"
            R"("inputs":2,"numbers":[],"tensors":[[0,"f32",[2,3],[3,1],0],[1,"f32",[3],[1],0],[3,"f32",[2,3],[3,1],0],)"
            R"([2,"f32",[2,3],[3,1],0]]})");
}

TEST(PlanJson, WritesNumbersThatJsonHasNot) {
  const std::string text = written("graph(x: f32[4]) { y = IsInf(x); return y }");
  EXPECT_NE(text.find(R"("numbers":[[)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("inf"])"), std::string::npos) << text;
}

TEST(PlanJson, SaysWhatIsAbsentAndWhatIsCopied) {
  const std::string text = written("graph(x: f32[1,2,4,4], w: f32[2,2,1,1]) { y = Conv(x, w); return y }");
  EXPECT_NE(text.find(R"(["aten::convolution","","ttolllbli",[0,1,null,[1,1],[0,0],[1,1],false,[0,0],1],2])"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace fuselab::inductor
