// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/gate/check_report.h"

// Texts about a case that every report shares. Each is one plain line, so that names from outside cannot move a cursor or end the
// line; each format still escapes them in its own way.
namespace fuselab::reports {

// The severity with which a case is reported.
enum class Attention { kError, kWarning, kNotice, kNone };
Attention attention_for(CaseState state);

std::string title_of(const CaseOutcome& outcome);            // "softmax on cpu:0"
std::string ratio_text(const ComparisonResult& comparison);  // "1.043x [1.032, 1.055]"
std::string percent_text(double share);                      // "3.2 %"; "? %" for NaN
// Returns "margin 1 %, detect 5 %"; without the second where a record has none.
std::string margin_text(const CaseOutcome& outcome);
// Returns "drill +5 %, null control"; empty: neither.
std::string mark_text(const CaseOutcome& outcome);
// Returns "variance: 70 % within blocks, 10 % between blocks, 20 % between processes"; empty: not known. A command's blocks are
// what processes are among kernels.
std::string variance_text(const CaseOutcome& outcome);
// Returns "changes from 3.2 % are seen", or that there were too few processes to say.
std::string detectable_text(const ComparisonResult& comparison);
std::string sample_text(const CaseOutcome& outcome);    // "120 pairs in 12 processes, 2 more discarded"
std::string times_text(const CaseOutcome& outcome);     // "41.2 µs -> 43 µs"; empty where nothing was measured
std::string baseline_text(const CaseOutcome& outcome);  // "paired baseline: main.baseline of 2026-11-20, commit 1a2b3c4, device …"

// Returns everything but the name: "1.043x the baseline's time [1.032, 1.055], margin 1 %; confirmed …; tuned: threads=2; paired
// baseline: …, in threads=1". Without a comparison, the reason why there is none.
std::string finding_of(const CaseOutcome& outcome);

std::string totals_of(const CheckReport& report);   // "12 cases: 2 regressed, 1 wrong result, …"
std::string spent_text(const CheckReport& report);  // "16.5 s of kernel time in 61.2 s"
// Returns how often comparisons on this machine raise a false alarm, or that this was not measured.
std::string false_alarms_text(const CheckReport& report);
// Returns tool, commit and start, where they are known: "Fuselab 0.1.0, commit 9f8e7d6c5b4a, 2026-11-22T17:05:00Z".
std::string origin_text(const CheckReport& report);

// Returns the first `most` bytes of a plain text, cut between characters and marked with "…" where something is missing.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace fuselab::reports
