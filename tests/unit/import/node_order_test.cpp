// SPDX-License-Identifier: Apache-2.0
// Files whose nodes are in an order that cannot run, as converters of half precision write them.
#include "core/graph/graph_text.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::has;
using testing::ModelMaker;

ModelMaker in_order(bool sorted) {
  ModelMaker maker;
  maker.input("x", {"4", "8"}).weight("w", {8, 8});
  if (sorted) maker.node("MatMul", {"x", "w"}, {"m"}).node("Relu", {"m"}, {"r"});
  maker.node("Add", {"r", "m"}, {"y"});
  if (!sorted) maker.node("Relu", {"m"}, {"r"}).node("MatMul", {"x", "w"}, {"m"});
  maker.output("y", {"4", "8"});
  return maker;
}

TEST(NodeOrder, IsMadeWhereAFileHasNone) {
  const auto sorted = ModelMaker::import_text(in_order(true).bytes());
  const auto unsorted = ModelMaker::import_text(in_order(false).bytes());
  ASSERT_TRUE(unsorted.ok()) << unsorted.error().message;
  EXPECT_EQ(canonical_text(unsorted.value().graph), canonical_text(sorted.value().graph));
  ASSERT_FALSE(unsorted.value().notes.empty());
  EXPECT_TRUE(has(unsorted.value().notes.front(), "they were sorted")) << unsorted.value().notes.front();
  for (const std::string& note : sorted.value().notes) EXPECT_FALSE(has(note, "sorted")) << note;
}

}  // namespace
}  // namespace fuselab
