// SPDX-License-Identifier: Apache-2.0
// What a run of the gate keeps, and what it takes from a self-test's record: whole, cut short, forged, another device's.
#include "app/gate/check/check_record.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/gate/selftest/selftest.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

TEST_F(Check, SaysTheSameAgainFromItsRecord) {
  save();
  engine::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.drill = 0.05;
  auto run = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  run.value().fail_on = {CaseState::kWrongResult, CaseState::kUnfit};
  const std::filesystem::path record = folder_ / "check.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CheckReport told = engine::report_of(run.value());
  auto again = engine::read_check_record(record);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_TRUE(engine::write_check_record(folder_ / "again.jsonl", again.value()).ok());
  EXPECT_EQ(text_of(record), text_of(folder_ / "again.jsonl")) << "byte for byte";
  EXPECT_EQ(again.value().fail_on, run.value().fail_on);
  const CheckReport retold = engine::report_of(std::move(again).value());
  EXPECT_EQ(only(retold).state, CaseState::kRegressed);
  EXPECT_FALSE(only(told).device_uuid.empty());
  EXPECT_EQ(only(retold).device_uuid, only(told).device_uuid);
  EXPECT_FALSE(only(told).configuration.empty() || only(told).baseline->configuration.empty());
  EXPECT_EQ(only(retold).configuration, only(told).configuration);
  EXPECT_EQ(only(retold).baseline->configuration, only(told).baseline->configuration);
  EXPECT_EQ(only(retold).q_value, only(told).q_value);
  EXPECT_EQ(only(retold).comparison->interval.low, only(told).comparison->interval.low);
  EXPECT_EQ(only(retold).confirmation->p_regressed, only(told).confirmation->p_regressed);
  EXPECT_EQ(only(retold).log_ratios, only(told).log_ratios);
  EXPECT_EQ(retold.kernel_seconds, told.kernel_seconds);
  ASSERT_TRUE(told.selftest && retold.selftest);
  EXPECT_EQ(told.selftest->of, "`fuselab selftest --aa 200 --slowed 50 --device null:0` measures it");
  EXPECT_EQ(retold.selftest->of, told.selftest->of);

  const BlockConditions& sampled = run.value().cases[0].first->processes[0].conditions;
  const BlockConditions kept = engine::read_check_record(record).value().cases[0].first->processes[0].conditions;
  EXPECT_GE(kept.runnable, 1) << "the environment is sampled with each process";
  EXPECT_EQ(kept.runnable, sampled.runnable);
  EXPECT_EQ(kept.load, sampled.load);
  EXPECT_EQ(kept.timer.overhead.count, sampled.timer.overhead.count);
  for (const std::string_view fact : {"cpu quota", "aslr"}) {
    EXPECT_TRUE(std::ranges::any_of(told.environment, [&](const auto& each) { return each.first == fact; })) << fact;
  }

  const auto refusal = [&](const std::string& text) {
    std::ofstream(record, std::ios::trunc) << text;
    const auto read = engine::read_check_record(record);
    return read.ok() ? std::string("(none)") : read.error().message;
  };
  const std::string whole = text_of(folder_ / "again.jsonl");
  std::string forged = whole;
  const std::size_t verdict = forged.find("\"verdict\":\"regressed\"");
  ASSERT_NE(verdict, std::string::npos);
  forged.replace(verdict, 21, "\"verdict\":\"improved\"");
  EXPECT_NE(refusal(forged).find("check.jsonl:2: its samples say 'regressed'"), std::string::npos) << refusal(forged);
  std::string sample = whole;
  const std::size_t place = sample.find("\"a\":[") + 5;
  sample.replace(place, sample.find(',', place) - place, "-1");
  EXPECT_NE(refusal(sample).find("check.jsonl:2: sample 0 is -1.000000 ns"), std::string::npos) << refusal(sample);
  EXPECT_EQ(refusal(whole.substr(0, whole.size() / 2)), record.string() + ":2: this line was cut short or damaged");
  std::string ends = whole;
  ends.replace(ends.find("\"exit\":0"), 8, "\"exit\":1");
  EXPECT_NE(refusal(ends).find("check.jsonl:1: it says that the run ended with 1, and its cases end with 0"), std::string::npos)
      << refusal(ends);
  std::string fails = whole;
  fails.replace(fails.find("\"wrong-result\""), 14, "\"improved\"");
  EXPECT_NE(refusal(fails).find("check.jsonl:1: 'improved' fails no run"), std::string::npos) << refusal(fails);
  EXPECT_NE(refusal(whole.substr(0, whole.find('\n') + 1)).find("0 of its 1 cases: it was cut short"), std::string::npos);
  EXPECT_NE(refusal("my notes\n").find("it is no record of the gate"), std::string::npos);
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
}

