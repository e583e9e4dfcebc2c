// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/gate/selftest/selftest_record.h"
#include "core/stats/error_rate.h"

namespace fuselab::engine {

// The share of red results the gate would give for suites of unchanged kernels. The suites are put together from a self-test's
// comparisons of identical sides.
struct SuiteRates {
  int suites = 0;
  int comparisons = 0;           // in each suite
  int sessions = 0;              // runs of consecutive comparisons that suites are drawn from
  int of_session = 0;            // comparisons in a session, at most: the last one of a slice holds the rest
  double sessions_of_suite = 0;  // sessions in a suite: its comparisons divided by the mean of a session, or as many as were drawn
  ErrorRate red;                 // suites with a confirmed regression; the bound covers the drawing of so many suites only
  ErrorRate undecided;           // suites that are not red and have a comparison that was inconclusive or found the machine unfit
  ErrorRate red_sessions;        // sessions that turn a suite red by themselves, though all else in it were equivalent
  // Bound on the share of other suites than the record's own that a single session turns red: sessions_of_suite sessions, each red
  // as often as the bound of red_sessions. Suites that only several sessions together turn red are not counted.
  double red_bound_of_record = 1;
};

// Draws `suites` suites with replacement, whole sessions at a time: a session is a run of consecutive comparisons of one slice,
// which share what the machine did then. Each suite is judged as the gate judges: confirmation in processes of its own, Benjamini
// and Hochberg's procedure over the suite. The seed decides the drawing.
// Fails with kInvalidArgument for a record with fewer comparisons of identical sides than a suite has.
Result<SuiteRates> resample_suites(const StoredSelftest& stored, int suites, std::uint64_t seed);

}  // namespace fuselab::engine
