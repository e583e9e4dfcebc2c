// SPDX-License-Identifier: Apache-2.0
// A self-test on the synthetic device, and its record after a kill, with other settings and after a forgery.
#include "app/gate/selftest/selftest.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>
#include <sstream>

#include "app/gate/selftest/selftest_rates.h"
#include "app/gate/selftest/selftest_record.h"
#include "app/gate/source/source_commit.h"
#include "db/connection/compression.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class Selftest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    spec_.subjects = {"w3", "w13-row-sum"};
    spec_.bindings = {"rows=8,cols=16", "rows=8,cols=16"};
    spec_.device = "null:0";
    spec_.identical = 4;
    spec_.slowed = 1;
    spec_.record = folder_ / "selftest.jsonl";
  }

  Result<engine::SelftestReport> run(int stop_after = 1000) {
    engine::Config config = config_in(folder_);
    config.synthetic = true;
    std::stop_source stop;
    return engine::run_selftest(
        config, spec_,
        [&](const engine::SelftestReport& report) {
          if (static_cast<int>(report.trials.size()) >= stop_after) stop.request_stop();
        },
        stop.get_token());
  }
  std::string record() const {
    std::ifstream file(spec_.record);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void rewrite(const std::string& text) const { std::ofstream(spec_.record, std::ios::trunc) << text; }

  engine::SelftestSpec spec_;
};

TEST_F(Selftest, TellsSlowedKernelsFromIdenticalOnes) {
  const auto report = run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report.value().trials.size(), 7U);
  const auto rates = engine::rates_of(report.value().trials);
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_EQ(rates[0].alarmed.events, 0);
  EXPECT_EQ(rates[0].alarmed.trials, 4);
  EXPECT_EQ(rates[3].slowdown, 0.05);
  EXPECT_EQ(rates[3].alarmed.events, 1) << "+5 % is found";
  EXPECT_EQ(rates[3].confirmed.events, 1);
}

TEST_F(Selftest, GoesOnWhereItWasLeftAndGivesTheSameVerdicts) {
  ASSERT_TRUE(run(3).ok());
  const std::string whole = record();
  rewrite(whole + R"({"trial":3,"kernel":"w3)");  // what a kill in the middle of a line leaves
  const auto rest = run();
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_EQ(rest.value().resumed, 3);
  EXPECT_EQ(rest.value().trials[2].slice, 0);
  EXPECT_EQ(rest.value().trials[3].slice, 1);
  EXPECT_EQ(rest.value().trials.size(), 7U);
  EXPECT_EQ(record().substr(0, whole.size()), whole);
  const auto again = run();
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().resumed, 7);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(again.value().trials[i].first.result.verdict, rest.value().trials[i].first.result.verdict);
    EXPECT_EQ(again.value().trials[i].first.result.ratio, rest.value().trials[i].first.result.ratio);
  }
}

TEST_F(Selftest, EndsItsSlice) {
  spec_.slice_seconds = 1e-9;
  const auto nothing = run();
  ASSERT_TRUE(nothing.ok()) << nothing.error().message;
  EXPECT_EQ(nothing.value().trials.size(), 0U);
  EXPECT_EQ(nothing.value().wanted, 7);
  EXPECT_FALSE(nothing.value().is_complete());
}

TEST_F(Selftest, IsReadWithoutItsDeviceAsItWasWrittenAndCompressed) {
  spec_.load = true;
  ASSERT_TRUE(run().ok());
  const auto plain = engine::read_selftest(spec_.record);
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain.value().trials.size(), 7U);
  EXPECT_EQ(plain.value().spec.identical, 4);
  EXPECT_TRUE(plain.value().spec.load);
  EXPECT_EQ(plain.value().commit, engine::source_commit());
  const auto found = std::find_if(plain.value().trials.begin(), plain.value().trials.end(),
                                  [](const engine::SelftestTrial& trial) { return trial.slowdown == 0.05; });
  ASSERT_TRUE(found != plain.value().trials.end() && found->confirmed());
  EXPECT_LE(found->confirmation->result.p_regressed, 1e-4) << "confirmed as in a suite: 1 % shared by a hundred";
  const std::string text = record();
  const std::vector<std::byte> frame = db::compress(std::as_bytes(std::span(text)));
  std::ofstream(folder_ / "selftest.zst", std::ios::binary)
      .write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  const auto small = engine::read_selftest(folder_ / "selftest.zst");
  ASSERT_TRUE(small.ok()) << small.error().message;
  EXPECT_EQ(small.value().trials.size(), 7U);
  EXPECT_EQ(small.value().trials[6].first.result.ratio, plain.value().trials[6].first.result.ratio);
  std::ofstream(folder_ / "selftest.zst", std::ios::binary)
      .write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size() / 2));
  const auto torn = engine::read_selftest(folder_ / "selftest.zst");
  ASSERT_FALSE(torn.ok());
  EXPECT_EQ(torn.error().code, ErrorCode::kCorrupt);
}

