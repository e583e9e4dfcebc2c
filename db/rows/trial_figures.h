// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/measure/plan.h"

namespace fuselab::db {

// Median and 95 % interval of a trial, nanoseconds; all 0 for an outcome that has no figure.
struct TrialFigures {
  double median_ns = 0, low_ns = 0, high_ns = 0;
};

// What the samples say. Readers believe this and not the columns of the same names, by which rows are only sorted: a column is
// quickly edited.
TrialFigures figures_of(Outcome outcome, std::span<const double> samples);

// The same but for rounding.
bool agree(const TrialFigures& a, const TrialFigures& b);

// Whether an outcome is a figure, which needs samples.
bool has_figure(Outcome outcome);

}  // namespace fuselab::db
