// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/target_survey.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

using State = TargetPiece::State;
using Kind = EmulatedMatch::Kind;

TargetPiece piece(State state, std::optional<Kind> match = std::nullopt, int uses = 1) {
  TargetPiece made;
  made.name = "Mul";
  made.state = state;
  made.uses = uses;
  if (state == State::kNotCompiled) made.problem = {ErrorCode::kCompileFailed, "kernel.cu(3): error\n  nonsense"};
  if (state == State::kNotWritten) made.problem = {ErrorCode::kCrashed, "the worker died"};
  if (state == State::kRefused) made.problem = {ErrorCode::kUnavailable, "nobody writes it"};
  if (match) made.match = EmulatedMatch{*match, "a detail", "x: f32[2]"};
  return made;
}

TargetSurvey survey_of(std::vector<TargetPiece> pieces) {
  TargetSurvey survey;
  survey.model = "model";
  survey.target.id = "sm_90";
  survey.backend = "cuda";
  survey.pieces = std::move(pieces);
  return survey;
}

TargetSurveyReport report_of(std::vector<TargetPiece> pieces) {
  TargetSurveyReport report;
  report.models = {survey_of(std::move(pieces))};
  return report;
}

TEST(TargetPiece, SaysOfEachEndWhatTellsMost) {
  EXPECT_EQ(piece(State::kCompiled).result(), "compiled");
  EXPECT_EQ(piece(State::kCompiled, Kind::kMatched).result(), "matched");
  EXPECT_EQ(piece(State::kCompiled, Kind::kMatched).note(), "");
  EXPECT_EQ(piece(State::kCompiled, Kind::kNotTried).result(), "compiled");
  EXPECT_EQ(piece(State::kCompiled, Kind::kNotTried).note(), "not matched: a detail");
  EXPECT_EQ(piece(State::kCompiled, Kind::kWrong).result(), "wrong");
  EXPECT_EQ(piece(State::kCompiled, Kind::kWrong).note(), "a detail, at x: f32[2]");
  EXPECT_EQ(piece(State::kNotCompiled).note(), "kernel.cu(3): error") << "one line of many";
  TargetPiece too_big = piece(State::kCompiled, Kind::kMatched);
  too_big.kernel.launches = false;
  EXPECT_EQ(too_big.result(), "would not launch");
}

TEST(TargetSurvey, CountsPiecesAndUsesButNoViews) {
  TargetPiece spills = piece(State::kCompiled, Kind::kMatched, 3);
  spills.kernel.resources["spill_bytes"] = 8;
  spills.kernel.compile_time = Nanoseconds{2e9};
  const TargetTotals totals =
      survey_of({spills, piece(State::kNotCompiled, std::nullopt, 2), piece(State::kRefused), piece(State::kRunsNothing)}).totals();
  EXPECT_EQ(totals.pieces, 3);
  EXPECT_EQ(totals.uses, 6);
  EXPECT_EQ(totals.written, 2);
  EXPECT_EQ(totals.written_uses, 5);
  EXPECT_EQ(totals.compiled, 1);
  EXPECT_EQ(totals.matched, 1);
  EXPECT_EQ(totals.spilling, 1);
  EXPECT_EQ(totals.run_nothing, 1);
  EXPECT_DOUBLE_EQ(totals.compile_time.count, 2e9);
}

TEST(TargetSurveyReport, EndsWithTheGravestOfItsPieces) {
  EXPECT_TRUE(report_of({piece(State::kCompiled), piece(State::kRefused), piece(State::kRunsNothing)}).outcome().ok())
      << "what is refused is no failure beside what is written";
  const TargetSurveyReport failed =
      report_of({piece(State::kNotCompiled), piece(State::kCompiled, Kind::kWrong), piece(State::kNotWritten)});
  EXPECT_EQ(failed.outcome().error().code, ErrorCode::kNumerics);
  EXPECT_EQ(failed.outcome().error().message, "model for sm_90 by cuda: Mul: wrong: a detail, at x: f32[2]; 2 more failed");
  TargetSurveyReport stopped = report_of({piece(State::kNotReached)});
  stopped.stopped = true;
  EXPECT_EQ(stopped.outcome().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(report_of({piece(State::kRefused)}).outcome().error().message,
            "nothing was written for sm_90 by cuda: nobody writes it");
  TargetSurveyReport unread = report_of({piece(State::kCompiled)});
  unread.unread.push_back({"bad.onnx", {ErrorCode::kNotFound, "there is no such file"}});
  EXPECT_EQ(unread.outcome().error().message, "bad.onnx: there is no such file");
}

TEST(SurveyTargets, RefusesNoTargetAndOneThatNobodyKnows) {
  TargetSurveySpec spec;
  spec.subjects = {"w5"};
  EXPECT_EQ(survey_targets({}, spec).error().code, ErrorCode::kInvalidArgument);
  spec.targets = {"sm_9000"};
  EXPECT_EQ(survey_targets({}, spec).error().code, ErrorCode::kNotFound);
}

TEST(SurveyTargets, LooksAtEachTargetOnceAndNeedsNoWorkerForWhatRunsNothing) {
  TargetSurveySpec spec;
  spec.subjects = {"graph(x: f32[4,8]) { y = Reshape(x, shape=[32]); return y }"};
  spec.targets = {"sm_90", "sm_90"};
  const auto report = survey_targets({}, spec);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report.value().models.size(), 1U);
  EXPECT_EQ(report.value().models.front().backend, "cuda") << "the target's own";
  ASSERT_EQ(report.value().models.front().pieces.size(), 1U);
  EXPECT_EQ(report.value().models.front().pieces.front().state, State::kRunsNothing);
  EXPECT_TRUE(report.value().outcome().ok());
}

TEST(SurveyTargets, LooksAtEachTargetOnceWithEachBackend) {
  TargetSurveySpec spec;
  spec.subjects = {"graph(x: f32[4,8]) { y = Reshape(x, shape=[32]); return y }"};
  spec.targets = {"sm_90", "gfx942"};
  spec.backends = {"triton", "xla", "triton"};
  const auto report = survey_targets({}, spec);
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::vector<std::string> seen;
  for (const TargetSurvey& survey : report.value().models) seen.push_back(survey.target.id + " " + survey.backend);
  EXPECT_EQ(seen, (std::vector<std::string>{"sm_90 triton", "sm_90 xla", "gfx942 triton", "gfx942 xla"}));
}

}  // namespace
}  // namespace fuselab::engine
