// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/verdict.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

TEST(Verdict, IsGoodWithOneFigure) {
  const auto table =
      table_of({cell_on("cpu:0", measured(100, 90, 110, "a"), {}), cell_on("null:0", {}, failed("unfused crashed: x"))});
  EXPECT_TRUE(has_figures(table));
  EXPECT_TRUE(verdict_on_job({table}).ok());
  EXPECT_TRUE(verdict_on_stored({table}, {}).ok());
}

TEST(Verdict, IsNumericsWhenAPieceHasNoFigureForAWrongResult) {
  const auto right = table_of({cell_on("cpu:0", measured(100, 90, 110, "a"), {})});
  const auto wrong = table_of({cell_on("null:0", failed("fused wrong-result: element 3 is off by 0.5"), {})});
  const Status verdict = verdict_on_job({right, wrong});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, ErrorCode::kNumerics);
  EXPECT_EQ(verdict.error().message, "Add+Gelu on null:0 has no figure: fused wrong-result: element 3 is off by 0.5");
}

TEST(Verdict, IsNumericsForAWrongBaselineToo) {
  const auto table =
      table_of({cell_on("cpu:0", measured(100, 90, 110, "a"), failed("unfused wrong-result: element 0 is off by 2"))});
  const Status verdict = verdict_on_job({table});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(exit_code_of(verdict), ExitCode::kNumerics);
  EXPECT_EQ(verdict.error().message, "Add+Gelu on cpu:0 has no baseline: unfused wrong-result: element 0 is off by 2");
}

TEST(Verdict, KnowsTheFailuresOfASingleOperator) {
  const auto table = table_of({cell_on("cpu:0", failed("single wrong-result: element 0 is off by 2"), {})});
  EXPECT_EQ(exit_code_of(verdict_on_job({table})), ExitCode::kNumerics);
}

TEST(Verdict, IsInconclusiveWhereAPieceHasOnlyAWithheldFigure) {
  const auto right = table_of({cell_on("cpu:0", measured(100, 90, 110, "a"), {})});
  const auto doubtful = table_of({cell_on("cpu:0", withheld("fused withheld: faster than allowed", 100), {})});
  const Status verdict = verdict_on_job({right, doubtful});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(exit_code_of(verdict), ExitCode::kInconclusive) << "something was measured, but what cannot be said";
  EXPECT_EQ(verdict.error().message, "Add+Gelu on cpu:0 has no figure: fused withheld: faster than allowed");
  EXPECT_EQ(exit_code_of(verdict_on_job({doubtful})), ExitCode::kInconclusive) << "rather than nothing matched";

  const auto wrong = table_of({cell_on("null:0", failed("fused wrong-result: element 3 is off by 0.5"), {})});
  EXPECT_EQ(exit_code_of(verdict_on_job({doubtful, wrong})), ExitCode::kNumerics) << "what is known to be wrong comes first";
  EXPECT_EQ(exit_code_of(Status()), ExitCode::kOk);
}

TEST(Verdict, IsGoodWhereAPieceHasAFigureBesideOneThatIsWithheld) {
  const auto table = table_of({cell_on("cpu:0", measured(100, 90, 110, "a"), {}),
                               cell_on("opencl:0", withheld("fused withheld: faster than allowed", 100), {})});
  EXPECT_TRUE(verdict_on_job({table}).ok());
  EXPECT_EQ(withheld_figures({table}), std::vector<std::string>({"Add+Gelu on opencl:0: fused withheld: faster than allowed"}));
}