TEST_F(Selftest, RecordsMachineAndConditions) {
  ASSERT_TRUE(run(2).ok());
  const std::string text = record();
  EXPECT_NE(text.find("\"machine\":{"), std::string::npos);
  EXPECT_EQ(text.find("\"machine\":{"), text.rfind("\"machine\":{")) << "once while it stays the same";
  ASSERT_TRUE(run(3).ok());
  EXPECT_EQ(record().find("\"machine\":{"), record().rfind("\"machine\":{")) << "nor when it is gone on with";
  const auto again = run(3);
  ASSERT_TRUE(again.ok());
  const BlockConditions& conditions = again.value().trials[0].first.processes[0].conditions;
  EXPECT_GT(conditions.wall_seconds, 0);
  EXPECT_GT(conditions.runnable, 0);
}

TEST_F(Selftest, GoesOnWithARecordFromBeforeConditions) {
  ASSERT_TRUE(run(2).ok());
  rewrite(std::regex_replace(record(), std::regex(R"("conditions":\{[^}]*\},)"), ""));
  ASSERT_EQ(record().find("conditions"), std::string::npos);
  const auto rest = run(3);
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_EQ(rest.value().resumed, 2);
  EXPECT_EQ(rest.value().trials[0].first.processes[0].conditions.wall_seconds, 0);
}

TEST_F(Selftest, RefusesARecordOfOtherSettings) {
  ASSERT_TRUE(run(1).ok());
  spec_.seed = 2;
  const auto other = run();
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(other.error().message.find("selftest.jsonl was begun by another program, with other settings"), std::string::npos)
      << other.error().message;
}