// A red record whose confirmation is gone is none that passes.
TEST_F(Check, ARecordThatLostWhatConfirmedItIsRefused) {
  save();
  engine::CheckSpec spec = spec_of();
  spec.drill = 0.05;
  const auto run = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  const std::filesystem::path record = folder_ / "check.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const std::string whole = text_of(record);
  const std::size_t second = whole.find('\n') + 1;
  const auto refusal = [&](auto change) {
    nlohmann::json header = nlohmann::json::parse(whole.substr(0, second)), line = nlohmann::json::parse(whole.substr(second));
    change(header, line);
    std::ofstream(record, std::ios::trunc) << header.dump() << '\n' << line.dump() << '\n';
    const auto read = engine::read_check_record(record);
    return read.ok() ? "(none), ends with " + std::to_string(engine::exit_code_of(read.value())) : read.error().message;
  };
  using Json = nlohmann::json;
  EXPECT_EQ(refusal([](Json&, Json&) {}), "(none), ends with 1");
  const std::string lost = refusal([](Json&, Json& line) { line.erase("confirmation"); });
  EXPECT_NE(lost.find("check.jsonl:2: it called a change and keeps neither a confirmation nor why there is none"),
            std::string::npos)
      << lost;
  const std::string excused = refusal([](Json&, Json& line) {
    line.erase("confirmation");
    line["unconfirmed_because"] = "the machine";
    line["instead"] = "inconclusive";
  });
  EXPECT_NE(excused.find("check.jsonl:2: it was not confirmed and says 'inconclusive' for that, which the gate never does"),
            std::string::npos)
      << excused;
  const std::string let_pass = refusal([](Json& header, Json& line) {
    line.erase("confirmation");
    line["unconfirmed_because"] = "the machine";
    line["instead"] = line["state"] = "unconfirmed";
    header["exit"] = 0;
  });
  EXPECT_NE(let_pass.find("check.jsonl:2: it was not confirmed and says 'unconfirmed' for that"), std::string::npos) << let_pass;
  const std::string foreign = refusal([](Json& header, Json& line) {
    line["baseline"]["other_machine"] = true;
    line["state"] = "inconclusive";
    header["exit"] = 4;
  });
  EXPECT_NE(foreign.find("check.jsonl:2: it says that its baseline's times are of another machine"), std::string::npos) << foreign;
  const std::string many = refusal([](Json&, Json& line) { line["comparisons"] = 1000; });
  EXPECT_NE(many.find("check.jsonl:2: "), std::string::npos) << many;
  const std::string wide = refusal([](Json&, Json& line) { line["margin"] = 0.5; });
  EXPECT_NE(wide.find("check.jsonl:2: it says two margins"), std::string::npos) << wide;
  const std::string bare = refusal([](Json&, Json& line) {
    line.erase("confirmation");
    line.erase("first");
  });
  EXPECT_NE(bare.find("check.jsonl:2: it says 'regressed' and keeps no samples"), std::string::npos) << bare;
  // A record of before: how a measured case ended was not in it.
  EXPECT_EQ(refusal([](Json& header, Json& line) {
              header.erase("exit");
              line["state"] = "failed";
            }),
            "(none), ends with 1");
}

TEST_F(Check, ShowsWhatTheSelftestFoundOnThisDevice) {
  engine::SelftestSpec tried;
  tried.subjects = {"w3"};
  tried.bindings = {"rows=8,cols=16"};
  tried.device = device_;
  tried.identical = 2;
  tried.record = folder_ / "selftest.jsonl";
  ASSERT_TRUE(engine::run_selftest(config_, tried, {}, {}).ok());
  save();
  engine::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.selftest = tried.record;
  const auto run = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run.value().report.false_alarms);
  EXPECT_EQ(run.value().report.false_alarms->trials, 2);
  EXPECT_EQ(run.value().report.false_alarms->events, 0);
  ASSERT_TRUE(run.value().report.selftest);
  EXPECT_EQ(run.value().report.selftest->of.find("of null:0, margin 1 %, budget 2 s, 1 kernel, Fuselab's commit "), 0U)
      << run.value().report.selftest->of;
  spec.config = cases("margin = 3\n");
  const auto other_margin = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(other_margin.ok()) << other_margin.error().message;
  EXPECT_FALSE(other_margin.value().report.false_alarms) << "it says nothing of such comparisons";
  ASSERT_TRUE(other_margin.value().report.selftest);
  EXPECT_NE(other_margin.value().report.selftest->of.find(
                "selftest.jsonl is left out: it is of margin 1 %, budget 2 s, the comparisons here of margin 3 %, budget 2 s"),
            std::string::npos)
      << other_margin.value().report.selftest->of;
  std::ofstream(tried.record, std::ios::trunc) << "my notes\n";
  const auto refused = engine::run_check(config_, spec, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("it is no record of a self-test"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace fuselab
