// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/gate/selftest/selftest_record.h"
#include "core/stats/error_rate.h"

namespace fuselab::engine {

// What the gate would have said of suites of unchanged kernels, made up of a self-test's comparisons of identical sides.
struct SuiteRates {
  int suites = 0;
  int comparisons = 0;           // in each suite
  int sessions = 0;              // that suites are drawn from
  int of_session = 0;            // comparisons in a session, at most: a slice's last holds what is left
  double sessions_of_suite = 0;  // sessions that a suite takes: its comparisons by the mean of a session, or as many as were drawn
  ErrorRate red;                 // a confirmed regression stands in it; the bound is that of drawing so many suites
  ErrorRate undecided;           // not red, and some comparison of it was inconclusive or found the machine unfit
  ErrorRate red_sessions;        // turn a suite red by themselves, though all else in it were equivalent
  // How many other suites than the record's own are red by one session alone: sessions_of_suite of them, each as often as the bound
  // of red_sessions. Suites that several sessions turn red together are beside it.
  double red_bound_of_record = 1;
};

// Draws `suites` suites with replacement, whole sessions at a time: runs of consecutive comparisons of one slice, which share what
// the machine did then. Each is judged as the gate judges: confirmation in processes of its own, Benjamini and Hochberg over the
// suite. kInvalidArgument for a record with fewer comparisons of identical sides than a suite has. Seeded.
Result<SuiteRates> resample_suites(const StoredSelftest& stored, int suites, std::uint64_t seed);

}  // namespace fuselab::engine
