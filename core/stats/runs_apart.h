// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/stats/comparison.h"

// Two runs that were measured at different times. Nothing was interleaved, so how much the machine itself changed between them is
// not in any one kernel's samples. It is in the kernels that are the very same in both runs: whatever they differ by is the
// machine, and how they scatter says how far a kernel differs without having changed. Each device drifts by itself, and so does
// each state of the caches: a kernel is held against the unchanged ones of its own stratum alone.
namespace fuselab {

// One kernel's figures: its question (piece, device, metric) is the same in both runs, its code need not be.
struct TimedApart {
  double before_ns = 0, after_ns = 0;  // medians
  bool same_kernel = false;            // identity and configuration
  bool same_machine = true;            // else nothing can be said of the kernel
  std::string stratum;                 // what drifts as one, "cuda:0, warm"; reasons name it. Empty: all are one
};

struct RunsApartRule {
  double margin = 0.01;           // of the time before, as the gate's; changes up to it do not matter
  double alpha = 0.01;            // the chance that an interval misses what the change is, as the gate's
  double false_discovery = 0.01;  // the share of wrong ones among the changes that are called, as the gate's
  int least_controls = 5;         // of a stratum; as the gate's processes: fewer do not tell the scatter
};

struct ApartResult {
  Verdict verdict = Verdict::kInconclusive;
  double ratio = 1;                     // after over before, as measured
  std::optional<double> without_drift;  // over what the unchanged kernels of its stratum did meanwhile; none without enough of them
  Interval interval;                    // of without_drift; from 0 to infinity where nothing can be said
  double q_value = 1;                   // Benjamini and Hochberg over the kernels that changed, of all strata
  std::string reason;                   // why nothing can be said; else empty
};

// What the unchanged kernels of one stratum did.
struct StratumDrift {
  std::string stratum;
  int controls = 0;      // kernels that are the very same in both
  bool enough = false;   // of them: else its drift judges nothing
  double drift = 1;      // what they did, after over before: the geometric mean; 1 without any
  double deviation = 0;  // of the logarithm of one of their ratios; 0 below two
};

struct RunsApart {
  std::vector<StratumDrift> strata;  // that have a kernel on the same machine, in order of appearance
  std::vector<ApartResult> kernels;  // as many as were given, in order
};

// With n controls of a stratum, of mean m and standard deviation s, the log-ratio of one more kernel that did not change lies in
//   m ± t(n-1, 1-alpha/2) s sqrt(1 + 1/n)
// (the prediction interval of normal values: Hahn, Meeker, Statistical Intervals, 1991, section 4.7), so its own change lies as far
// around its log-ratio less m. A change is called where that interval lies beyond the margin and stands among all that changed;
// the very same kernel is `same`. Small kernels scatter more than large ones; the stratum's common scatter is taken for all.
// kInvalidArgument for times that no clock gives.
Result<RunsApart> compare_runs_apart(std::span<const TimedApart> kernels, const RunsApartRule& rule = {});

}  // namespace fuselab
