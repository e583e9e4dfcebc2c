// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/fuse_statistics.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

// The most frequent first; of equally frequent ones in the order of their names.
std::vector<std::pair<std::string, int>> by_count(const std::map<std::string, int>& counts) {
  std::vector<std::pair<std::string, int>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

// Returns how many bytes a block can keep on the device's chip, or 0 if the device has or states no such limit.
std::int64_t on_chip_bytes(const DeviceInfo& device) {
  for (const char* const name : {"shared_optin_bytes", "shared_bytes"}) {
    const auto limit = device.target.limits.find(name);
    if (limit != device.target.limits.end() && limit->second > 0) return limit->second;
  }
  return 0;
}

nlohmann::json branch_json(const BranchCounts& counts) {
  return {{"operators", counts.operators}, {"barriers", counts.barriers}};
}

std::string branch_text(const BranchCounts& counts) {
  const std::string barriers = counts.barriers > 0 ? ", " + counted(counts.barriers, "barrier") + " among them" : "";
  return counted(counts.operators, "operator") + barriers;
}

}  // namespace

std::string import_counts_text(const ImportCounts& imported) {
  std::string text;
  for (const EitherBranch& each : imported.either) {
    text += "  " + plain_line(each.node) + " takes either of two branches: " + branch_text(each.then_branch) + ", or " +
            branch_text(each.else_branch) + "; all of them are counted\n";
  }
  if (imported.loops > 0)
    text += "  " + counted(imported.loops, "loop") + " written out, " + counted(imported.trips, "trip") + "\n";
  std::string folded;
  const auto add = [&folded](int count, const char* one, const char* what) {
    if (count > 0) folded += (folded.empty() ? "  folded: " : ", ") + counted(count, one) + what;
  };
  add(imported.folded_norms, "BatchNormalization", " into the weights before");
  add(imported.folded_weights, "operator", " over weights alone");
  add(imported.folded_constants, "operator", " whose result was known");
  add(imported.passed_on, "operator", " whose result is its operand");
  return folded.empty() ? text : text + folded + "\n";
}

nlohmann::json import_counts_json(const ImportCounts& imported) {
  nlohmann::json either = nlohmann::json::array();
  for (const EitherBranch& each : imported.either)
    either.push_back({{"node", each.node}, {"then", branch_json(each.then_branch)}, {"else", branch_json(each.else_branch)}});
  return {{"either", either},
          {"loops", imported.loops},
          {"trips", imported.trips},
          {"folded_norms", imported.folded_norms},
          {"folded_weights", imported.folded_weights},
          {"folded_constants", imported.folded_constants},
          {"passed_on", imported.passed_on}};
}

std::string statistics_text(const FusionStatistics& statistics) {
  constexpr std::size_t kMostReasons = 10;
  std::string text = "Statistics: " + std::to_string(statistics.fused_operators) + " of " +
                     counted(statistics.operators, "operator") + formatted(" fused (%.0f%%)", 100 * statistics.fused_share()) +
                     " into " + counted(statistics.groups, "group") +
                     formatted(", %.1f operators a group; ", statistics.operators_per_group()) +
                     counted(statistics.pieces, "piece") + " in all; " + counted(statistics.rejected, "pair") + " rejected\n";
  text += import_counts_text(statistics.imported);
  for (const auto& [pattern, count] : by_count(statistics.groups_by_pattern)) text += formatted("  %4d  ", count) + pattern + "\n";
  for (const auto& [backend, count] : by_count(statistics.rejected_by_backend))
    text += formatted("  %4d  ", count) + "rejected by a limit of " + backend + "\n";
  const auto reasons = by_count(statistics.rejected_by_reason);
  for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
    text += formatted("  %4d  ", reasons[i].second) + "rejected: " + plain_line(reasons[i].first) + "\n";
  if (reasons.size() > kMostReasons) text += "        and " + counted(std::ssize(reasons) - 10, "other reason") + "\n";
  return text;
}

