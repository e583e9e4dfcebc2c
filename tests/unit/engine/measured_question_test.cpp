// SPDX-License-Identifier: Apache-2.0
// Which of the stored questions a reader is shown, and what it is told of the others.
#include "app/engine/subject/measured_question.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

// Runs are given newest first, each with what it asked about one model.
struct Asked {
  std::string model;
  Question question;
  std::string host = "here";
};

Catalog catalog_of(const std::vector<Asked>& newest_first) {
  Catalog catalog;
  for (const Asked& asked : newest_first) {
    RunRecord run;
    run.id = "run-" + std::to_string(catalog.runs.size());
    run.host = asked.host;
    ModelPieceRecord use;
    use.run_id = run.id;
    use.model = asked.model;
    use.binding = asked.question.binding;
    use.level = asked.question.level;
    use.dtype = asked.question.dtype;
    catalog.runs.push_back(run);
    catalog.model_pieces.push_back(use);
    use.position = 1;  // a second piece is no second question
    catalog.model_pieces.push_back(use);
  }
  return catalog;
}

// "O0 O3": the chosen questions' levels.
std::string levels_of(const std::vector<MeasuredQuestion>& questions) {
  std::string text;
  for (const MeasuredQuestion& asked : questions) text += (text.empty() ? "" : " ") + asked.question.level;
  return text;
}

TEST(MeasuredQuestions, AreToldApartByEverythingThatIsAsked) {
  const auto questions = measured_questions(catalog_of({{"w3", {"rows=8", "O2", "f32"}},
                                                        {"w3", {"rows=8", "O0", "f32"}},
                                                        {"w3", {"rows=8", "O2", "f16"}},
                                                        {"w3", {"rows=9", "O2", "f32"}},
                                                        {"w3", {"rows=8", "O2", "f32"}},
                                                        {"w4", {"rows=8", "O2", "f32"}}}),
                                            "here");
  ASSERT_EQ(questions.size(), 5U);
  EXPECT_EQ(questions.front().run_id, "run-0") << "the newest run that asked";
}

TEST(MeasuredQuestions, OfOneRunAreThoseItAsked) {
  const Catalog catalog = catalog_of({{"w3", {"rows=8", "O2", "f32"}}, {"w3", {"rows=8", "O0", "f32"}}});
  const auto questions = measured_questions(catalog, "here", "run-1");
  EXPECT_EQ(levels_of(questions), "O0");
  EXPECT_TRUE(measured_questions(catalog, "here", "nosuch").empty());
}

TEST(MeasuredQuestions, TheNewestOfAModelIsShownAndTheOthersAreNamed) {
  const auto measured = measured_questions(
      catalog_of({{"resnet50", {"batch=1", "O0", ""}}, {"resnet50", {"batch=1", "O3", ""}}, {"bert", {"seq=128", "O2", ""}}}),
      "here");
  const auto chosen = choose_questions(measured, {}, /*every_question=*/false);
  EXPECT_EQ(levels_of(chosen), "O2 O0");
  std::vector<CompareTable> tables(2);
  tables[0].model = "bert", tables[0].binding = "seq=128", tables[0].level = "O2";
  tables[1].model = "resnet50", tables[1].binding = "batch=1", tables[1].level = "O0";
  note_what_else_was_measured(tables, measured);
  EXPECT_TRUE(tables[0].also_measured.empty());
  EXPECT_EQ(tables[1].also_measured, (std::vector<Question>{{"batch=1", "O3", ""}}));
}

TEST(MeasuredQuestions, AFilterFindsTheOlderOnes) {
  const auto measured = measured_questions(
      catalog_of(
          {{"w3", {"cols=4,rows=8", "O0", "f32"}}, {"w3", {"cols=4,rows=8", "O3", "f16"}}, {"w3", {"cols=4,rows=9", "O3", "f32"}}}),
      "here");
  QuestionFilter level;
  level.level = "O3";
  EXPECT_EQ(choose_questions(measured, level, false).size(), 2U);
  QuestionFilter dtype;
  dtype.dtype = "f16";
  EXPECT_EQ(levels_of(choose_questions(measured, dtype, false)), "O3");
  QuestionFilter shape;
  shape.any_shape = {{{"rows", 9}}};
  EXPECT_EQ(levels_of(choose_questions(measured, shape, false)), "O3");
  shape.any_shape = {{{"depth", 9}}};
  EXPECT_TRUE(choose_questions(measured, shape, false).empty());
}

TEST(MeasuredQuestions, EveryOneIsShownWhereThatIsAskedFor) {
  const auto measured =
      measured_questions(catalog_of({{"w3", {"", "O0", "f32"}}, {"w3", {"", "O3", "f32"}}, {"w4", {"", "O2", "f32"}}}), "here");
  EXPECT_EQ(levels_of(choose_questions(measured, {}, true)), "O0 O3 O2");
  EXPECT_EQ(levels_of(choose_questions_of(measured, "w3", "", {}, true)), "O0 O3");
}

TEST(MeasuredQuestions, AColleaguesNewerRunDoesNotHideOnesOwn) {
  const auto measured =
      measured_questions(catalog_of({{"w3", {"", "O0", "f32"}, "elsewhere"}, {"w3", {"", "O2", "f32"}, "here"}}), "here");
  EXPECT_EQ(levels_of(choose_questions(measured, {}, false)), "O2");
}

TEST(MeasuredQuestions, AnUnknownLevelIsShownOnlyWhereNothingElseIsKnownAndMatchesNone) {
  const Asked old{"w3", {"", "", ""}};
  const auto alone = measured_questions(catalog_of({old}), "here");
  EXPECT_EQ(choose_questions(alone, {}, false).size(), 1U);
  QuestionFilter level;
  level.level = "O2";
  EXPECT_TRUE(choose_questions(alone, level, false).empty());
  const auto both = measured_questions(catalog_of({old, {"w3", {"", "O2", "f32"}}}), "here");
  EXPECT_EQ(levels_of(choose_questions(both, {}, false)), "O2");
  std::vector<CompareTable> tables(1);
  tables[0].model = "w3", tables[0].level = "O2", tables[0].dtype = "f32";
  note_what_else_was_measured(tables, both);
  EXPECT_TRUE(tables[0].also_measured.empty()) << "there is no way to ask for it";
}

}  // namespace
}  // namespace fuselab::engine
