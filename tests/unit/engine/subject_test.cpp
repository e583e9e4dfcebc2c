// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/subject.h"

#include <gtest/gtest.h>

#include "app/engine/subject/piece.h"

namespace fuselab::engine {
namespace {

std::vector<std::string> bindings_of(const std::string& subject, const std::string& shape) {
  const auto resolved = resolve_subject(Config(), subject, shape, DType::kF32);
  if (!resolved.ok()) return {resolved.error().message};
  std::vector<std::string> bindings;
  for (const Subject& each : resolved.value()) bindings.push_back(each.binding);
  return bindings;
}

TEST(SubjectShape, LiesOverWhatABuiltInSubjectHasAnyway) {
  if (default_subjects().empty()) GTEST_SKIP() << "built without the ONNX importer";
  EXPECT_EQ(bindings_of("bert-layer", "seq=8"), std::vector<std::string>{"batch=1,seq=8"});
  EXPECT_EQ(bindings_of("bert-layer", ""), std::vector<std::string>{"batch=1,seq=128"});
  EXPECT_EQ(bindings_of("bert-layer", "batch=2,seq=8"), std::vector<std::string>{"batch=2,seq=8"});
  EXPECT_EQ(bindings_of("w5", "rows=256"), std::vector<std::string>{"cols=4096,rows=256"});
}

TEST(SubjectShape, OfAGraphThatSomebodyGivesIsWhatIsGiven) {
  const auto told = bindings_of("graph(x: f32[batch,seq]) { y = Relu(x); return y }", "seq=8");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find("batch"), std::string::npos) << told.front();
}

// What is only looked at keeps its symbols: `import` and `fuse` of a model with a dynamic axis.
TEST(SubjectShape, MayStayOpenWhereNothingRuns) {
  const char* const text = "graph(x: f32[batch,seq]) { y = Relu(x); z = Exp(y); return z }";
  const auto open = resolve_subject(Config(), text, "", DType::kF32, Extents::kMayBeOpen);
  ASSERT_TRUE(open.ok()) << open.error().message;
  EXPECT_EQ(open.value().front().graph.symbols(), (std::vector<std::string>{"batch", "seq"}));
  const auto partly = resolve_subject(Config(), text, "seq=8", DType::kF32, Extents::kMayBeOpen);
  ASSERT_TRUE(partly.ok()) << partly.error().message;
  EXPECT_EQ(partly.value().front().graph.symbols(), std::vector<std::string>{"batch"});
  EXPECT_FALSE(resolve_subject(Config(), text, "rows=8", DType::kF32, Extents::kMayBeOpen).ok());
  const auto fused_model = cut(open.value().front(), OptimizationLevel::kO2);
  ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
  EXPECT_EQ(fused_model.value().pieces.size(), 1U);
}

TEST(SubjectShape, MustBeOneOfTheSubjectsOwn) {
  const auto of_text = bindings_of("graph(x: f32[n]) { y = Relu(x); return y }", "n=3,N=4");
  ASSERT_EQ(of_text.size(), 1U);
  EXPECT_NE(of_text.front().find("'N' is no symbol of this graph; it has n"), std::string::npos) << of_text.front();
  EXPECT_EQ(bindings_of("w5", "row=3").front(), "w5-softmax: 'row' is no symbol of this graph; it has cols, rows");
  if (default_subjects().empty()) GTEST_SKIP() << "built without the ONNX importer";
  EXPECT_EQ(bindings_of("resnet50", "Batch=8").front(), "resnet50: 'Batch' is no symbol of this graph; its inputs have batch");
  EXPECT_EQ(bindings_of("llama-decode", "seq=3").front(), "llama-decode: 'seq' is no symbol of this graph; its inputs have none");
}

TEST(SubjectShape, OneServesSeveralSubjects) {
  const std::string text = "graph(x: f32[n,rows]) { y = Relu(x); return y }";
  const auto each = shape_of_each({"w5", text}, {"rows=64,n=3"});
  ASSERT_TRUE(each.ok()) << each.error().message;
  EXPECT_EQ(each.value(), (std::vector<std::string>{"rows=64", "n=3,rows=64"}));
  EXPECT_EQ(shape_of_each({"w5", text}, {"rows=1", "n=2"}).value(), (std::vector<std::string>{"rows=1", "n=2"}));
  EXPECT_EQ(shape_of_each({"w5", text}, {}).value(), (std::vector<std::string>{"", ""}));
}

TEST(SubjectShape, OfSeveralSubjectsMustBeOneOfTheirs) {
  const auto each = shape_of_each({"w5", "graph(x: f32[n]) { y = Relu(x); return y }"}, {"rows=64,m=3"});
  ASSERT_FALSE(each.ok());
  EXPECT_EQ(each.error().message, "--shape: 'm' is no symbol of these subjects; they have cols, n, rows");
}

TEST(SubjectShape, NamesAreCheckedOfThoseSubjectsThatCanBeRead) {
  EXPECT_TRUE(check_shape_names({"w1", "nosuch"}, "rows=3").ok());
  EXPECT_TRUE(check_shape_names({"nosuch"}, "rowz=3").ok()) << "what is wrong with the subject is said of it";
  const Status mistyped = check_shape_names({"w1", "nosuch"}, "rowz=3");
  ASSERT_FALSE(mistyped.ok());
  EXPECT_EQ(mistyped.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(mistyped.error().message.find("--shape: 'rowz' is no symbol of these subjects; they have cols"), 0U)
      << mistyped.error().message;
  EXPECT_FALSE(check_shape_names({"w1"}, "rows").ok());
}

TEST(SubjectShape, OfEachModelIsListed) {
  for (const ModelDefaults& model : default_shapes()) {
    EXPECT_FALSE(model.title.empty());
    ASSERT_FALSE(model.shapes.empty()) << model.id;
  }
  EXPECT_EQ(default_shapes().size(), default_subjects().size());
}

TEST(SubjectName, SaysWhatItIsTakenAsWhereItCouldMeanAnother) {
  EXPECT_EQ(note_on_short_name("w4"), "w4: taken as w4-layernorm; also w4-layernorm-written-out, w4-rmsnorm");
  EXPECT_EQ(note_on_short_name("w1"), "") << "there is one";
  EXPECT_EQ(note_on_short_name("w4-rmsnorm"), "");
  EXPECT_EQ(note_on_short_name("resnet50"), "");
  EXPECT_EQ(note_on_short_name("nosuch"), "");
}

}  // namespace
}  // namespace fuselab::engine