nlohmann::json statistics_json(const FusionStatistics& statistics) {
  return {{"operators", statistics.operators},
          {"fused_operators", statistics.fused_operators},
          {"fused_share", statistics.fused_share()},
          {"groups", statistics.groups},
          {"operators_per_group", statistics.operators_per_group()},
          {"pieces", statistics.pieces},
          {"rejected", statistics.rejected},
          {"groups_by_pattern", statistics.groups_by_pattern},
          {"rejected_by_reason", statistics.rejected_by_reason},
          {"rejected_by_backend", statistics.rejected_by_backend},
          {"imported", import_counts_json(statistics.imported)},
          {"started_unix_seconds", statistics.started_unix_seconds},
          {"seconds", statistics.seconds}};
}

std::vector<PieceFinding> findings_of(const FusionResult& fusion, const std::vector<DeviceInfo>& asked) {
  std::vector<PieceFinding> all;
  FusionLimits limits;
  limits.shared_memory_bytes = 0;
  for (const DeviceInfo& device : asked) {
    const std::int64_t bytes = on_chip_bytes(device);
    const bool least = limits.shared_memory_bytes == 0 || bytes < limits.shared_memory_bytes;
    if (bytes > 0 && least) limits.shared_memory_bytes = bytes;
  }
  for (const FusedOperation& piece : deduplicate(fusion.operations)) {
    for (FusionValidation::Finding& finding : validate(piece, limits).findings) all.push_back({piece.name, std::move(finding)});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.finding.is_error > b.finding.is_error; });
  return all;
}

std::string findings_text(const std::vector<PieceFinding>& findings) {
  constexpr std::size_t kMost = 10;
  const auto errors = std::count_if(findings.begin(), findings.end(), [](const auto& each) { return each.finding.is_error; });
  std::string text = "Validated: " + counted(errors, "error") + ", " + counted(std::ssize(findings) - errors, "warning") + "\n";
  for (std::size_t i = 0; i < std::min(kMost, findings.size()); ++i) {
    const FusionValidation::Finding& finding = findings[i].finding;
    text += std::string("  ") + (finding.is_error ? "error, " : "warning, ") + std::string(name_of(finding.constraint)) + ": " +
            plain_line(findings[i].piece + ": " + finding.text) + "\n";
  }
  if (findings.size() > kMost) text += "  and " + std::to_string(findings.size() - kMost) + " more\n";
  return text;
}

nlohmann::json findings_json(const std::vector<PieceFinding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const PieceFinding& each : findings) {
    list.push_back({{"piece", each.piece},
                    {"severity", each.finding.is_error ? "error" : "warning"},
                    {"constraint", std::string(name_of(each.finding.constraint))},
                    {"text", each.finding.text}});
  }
  return list;
}

std::string verification_text(const FusionVerification& verification) {
  std::string text = "Verified: ";
  if (verification.test_cases == 0) {
    text += "nothing, no piece of several operators was tried";
  } else {
    text += counted(verification.pieces, "distinct piece") + " against their operators one by one, " +
            counted(verification.test_cases, "case") +
            formatted(": largest error %.3g, mean %.3g, at most %.2g of what is tolerated", verification.max_error,
                      verification.mean_error, verification.worst_ratio);
  }
  if (!verification.passed) text += "; WRONG: " + plain_line(verification.detail);
  if (verification.left_out > 0)
    text += "; " + counted(verification.left_out, "piece") + " left out, the first is " + plain_line(verification.why_left_out);
  return text + "\n";
}

nlohmann::json verification_json(const FusionVerification& verification) {
  return {
      {"passed", verification.passed},       {"pieces", verification.pieces},         {"test_cases", verification.test_cases},
      {"max_error", verification.max_error}, {"mean_error", verification.mean_error}, {"worst_ratio", verification.worst_ratio},
      {"detail", verification.detail},       {"left_out", verification.left_out},     {"why_left_out", verification.why_left_out}};
}

}  // namespace fuselab::cli
