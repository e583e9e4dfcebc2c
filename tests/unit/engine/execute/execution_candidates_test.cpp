// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_candidates.h"

#include <gmock/gmock.h>

namespace fuselab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kWrong = "fused wrong-result: 3 of 128 values differ";

DeviceInfo device(const std::string& id) {
  DeviceInfo info;
  info.id = id;
  return info;
}

CompareCell cell(const std::string& id) {
  CompareCell cell;
  cell.device_id = id;
  return cell;
}

CompareCell failed(const std::string& id, const std::string& reason) {
  CompareCell failed = cell(id);
  failed.fused.state = CellState::kFailed;
  failed.fused.reason = reason;
  return failed;
}

CompareCell timed(const std::string& id) {
  CompareCell timed = cell(id);
  timed.fused.state = CellState::kMeasured;
  Figure& figure = timed.fused.figure.emplace();
  figure.median_ns = 100;
  figure.interval = {99, 101};
  figure.trial_id = "t";
  figure.config = "vector=4";
  return timed;
}

CompareRow row_of(const std::vector<CompareCell>& cells) {
  CompareRow row;
  row.cells = cells;
  return row;
}

// The rule of a faster device, of which no figure is stored.
Selection rule_prefers(const std::string& id) {
  Selection selection;
  selection.chosen = 0;
  selection.estimates.emplace_back().device_id = id;
  selection.reason = "rule";
  return selection;
}

Piece single() {
  Piece piece;
  piece.operation.name = "Add";
  piece.operators = {{}};
  return piece;
}

std::vector<std::string> texts(const Piece& piece, const Result<ExecutionChoice>& choice) {
  std::vector<std::string> texts;
  if (!choice.ok()) return {choice.error().message};
  for (const ExecutionCandidate& each : choice.value().order) texts.push_back(each.text(piece.is_single()));
  return texts;
}

TEST(ExecutionCandidates, NeverRunWhereTheResultWasWrong) {
  const CompareRow row = row_of({failed("fast:0", kWrong), timed("cpu:0")});
  const ExecutionDevices devices{{device("fast:0"), device("cpu:0")}, 2};
  const auto choice = candidates_for(single(), &row, devices, rule_prefers("fast:0"));
  ASSERT_THAT(texts(single(), choice), ElementsAre("cpu:0 single"));
  EXPECT_EQ(choice.value().order[0].configs, "vector=4");
  ASSERT_EQ(choice.value().passed_over.size(), 1U);
  EXPECT_EQ(choice.value().passed_over[0].from, "fast:0 single");
  EXPECT_EQ(choice.value().passed_over[0].to, "cpu:0 single");
  EXPECT_THAT(choice.value().passed_over[0].reason, HasSubstr(kWrong));
}

TEST(ExecutionCandidates, ComeLastWhereTheyFailedButOnADeviceThatSomebodyNames) {
  ExecutionDevices named{{device("fast:0"), device("cpu:0")}, 1, true};
  const CompareRow wrong = row_of({failed("fast:0", kWrong), cell("cpu:0")});
  const auto choice = candidates_for(single(), &wrong, named, rule_prefers("fast:0"));
  ASSERT_THAT(texts(single(), choice), ElementsAre("cpu:0 single", "fast:0 single"));
  EXPECT_THAT(choice.value().order[1].why, HasSubstr(kWrong));
  named.config_given = true;
  EXPECT_THAT(texts(single(), candidates_for(single(), &wrong, named, rule_prefers("fast:0"))),
              ElementsAre("fast:0 single", "cpu:0 single"));
  const CompareRow crashed = row_of({failed("fast:0", "fused crashed: killed"), cell("cpu:0")});
  const ExecutionDevices any{{device("fast:0"), device("cpu:0")}, 2};
  EXPECT_THAT(texts(single(), candidates_for(single(), &crashed, any, {})), ElementsAre("cpu:0 single", "fast:0 single"));
}

TEST(ExecutionCandidates, OfAPieceWithTwoPlansLoseOnlyTheOneThatWasWrong) {
  Piece piece = single();
  piece.operators = {{}, {}};
  const CompareRow row = row_of({failed("fast:0", kWrong), timed("cpu:0")});
  const ExecutionDevices devices{{device("fast:0"), device("cpu:0")}, 2};
  EXPECT_THAT(texts(piece, candidates_for(piece, &row, devices, {})),
              ElementsAre("cpu:0 fused", "fast:0 unfused", "cpu:0 unfused"));
}

TEST(ExecutionCandidates, SayWhyNothingIsLeft) {
  const CompareRow row = row_of({failed("fast:0", kWrong)});
  const auto choice = candidates_for(single(), &row, {{device("fast:0")}, 1}, {});
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(choice.error().message, HasSubstr("'Add' could be run nowhere: fast:0 single: it failed when it was measured: "));
  EXPECT_THAT(texts(single(), candidates_for(single(), nullptr, {{device("fast:0")}, 1}, {})), ElementsAre("fast:0 single"));
}

TEST(ExecutionCandidates, RunNothingThatLosesNaNUnlessThatIsAccepted) {
  CompareCell library = timed("onednn:0");
  library.fused.figure->median_ns = 10;
  library.fused.figure->drawbacks = withheld_for(Drawback::kNanLoss);
  const CompareRow withheld = row_of({library, timed("cpu:0")});
  const ExecutionDevices devices{{device("onednn:0"), device("cpu:0")}, 2, true};
  const auto choice = candidates_for(single(), &withheld, devices, {});
  EXPECT_THAT(texts(single(), choice), ElementsAre("cpu:0 single")) << "not even last, and not where it was named";
  ASSERT_EQ(choice.value().passed_over.size(), 1U);
  EXPECT_EQ(choice.value().passed_over[0].reason, "it loses NaN (--accept nan-loss takes it)");
  library.fused.figure->drawbacks = accepted_with(Drawback::kNanLoss);
  const CompareRow accepted = row_of({library, timed("cpu:0")});
  EXPECT_THAT(texts(single(), candidates_for(single(), &accepted, devices, {})), ElementsAre("onednn:0 single", "cpu:0 single"));
  const CompareRow alone = row_of({withheld.cells[0]});
  const auto none = candidates_for(single(), &alone, {{device("onednn:0")}, 1}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("it loses NaN (--accept nan-loss takes it)"));
}

}  // namespace
}  // namespace fuselab::engine
