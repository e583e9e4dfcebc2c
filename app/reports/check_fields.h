// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/gate/check_report.h"

// Which members the JSON lines have: each list is said once and followed by the writer and by the reader, so that the two cannot
// drift apart. `amount`: finite and not negative; `bound`: may be infinite; `finite`: of either sign;
// `later`: of a line that was written before there was such a member it is not asked.
namespace fuselab::reports {

template <class Archive, class Baseline>
void visit_baseline(Archive& archive, Baseline& baseline) {
  archive.text("kind", baseline.kind);
  archive.text("origin", baseline.origin);
  archive.text("commit", baseline.commit);
  archive.text("device_uuid", baseline.device_uuid);
  archive.flag("recompiled", baseline.recompiled);
  archive.later_text("note", baseline.note);
  archive.later_flag("other_machine", baseline.other_machine);
  archive.later_text("kernel", baseline.kernel);
  archive.later_text("configuration", baseline.configuration);
}

template <class Archive, class Comparison>
void visit_comparison(Archive& archive, Comparison& comparison) {
  archive.named("verdict", comparison.verdict, parse_verdict);
  archive.amount("ratio", comparison.ratio);
  archive.bound("low", comparison.interval.low);
  archive.bound("high", comparison.interval.high);
  archive.bound("minimum_detectable", comparison.minimum_detectable);
  archive.amount("p_regressed", comparison.p_regressed);
  archive.amount("p_improved", comparison.p_improved);
  archive.count("processes", comparison.processes);
  archive.count("pairs", comparison.pairs);
  archive.amount("within_deviation", comparison.within_deviation);
  archive.amount("between_deviation", comparison.between_deviation);
  archive.amount("spent_ns", comparison.spent.count);
}

template <class Archive, class Outcome>
void visit_outcome(Archive& archive, Outcome& outcome) {
  archive.text("name", outcome.name);
  archive.text("subject", outcome.subject);
  archive.later_text("configuration", outcome.configuration);
  archive.text("device", outcome.device);
  archive.text("backend", outcome.backend);
  archive.text("device_uuid", outcome.device_uuid);
  archive.text("file", outcome.where.file);
  archive.count("line", outcome.where.line);
  archive.named("state", outcome.state, parse_case_state);
  archive.text("reason", outcome.reason);
  archive.object("baseline", outcome.baseline, [](auto& a, auto& value) { visit_baseline(a, value); });
  archive.amount("margin", outcome.margin);
  archive.object("comparison", outcome.comparison, [](auto& a, auto& value) { visit_comparison(a, value); });
  archive.object("confirmation", outcome.confirmation, [](auto& a, auto& value) { visit_comparison(a, value); });
  archive.amount("q_value", outcome.q_value);
  archive.amount("baseline_ns", outcome.baseline_ns);
  archive.amount("candidate_ns", outcome.candidate_ns);
  archive.text("reference", outcome.reference);
  archive.amount("reference_ns", outcome.reference_ns);
  archive.count("disturbed", outcome.disturbed);
  archive.amount("wall_s", outcome.wall_seconds);
  archive.text("reproduce", outcome.reproduce);
  archive.series("log_ratios", outcome.log_ratios);
}

template <class Archive, class Rate>
void visit_rate(Archive& archive, Rate& rate) {
  archive.count("events", rate.events);
  archive.count("trials", rate.trials);
}

template <class Archive, class Found>
void visit_found(Archive& archive, Found& found) {
  archive.amount("slowdown", found.slowdown);
  visit_rate(archive, found.found);
}

template <class Archive, class Note>
void visit_selftest(Archive& archive, Note& note) {
  archive.text("of", note.of);
  archive.list("power", note.power, [](auto& a, auto& value) { visit_found(a, value); });
}

template <class Archive, class Report>
void visit_run(Archive& archive, Report& report) {
  archive.text("version", report.tool_version);
  archive.text("commit", report.commit);
  archive.text("started_at", report.started_at);
  archive.pairs("environment", report.environment);
  archive.object("false_alarms", report.false_alarms, [](auto& a, auto& value) { visit_rate(a, value); });
  archive.object("selftest", report.selftest, [](auto& a, auto& value) { visit_selftest(a, value); });
  archive.amount("kernel_s", report.kernel_seconds);
  archive.amount("wall_s", report.wall_seconds);
  archive.count("exit", report.exit_code);
  archive.text("reproduce", report.reproduce);
}

}  // namespace fuselab::reports
