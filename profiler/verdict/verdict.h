// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/cost/cost.h"
#include "core/graph/graph.h"
#include "core/profile/profile.h"

namespace fuselab::profile {

// The facts that rules look at. All references outlive the call.
struct Facts {
  const Graph& graph;
  const Cost& cost;
  double measured_ns = 0;  // 0: not known
  const Standing& standing;
  const CodeReport& code;
  const CounterSet& counters;
  const Sweep& sweep;
  std::span<const KernelReport> kernels = {};  // of a device that is no processor
};

// Decides what a plan's time is spent waiting for: every rule says what share of the time it explains and from which evidence; the
// largest share is the verdict, and how sure it is follows from how much it explains and on how many kinds of evidence it rests.
BoundVerdict judge(const Facts& facts);

}  // namespace fuselab::profile
