// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fields/fields.h"
#include "core/gate/check_report.h"

// The members of the JSON lines.
namespace fuselab {

constexpr auto fields_of(const BaselineUsed*) {
  using fields::field, fields::later;
  return fields::list<BaselineUsed>(field("kind", &BaselineUsed::kind), field("origin", &BaselineUsed::origin),
                                    field("commit", &BaselineUsed::commit), field("device_uuid", &BaselineUsed::device_uuid),
                                    field("recompiled", &BaselineUsed::recompiled), later("note", &BaselineUsed::note),
                                    later("other_machine", &BaselineUsed::other_machine), later("kernel", &BaselineUsed::kernel),
                                    later("configuration", &BaselineUsed::configuration));
}

constexpr auto fields_of(const Interval*) {
  return fields::list<Interval>(fields::bound("low", &Interval::low), fields::bound("high", &Interval::high));
}

constexpr auto fields_of(const ComparisonResult*) {
  using fields::amount;
  using Compared = ComparisonResult;
  return fields::list<Compared>(
      fields::field("verdict", &Compared::verdict, parse_verdict), amount("ratio", &Compared::ratio),
      fields::inlined(&Compared::interval), fields::bound("minimum_detectable", &Compared::minimum_detectable),
      amount("p_regressed", &Compared::p_regressed), amount("p_improved", &Compared::p_improved),
      amount("processes", &Compared::processes), amount("pairs", &Compared::pairs),
      amount("within_deviation", &Compared::within_deviation), fields::later("block_deviation", &Compared::block_deviation),
      amount("between_deviation", &Compared::between_deviation), amount("spent_ns", &Compared::spent));
}

constexpr auto fields_of(const SourceLine*) {
  return fields::list<SourceLine>(fields::field("file", &SourceLine::file), fields::amount("line", &SourceLine::line));
}

constexpr auto fields_of(const CaseOutcome*) {
  using fields::amount, fields::field, fields::later;
  using Case = CaseOutcome;
  return fields::list<Case>(
      field("name", &Case::name), field("subject", &Case::subject), later("configuration", &Case::configuration),
      field("device", &Case::device), field("backend", &Case::backend), field("device_uuid", &Case::device_uuid),
      fields::inlined(&Case::where), field("state", &Case::state, parse_case_state), field("reason", &Case::reason),
      field("baseline", &Case::baseline), amount("margin", &Case::margin), later("detect", &Case::detect),
      fields::rare("drill", &Case::drill), fields::rare("null_control", &Case::null_control),
      field("comparison", &Case::comparison), field("confirmation", &Case::confirmation), amount("q_value", &Case::q_value),
      amount("baseline_ns", &Case::baseline_ns), amount("candidate_ns", &Case::candidate_ns), field("reference", &Case::reference),
      amount("reference_ns", &Case::reference_ns), amount("disturbed", &Case::disturbed), amount("wall_s", &Case::wall_seconds),
      field("reproduce", &Case::reproduce), fields::rare("output", &Case::output), field("log_ratios", &Case::log_ratios));
}

constexpr auto fields_of(const ErrorRate*) {
  return fields::list<ErrorRate>(fields::amount("events", &ErrorRate::events), fields::amount("trials", &ErrorRate::trials));
}

constexpr auto fields_of(const FoundSlowdown*) {
  return fields::list<FoundSlowdown>(fields::amount("slowdown", &FoundSlowdown::slowdown), fields::inlined(&FoundSlowdown::found));
}

constexpr auto fields_of(const SelftestNote*) {
  return fields::list<SelftestNote>(fields::field("of", &SelftestNote::of), fields::field("power", &SelftestNote::power));
}

// The fields of the run's line; each case has a line of its own.
constexpr auto fields_of(const CheckReport*) {
  using fields::amount, fields::field;
  using Report = CheckReport;
  return fields::list<Report>(
      field("version", &Report::tool_version), field("commit", &Report::commit), field("started_at", &Report::started_at),
      field("environment", &Report::environment), field("false_alarms", &Report::false_alarms),
      field("selftest", &Report::selftest), amount("kernel_s", &Report::kernel_seconds), amount("wall_s", &Report::wall_seconds),
      amount("exit", &Report::exit_code), field("reproduce", &Report::reproduce), fields::left_out(&Report::cases));
}

}  // namespace fuselab
