// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_candidates.h"

#include <algorithm>

#include "app/views/choice.h"
#include "core/measure/outcome.h"

namespace fuselab::engine {
namespace {

const CompareCell* cell_on(const CompareRow* row, const DeviceInfo& device) {
  if (row == nullptr) return nullptr;
  const auto found =
      std::find_if(row->cells.begin(), row->cells.end(), [&](const CompareCell& cell) { return cell.device_id == device.id; });
  return found == row->cells.end() ? nullptr : &*found;
}

// The best plan as it was measured, so that it runs in the same configuration; else the fused one.
ExecutionCandidate first_plan(const CompareCell* cell, const DeviceInfo& device) {
  const auto plan = cell == nullptr ? std::nullopt : best_plan(*cell);
  if (!plan) return {device, PlanKind::kFused, "", ""};
  return {device, *plan, (*plan == PlanKind::kFused ? cell->fused : cell->unfused).figure->config, ""};
}

// Returns why this plan has no figure although it was tried; empty: it did not fail.
std::string stored_failure(const CompareCell* cell, PlanKind kind) {
  if (cell == nullptr) return "";
  const Cell& plan = kind == PlanKind::kFused ? cell->fused : cell->unfused;
  return plan.state == CellState::kFailed ? plan.reason : "";
}

// Returns the drawbacks for which the measured plan must not be chosen.
Drawbacks withheld_for(const CompareCell* cell, PlanKind kind) {
  if (cell == nullptr) return {};
  const auto& figure = (kind == PlanKind::kFused ? cell->fused : cell->unfused).figure;
  return figure ? figure->drawbacks.withheld : Drawbacks();
}

// Reasons of failed cells begin with the plan and the outcome: "fused wrong-result: …".
bool is_wrong(const std::string& failure) {
  const std::string outcome = " " + std::string(name_of(Outcome::kWrongResult)) + ":";
  const std::size_t after_plan = failure.find(' ');
  return after_plan != std::string::npos && failure.compare(after_plan, outcome.size(), outcome) == 0;
}

std::vector<std::pair<const DeviceInfo*, std::string>> devices_in_order(const ExecutionDevices& devices,
                                                                        const Selection& selection) {
  std::vector<std::pair<const DeviceInfo*, std::string>> order;
  const auto add = [&](const std::string& id, const std::string& why) {
    const auto device = std::find_if(devices.all.begin(), devices.all.end(), [&](const DeviceInfo& each) { return each.id == id; });
    const bool known = std::any_of(order.begin(), order.end(), [&](const auto& each) { return each.first->id == id; });
    if (device != devices.all.end() && !known) order.emplace_back(&*device, why);
  };
  if (selection.chosen) add(selection.estimates[*selection.chosen].device_id, selection.reason);
  for (const DeviceEstimate& estimate : selection.estimates)
    add(estimate.device_id, std::string(name_of(estimate.source)) + " " + format_duration({estimate.ns}));
  for (const DeviceInfo& device : devices.all) add(device.id, "nothing is known of it there");
  std::stable_partition(order.begin(), order.end(), [&](const auto& each) { return devices.is_asked(each.first->id); });
  return order;
}

// Takes plans in the order in which they would be tried, and puts those that failed aside.
class Sorter {
 public:
  Sorter(const Piece& piece, const CompareRow* row, const ExecutionDevices& devices)
      : piece_(piece), row_(row), devices_(devices) {}

  void add(ExecutionCandidate candidate) {
    const CompareCell* const cell = cell_on(row_, candidate.device);
    const std::string failure = stored_failure(cell, candidate.kind);
    const Drawbacks withheld = withheld_for(cell, candidate.kind);
    const bool is_given = devices_.config_given && choice_.order.empty();
    if ((failure.empty() && withheld.empty()) || is_given) {
      choice_.order.push_back(std::move(candidate));
      return;
    }
    const std::string text = candidate.text(piece_.is_single());
    const std::string why = withheld.empty() ? "it failed when it was measured: " + failure : why_withheld(withheld);
    reasons_ += (reasons_.empty() ? "" : "; ") + text + ": " + why;
    if (choice_.order.empty()) choice_.passed_over.push_back({piece_.operation.name, text, "", why});
    if (!withheld.empty()) return;
    if (is_wrong(failure) && !(devices_.by_name && devices_.is_asked(candidate.device.id))) return;
    candidate.why = "nothing else is left, although " + why;
    failed_.push_back(std::move(candidate));
  }

  Result<ExecutionChoice> finish() {
    choice_.order.insert(choice_.order.end(), failed_.begin(), failed_.end());
    if (choice_.order.empty() && !reasons_.empty())
      return Error{ErrorCode::kUnavailable, "'" + piece_.operation.name + "' could be run nowhere: " + reasons_};
    for (Degradation& each : choice_.passed_over) each.to = choice_.order.front().text(piece_.is_single());
    std::erase_if(choice_.passed_over, [](const Degradation& each) { return each.from == each.to; });  // it runs after all
    return std::move(choice_);
  }

 private:
  const Piece& piece_;
  const CompareRow* row_;
  const ExecutionDevices& devices_;
  ExecutionChoice choice_;
  std::vector<ExecutionCandidate> failed_;
  std::string reasons_;
};

}  // namespace

Result<ExecutionChoice> candidates_for(const Piece& piece, const CompareRow* row, const ExecutionDevices& devices,
                                       const Selection& selection) {
  Sorter sorter(piece, row, devices);
  const auto order = devices_in_order(devices, selection);
  for (const auto& [device, why] : order) {
    ExecutionCandidate candidate = first_plan(cell_on(row, *device), *device);
    candidate.why = why;
    sorter.add(std::move(candidate));
  }
  for (const auto& [device, why] : order) {
    if (piece.is_single()) break;
    const PlanKind first = first_plan(cell_on(row, *device), *device).kind;
    sorter.add({*device, first == PlanKind::kFused ? PlanKind::kUnfused : PlanKind::kFused, "", "the other plan"});
  }
  return sorter.finish();
}

}  // namespace fuselab::engine
