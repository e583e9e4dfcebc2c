// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/store/result_store.h"

namespace fuselab::engine {

// Seconds that one step of a job takes on a device: to make its kernels, verify and time them.
struct StepSeconds {
  double figures = 0.5;  // first figures of a piece: one block
  double trial = 0.1;    // one configuration of a search
  double cold = 0.5;
};

// How fast the jobs of a machine are.
struct JobRates {
  double ceilings = 4;  // of one processor or device, all those that the pieces of usual models need
  StepSeconds usual;    // of a device that nothing is known of
  std::map<std::string, StepSeconds> of;
  std::int64_t trials = 0;  // that they rest on: those of blocks whose time counts

  const StepSeconds& on(const std::string& device) const;
};

// Returns the rates that stored trials show: the time between a block and the one of its kind just before it, its mean over the
// blocks of a kind. `rows`: trials of any order; `metrics`: of a catalog. Trials of runs that are not in `runs_here` do not count.
JobRates rates_of(std::vector<TrialRow> rows, const std::vector<std::pair<std::string, MetricIdentity>>& metrics,
                  const std::vector<std::string>& runs_here);

// Returns the rates of this machine by the newest trials of the database; the usual ones where there are none or they cannot be
// read.
JobRates rates_here(ResultQueries& queries, const Catalog& catalog);

}  // namespace fuselab::engine
