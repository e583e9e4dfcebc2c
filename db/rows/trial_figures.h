// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/measure/plan.h"

namespace fuselab::db {

// Median and 95 % interval of a trial, nanoseconds; all 0 for an outcome that has no figure.
struct TrialFigures {
  double median_ns = 0, low_ns = 0, high_ns = 0;
};

// Computes the figures from the samples. Readers use these and not the columns of the same names, by which rows are only sorted: a
// column is easily edited.
TrialFigures figures_of(Outcome outcome, std::span<const double> samples);

// Returns true when the figures are equal except for rounding.
bool agree(const TrialFigures& a, const TrialFigures& b);

// Returns true when an outcome has a figure, which needs samples.
bool has_figure(Outcome outcome);

}  // namespace fuselab::db
