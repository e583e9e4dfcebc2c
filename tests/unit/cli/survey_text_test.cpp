// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/surveys/survey_text.h"

#include <gmock/gmock.h>

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SurveyedSubject surveyed(int run) {
  engine::Survey survey;
  survey.model = "model.onnx";
  survey.binding = "batch=1";
  survey.operators = 1000;
  survey.run = run;
  survey.groups = 40;
  survey.distinct = 12;
  survey.totals.push_back({"cpu:0", 3e6, 2e6, 0, 0, 11, 12});
  survey.totals.push_back({engine::kBestMix, 3e6, 2e6, 0, 0, 11, 12});
  if (run < 1000) survey.not_run.push_back({"TopK", "a barrier: nobody knows it", "top", 1000 - run});
  return {"folder/model.onnx", {survey}, 0, {}};
}

Error error(ErrorCode code) {
  return {code, "it is " + std::string(name_of(code))};
}

TEST(SurveyText, HasOneLineADeviceAndNamesWhatWasNotRun) {
  const std::string text = survey_text({surveyed(999)}, Terminal());
  EXPECT_THAT(text, HasSubstr("model.onnx (batch=1)"));
  EXPECT_THAT(text, HasSubstr("99.9%"));
  EXPECT_THAT(text, HasSubstr("11 of 12"));
  EXPECT_THAT(text, HasSubstr("1.50x"));
  EXPECT_THAT(text, HasSubstr("not run 1 operator of 1000\n  TopK ('top'): a barrier: nobody knows it"));
  EXPECT_THAT(text, HasSubstr("1 subject, 1 model read and cut, 0 run whole; 0 crashes."));
  EXPECT_THAT(text, Not(HasSubstr("best mix")));
}

TEST(SurveyText, NamesWhatOneDeviceDidNotRun) {
  auto subject = surveyed(1000);
  subject.models.front().not_run_there.push_back({"Relu", "no such primitive", "act", 2, "onednn:0"});
  const std::string text = survey_text({subject}, Terminal());
  EXPECT_THAT(text, HasSubstr("run, but not on every device\n  not on onednn:0: Relu ×2 (the first is 'act'): no such primitive"));
  EXPECT_THAT(text, Not(HasSubstr("not run")));
}

TEST(SurveyText, NeverRoundsAllButOneToAll) {
  EXPECT_THAT(survey_text({surveyed(1000)}, Terminal()), HasSubstr("100.0%"));
  auto subject = surveyed(1000);
  subject.models.front().operators = 100000;
  subject.models.front().run = 99999;
  EXPECT_THAT(survey_text({subject}, Terminal()), HasSubstr("99.9%"));
}

TEST(SurveyText, SaysWhyASubjectDidNotComeThrough) {
  const std::string text = survey_text({{"bad.onnx", {}, 0, error(ErrorCode::kCorrupt)}}, Terminal());
  EXPECT_THAT(text, HasSubstr("bad.onnx: it is "));
  EXPECT_THAT(text, HasSubstr("1 subject, 0 models read and cut"));
}

TEST(SurveyOutcome, IsTheGravestOfAll) {
  const auto with = [](ErrorCode code) { return SurveyedSubject{"s", {}, 0, error(code)}; };
  EXPECT_TRUE(survey_outcome({surveyed(1), surveyed(2)}).ok());
  EXPECT_EQ(survey_outcome({with(ErrorCode::kNotFound), surveyed(1), with(ErrorCode::kInvalidArgument)}).error().code,
            ErrorCode::kNotFound)
      << "of equally grave ones the first";
  EXPECT_EQ(survey_outcome({with(ErrorCode::kNotFound), with(ErrorCode::kNumerics), with(ErrorCode::kCrashed)}).error().code,
            ErrorCode::kNumerics);
  EXPECT_EQ(survey_outcome({with(ErrorCode::kNotFound), with(ErrorCode::kCrashed)}).error().code, ErrorCode::kCrashed);
}

}  // namespace
}  // namespace fuselab::cli
