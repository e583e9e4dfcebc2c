// SPDX-License-Identifier: Apache-2.0
#include "app/session/piece.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::session {
namespace {

TEST(Piece, OfViewsAloneNeedsNoKernelAndMovesNothing) {
  for (const char* const view : {"Reshape(x, shape=[8,4])", "Flatten(x, axis=0)", "Unsqueeze(x, axes=[0])"}) {
    Subject subject;
    subject.graph = parse_graph("graph(x: f32[4,8]) { y = " + std::string(view) + "; return y }").value();
    auto const workpiece = cut(std::move(subject), OptimizationLevel::kO2);
    ASSERT_TRUE(workpiece.ok()) << workpiece.error().message;
    ASSERT_EQ(workpiece.value().pieces.size(), 1U);
    const Piece& piece = workpiece.value().pieces[0];
    EXPECT_EQ(piece.not_measured, "no kernel: it only gives memory another shape and moves no bytes");
    EXPECT_EQ(piece.operation.cost.ideal().count, 0) << view;
    EXPECT_EQ(piece.operation.cost.eager().count, 0) << view;
  }
}

}  // namespace
}  // namespace fuselab::session