TEST_F(Selftest, RefusesARecordOfAnotherProgramOfTheSameCommit) {
  ASSERT_TRUE(run(1).ok());
  std::string other = record();
  const std::size_t place = other.find(R"("build":")") + 9;
  other[place] = other[place] == '0' ? '1' : '0';
  rewrite(other);
  const auto refused = run();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("selftest.jsonl was begun by another program"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(engine::read_selftest(spec_.record).ok()) << "what it holds can be looked at all the same";
}

TEST_F(Selftest, TellsProgramsApartByTheBytesOfTheirWorkers) {
  const auto build_with = [&](const char* worker) {
    std::ofstream(folder_ / "worker", std::ios::trunc) << worker;
    return engine::build_of(folder_ / "worker").value();
  };
  EXPECT_EQ(build_with("one"), build_with("one"));
  EXPECT_NE(build_with("one"), build_with("two"));
  EXPECT_FALSE(engine::build_of(folder_ / "none").ok());
}

TEST_F(Selftest, LeavesAFileAloneThatIsNoRecord) {
  for (const char* text : {"my notes without an end of line", "my notes\n", "{\"schema\":1}\n"}) {
    rewrite(text);
    const auto refused = run(1);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.error().message.find("selftest.jsonl is no record of a self-test"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(record(), text);
  }
}

TEST_F(Selftest, GoesOnAfterAKillInItsFirstLine) {
  ASSERT_TRUE(run(1).ok());
  const std::string whole = record();
  rewrite(whole.substr(0, 40));
  const auto again = run(1);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(record().substr(0, whole.find('\n')), whole.substr(0, whole.find('\n')));
}

TEST_F(Selftest, NoticesAComparisonThatWasTakenOut) {
  ASSERT_TRUE(run(3).ok());
  std::string text = record();
  const std::size_t second = text.find('\n') + 1;
  text.erase(second, text.find('\n', second) + 1 - second);
  rewrite(text);
  const auto shortened = run();
  ASSERT_FALSE(shortened.ok());
  EXPECT_NE(shortened.error().message.find("selftest.jsonl:2: a comparison before this one is missing"), std::string::npos)
      << shortened.error().message;
}

TEST_F(Selftest, RefusesAnExtentWithoutASubject) {
  spec_.subjects.clear();
  const auto refused = run(1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "--shape belongs to a subject; name one");
}

TEST_F(Selftest, RefusesAVerdictThatItsSamplesDoNotGive) {
  ASSERT_TRUE(run(1).ok());
  std::string text = record();
  const std::size_t place = text.find("\"verdict\":\"") + 11;
  text.replace(place, text.find('"', place) - place, "improved");
  rewrite(text);
  const auto forged = run();
  ASSERT_FALSE(forged.ok());
  EXPECT_EQ(forged.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(forged.error().message.find("selftest.jsonl:2: "), std::string::npos) << forged.error().message;
}

// What was called and not confirmed any more would make the published rate a better one.
TEST_F(Selftest, RefusesARecordThatLostAConfirmationOrChangedPlaces) {
  ASSERT_TRUE(run().ok());
  const std::string whole = record();
  const auto refusal = [&](auto change) {
    std::istringstream lines(whole);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      nlohmann::json json = nlohmann::json::parse(line);
      change(json);
      text += json.dump() + "\n";
    }
    rewrite(text);
    const auto read = engine::read_selftest(spec_.record);
    return read.ok() ? std::string("(none)") : read.error().message;
  };
  using Json = nlohmann::json;
  EXPECT_EQ(refusal([](Json&) {}), "(none)");
  const std::string lost = refusal([](Json& json) { json.erase("confirmation"); });
  EXPECT_NE(lost.find("it called a change and keeps neither a confirmation nor why there is none"), std::string::npos) << lost;
  const std::string moved = refusal([](Json& json) {
    if (json.value("slowdown", -1.0) == 0.05) json["slowdown"] = 0.0;
  });
  EXPECT_NE(moved.find("its seed has another comparison in this place"), std::string::npos) << moved;
  const std::string endless = refusal([](Json& json) {
    if (json.contains("identical")) json["identical"] = 2'000'000'000;
  });
  EXPECT_NE(endless.find("it is no record of a self-test"), std::string::npos) << endless;
}

TEST_F(Selftest, RefusesSlicesThatNobodyMeasured) {
  ASSERT_TRUE(run(1).ok());
  const std::string whole = record();
  const std::size_t place = whole.find("\"slice\":0");
  ASSERT_NE(place, std::string::npos);
  for (const char* slice : {"-1", "2147483647", "1000001", "1e300", "-0.5"}) {
    std::string text = whole;
    rewrite(text.replace(place, 9, std::string("\"slice\":") + slice));
    const auto refused = engine::read_selftest(spec_.record);
    ASSERT_FALSE(refused.ok()) << slice;
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(refused.error().message.find("selftest.jsonl:2: its slice"), std::string::npos) << refused.error().message;
  }
  std::string text = whole;
  rewrite(text.replace(place, 9, "\"slice\":1000000"));
  EXPECT_TRUE(engine::read_selftest(spec_.record).ok());
}

TEST_F(Selftest, SaysThatARecordIsOfAnotherVersion) {
  ASSERT_TRUE(run(1).ok());
  std::string text = record();
  const std::size_t place = text.find("selftest-record/2");
  ASSERT_NE(place, std::string::npos);
  rewrite(text.replace(place, 17, "selftest-record/1"));
  const auto old = engine::read_selftest(spec_.record);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.error().code, ErrorCode::kUnavailable) << "the gate leaves it out and goes on";
  EXPECT_NE(old.error().message.find("another version of Fuselab (fuselab.selftest-record/1)"), std::string::npos);
}

TEST_F(Selftest, RefusesSamplesThatNoClockGives) {
  ASSERT_TRUE(run(1).ok());
  std::string text = record();
  const std::size_t place = text.find("\"a\":[") + 5;
  rewrite(text.replace(place, text.find(',', place) - place, "-1e9"));  // steps from the middle
  const auto corrupt = run();
  ASSERT_FALSE(corrupt.ok());
  EXPECT_NE(corrupt.error().message.find("selftest.jsonl:2: sample 0 is -"), std::string::npos) << corrupt.error().message;
}

TEST_F(Selftest, NamesAKernelThatTheDeviceRefuses) {
  spec_.subjects = {"nothing-of-this-name"};
  spec_.bindings = {""};
  const auto unknown = run();
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("nothing-of-this-name"), std::string::npos);
}

}  // namespace
}  // namespace fuselab
