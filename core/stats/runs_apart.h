// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stats/comparison.h"

// Compares two runs that were measured at different times. Nothing was interleaved, so the change of the machine between them
// cannot be found in any one kernel's samples. It is found in the kernels that are the very same in both runs: they differ by the
// machine's change, and their scatter tells how far a kernel differs without having changed. Each device drifts by itself, and so
// does each state of the caches: a kernel is compared with the unchanged ones of its own stratum only.
namespace fuselab {

// The figures of one kernel. Its question (piece, device, metric) is the same in both runs; its code may differ.
struct TimedApart {
  double before_ns = 0, after_ns = 0;  // medians
  bool same_kernel = false;            // same identity and configuration
  bool same_machine = true;            // false: the kernel cannot be judged
  std::string stratum;                 // group that drifts together, "cuda:0, warm"; named in reasons. Empty: all are one group
};

struct RunsApartRule {
  double margin = 0.01;           // share of the time before up to which changes do not matter, as in the gate
  double alpha = 0.01;            // chance that an interval misses the change, as in the gate
  double false_discovery = 0.01;  // share of wrong ones among the changes that are called, as in the gate
  int least_controls = 5;         // unchanged kernels of a stratum; with fewer the scatter is not known
};

struct ApartResult {
  Verdict verdict = Verdict::kInconclusive;
  double ratio = 1;                     // after over before, as measured
  std::optional<double> without_drift;  // ratio over that of the unchanged kernels of its stratum; none without enough of them
  Interval interval;                    // of without_drift; from 0 to infinity where nothing can be said
  double q_value = 1;                   // Benjamini and Hochberg over the changed kernels of all strata
  std::string reason;                   // why nothing can be said; else empty
};

// The drift of the unchanged kernels of one stratum.
struct StratumDrift {
  std::string stratum;
  int controls = 0;      // kernels that are the very same in both
  bool enough = false;   // there are enough controls; else the drift judges nothing
  double drift = 1;      // their ratio after over before: the geometric mean; 1 without any
  double deviation = 0;  // deviation of the logarithm of one of their ratios; 0 below two
};

struct RunsApart {
  std::vector<StratumDrift> strata;  // strata that have a kernel on the same machine, in order of appearance
  std::vector<ApartResult> kernels;  // as many as were given, in order
};

// Judges all kernels. With n controls of a stratum, of mean m and standard deviation s, the log-ratio of one more kernel that did
// not change lies in
//   m ± t(n-1, 1-alpha/2) s sqrt(1 + 1/n)
// (the prediction interval of normal values: Hahn, Meeker, Statistical Intervals, 1991, section 4.7), so its own change lies within
// the same distance of its log-ratio less m. A change is called where that interval lies beyond the margin and the change stands
// among all that changed; the very same kernel is `same`. Small kernels scatter more than large ones; the stratum's common scatter
// is used for all.
// Fails with kInvalidArgument for times that no clock gives.
Result<RunsApart> compare_runs_apart(std::span<const TimedApart> kernels, const RunsApartRule& rule = {});

}  // namespace fuselab
