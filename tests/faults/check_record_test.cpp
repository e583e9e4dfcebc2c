// SPDX-License-Identifier: Apache-2.0
// What a run of the gate keeps, and what it takes from a self-test's record: whole, cut short, forged, another device's.
#include "app/session/gate/check_record.h"

#include <fstream>

#include "app/session/gate/selftest.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

TEST_F(Check, SaysTheSameAgainFromItsRecord) {
  save();
  session::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.drill = 0.05;
  auto run = session::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  run.value().fail_on = {CaseState::kWrongResult, CaseState::kUnfit};
  std::filesystem::path const record = folder_ / "check.jsonl";
  ASSERT_TRUE(session::write_check_record(record, run.value()).ok());
  CheckReport const told = session::report_of(run.value());
  auto again = session::read_check_record(record);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_TRUE(session::write_check_record(folder_ / "again.jsonl", again.value()).ok());
  EXPECT_EQ(text_of(record), text_of(folder_ / "again.jsonl")) << "byte for byte";
  EXPECT_EQ(again.value().fail_on, run.value().fail_on);
  CheckReport const retold = session::report_of(std::move(again).value());
  EXPECT_EQ(only(retold).state, CaseState::kRegressed);
  EXPECT_FALSE(only(told).device_uuid.empty());
  EXPECT_EQ(only(retold).device_uuid, only(told).device_uuid);
  EXPECT_EQ(only(retold).q_value, only(told).q_value);
  EXPECT_EQ(only(retold).comparison->interval.low, only(told).comparison->interval.low);
  EXPECT_EQ(only(retold).confirmation->p_regressed, only(told).confirmation->p_regressed);
  EXPECT_EQ(only(retold).log_ratios, only(told).log_ratios);
  EXPECT_EQ(retold.kernel_seconds, told.kernel_seconds);

  auto const refusal = [&](const std::string& text) {
    std::ofstream(record, std::ios::trunc) << text;
    auto const read = session::read_check_record(record);
    return read.ok() ? std::string("(none)") : read.error().message;
  };
  std::string const whole = text_of(folder_ / "again.jsonl");
  std::string forged = whole;
  std::size_t const verdict = forged.find("\"verdict\":\"regressed\"");
  ASSERT_NE(verdict, std::string::npos);
  forged.replace(verdict, 21, "\"verdict\":\"improved\"");
  EXPECT_NE(refusal(forged).find("check.jsonl:2: its samples say 'regressed'"), std::string::npos) << refusal(forged);
  std::string sample = whole;
  std::size_t const place = sample.find("\"a\":[") + 5;
  sample.replace(place, sample.find(',', place) - place, "-1");
  EXPECT_NE(refusal(sample).find("check.jsonl:2: sample 0 is -1.000000 ns"), std::string::npos) << refusal(sample);
  EXPECT_EQ(refusal(whole.substr(0, whole.size() / 2)), record.string() + ":2: this line was cut short or damaged");
  std::string fails = whole;
  fails.replace(fails.find("\"wrong-result\""), 14, "\"improved\"");
  EXPECT_NE(refusal(fails).find("check.jsonl:1: 'improved' fails no run"), std::string::npos) << refusal(fails);
  EXPECT_NE(refusal(whole.substr(0, whole.find('\n') + 1)).find("0 of its 1 cases: it was cut short"), std::string::npos);
  EXPECT_NE(refusal("my notes\n").find("it is no record of the gate"), std::string::npos);
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
}

TEST_F(Check, ShowsWhatTheSelftestFoundOnThisDevice) {
  session::SelftestSpec tried;
  tried.subjects = {"w3"};
  tried.bindings = {"rows=8,cols=16"};
  tried.device = device_;
  tried.identical = 2;
  tried.record = folder_ / "selftest.jsonl";
  ASSERT_TRUE(session::run_selftest(config_, tried, {}, {}).ok());
  save();
  session::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.selftest = tried.record;
  auto const run = session::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run.value().report.false_alarms);
  EXPECT_EQ(run.value().report.false_alarms->trials, 2);
  EXPECT_EQ(run.value().report.false_alarms->events, 0);
  std::ofstream(tried.record, std::ios::trunc) << "my notes\n";
  auto const refused = session::run_check(config_, spec, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("it is no record of a self-test"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace fuselab