TEST(Verdict, IsNothingMatchedWithoutAnyFigure) {
  const auto table = table_of({cell_on("cpu:0", failed("fused compile-error: out of registers"), {})});
  EXPECT_FALSE(has_figures(table));
  EXPECT_EQ(verdict_on_job({table}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(verdict_on_stored({table}, {}).error().message,
            "Add+Gelu on cpu:0 has no figure: fused compile-error: out of registers");
  EXPECT_EQ(verdict_on_stored({}, {}).error().code, ErrorCode::kNotFound);
}

TEST(Verdict, NamesAFailedPieceAndNotOneThatIsNeverMeasured) {
  const auto barrier = table_of({cell_on("cpu:0", excluded("a barrier: Fuselab does not know this operator"), {})});
  const auto single = table_of({cell_on("cpu:0", failed("single compile-error: out of registers"), {})});
  EXPECT_EQ(verdict_on_stored({barrier, single}, {}).error().message,
            "Add+Gelu on cpu:0 has no figure: single compile-error: out of registers");
  EXPECT_EQ(verdict_on_stored({barrier}, {}).error().message.find("Add+Gelu"), std::string::npos);
}

TEST(Verdict, SaysWhatIsStoredWhereNoneOfItIsValidHere) {
  EXPECT_NE(verdict_on_stored({}, {}).error().message.find("nothing of this was measured yet"), std::string::npos);
  EXPECT_EQ(verdict_on_stored({}, {1209, 4}).error().message.find("1209 trials stored, none valid here"), 0U);
  EXPECT_EQ(verdict_on_stored({}, {0, 4}).error().message.find("only scripted trials are stored (4); --synthetic"), 0U);
}

TEST(Verdict, DoesNotAdviseToShowScriptedTrialsWhereTheyAreShown) {
  StoredTrials stored{0, 4};
  stored.synthetic_shown = true;
  EXPECT_EQ(verdict_on_stored({}, stored).error().message.find("4 trials stored, none valid here"), 0U);
  stored.only_given = true;
  const std::string told = verdict_on_stored({}, stored).error().message;
  EXPECT_EQ(told.find("4 trials stored, all of kernels that were given with --config"), 0U) << told;
  EXPECT_NE(told.find("Results page"), std::string::npos) << told;
  stored.synthetic_shown = false;
  EXPECT_EQ(verdict_on_stored({}, stored).error().message, told) << "--synthetic would not show them either";
}

TEST(Verdict, SaysWhatToTypeWhereOtherOptionsShowIt) {
  StoredTrials stored{51, 0, {"O2"}, {"f32"}, {"cpu:0"}, "", "measured in mode cold: `--mode cold` shows it"};
  engine::CompareSpec asked;
  asked.subjects = {"w5"};
  EXPECT_EQ(verdict_on_stored({}, stored, asked).error().message, "w5: measured in mode cold: `--mode cold` shows it");
  EXPECT_EQ(verdict_on_stored({}, stored, asked).error().code, ErrorCode::kNotFound);
  stored.shown_by.clear();
  EXPECT_NE(verdict_on_stored({}, stored, asked).error().message.find("`fuselab bench w5` measures it here"), std::string::npos);
}

TEST(Verdict, NamesWhatIsStoredInsteadOfWhatWasAskedFor) {
  const StoredTrials stored{51, 3, {"O2", "O3"}, {"f32"}, {"cpu:0"}, ""};
  const auto told = [&](const engine::CompareSpec& asked) { return verdict_on_stored({}, stored, asked).error().message; };
  engine::CompareSpec asked;
  asked.subjects = {"resnet50"};
  asked.level = "none";
  EXPECT_EQ(told(asked), "51 trials stored, none at level O0 (stored: O2, O3); `fuselab bench resnet50 --level O0` measures it");
  asked.level = "balanced";
  EXPECT_NE(told(asked).find("of another subject, environment or version"), std::string::npos) << "a level that is stored";
  asked.devices.only = {"cpu", "null"};
  EXPECT_EQ(told(asked), "54 trials stored, none on null (stored: cpu:0); `fuselab bench resnet50 --device null` measures it");
  asked = {};
  asked.dtype = "f64";
  EXPECT_EQ(told(asked),
            "51 trials stored, none of element type f64 (stored: f32); `fuselab bench SUBJECT --dtype f64` measures it");
}

TEST(Verdict, DoesNotBlameWhatIsNeverMeasured) {
  const auto table = table_of({cell_on("cpu:0", excluded("only reinterprets memory: nothing runs"), {})});
  EXPECT_EQ(verdict_on_stored({table}, {51, 0}).error().message.find("51 trials stored"), 0U);
}

TEST(Verdict, SaysThatThereIsNoDatabase) {
  const StoredTrials none{0, 0, {}, {}, {}, "typo.db"};
  EXPECT_EQ(verdict_on_stored({}, none).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(verdict_on_stored({}, none).error().message.find("typo.db: there is no such database"), 0U);
}

TEST(Verdict, NotesADtypeThatModelsDoNotTake) {
  auto workload = table_of({});
  workload.dtype = "f64";
  auto model = table_of({});
  model.dtype = "";
  EXPECT_EQ(note_on_dtype({workload}, "f64"), "");
  EXPECT_EQ(note_on_dtype({workload, model}, ""), "");
  EXPECT_EQ(note_on_dtype({workload, model}, "f64").find("--dtype f64 changes nothing of " + model.model + ":"), 0U);
}

TEST(Verdict, IsAnUnfitEnvironmentWhereAPieceWasSkipped) {
  const auto table = table_of({cell_on("cpu:0", failed("fused skipped: needs 12 GiB, 3 GiB are free"), {})});
  const Status verdict = verdict_on_job({table});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(exit_code_of(verdict), ExitCode::kUnfit);
  EXPECT_EQ(verdict.error().message, "Add+Gelu on cpu:0 has no figure: fused skipped: needs 12 GiB, 3 GiB are free");
}

TEST(Verdict, BecomesAProblemOnlyWhenItIsBad) {
  EXPECT_FALSE(problem_of(Status()).has_value());
  EXPECT_EQ(problem_of(Status(Error{ErrorCode::kBusy, "wait"}))->message, "wait");
}

}  // namespace
}  // namespace fuselab::cli
