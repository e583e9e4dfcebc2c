// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/session/gate/selftest_record.h"
#include "core/compare/error_rate.h"

namespace fuselab::session {

// What the gate would have said of suites of unchanged kernels, made up of a self-test's comparisons of identical sides.
struct SuiteRates {
  int suites = 0;
  int comparisons = 0;     // in each suite
  int sessions = 0;        // that suites are drawn from
  int of_session = 0;      // comparisons in a session, at most
  ErrorRate red;           // a confirmed regression stands in it; the bound is that of drawing so many suites
  ErrorRate undecided;     // not red, and some comparison of it was inconclusive or found the machine unfit
  ErrorRate red_sessions;  // hold a comparison that turns a suite red by itself
  // What the record says of other suites than its own: that many sessions, each red as often as the bound of red_sessions.
  double red_bound_of_record = 1;
};

// Draws `suites` suites with replacement, whole sessions at a time: runs of consecutive comparisons of one slice, which share what
// the machine did then. Each is judged as the gate judges: confirmation in processes of its own, Benjamini and Hochberg over the
// suite. kInvalidArgument for a record with fewer comparisons of identical sides than a suite has. Seeded.
Result<SuiteRates> resample_suites(const StoredSelftest& stored, int suites, std::uint64_t seed);

}  // namespace fuselab::session
