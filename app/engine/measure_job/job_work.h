// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"

namespace fuselab::engine {

// What is left to do on one device of a job.
struct DeviceWork {
  std::string device;
  bool ceilings = false;  // none is stored for its environment
  int figures = 0;        // pieces without first figures
  int searches = 0;       // the piece's kernel, and each of its operators alone
  int confirm = 0;        // pieces that this device is or may be recommended for, and whose plan is not confirmed
  int compare = 0;        // of them: fused and unfused plans differ, and were not compared in fresh processes
  int cold = 0;           // pieces without cold figures
};

// What is left to do in a job.
struct JobWork {
  std::vector<std::string> models;
  std::vector<DeviceWork> devices;  // the first one is the first to be measured
  int whole_models = 0;             // pairs of a model and a device that takes it as one graph
  int pieces = 0, pairs = 0, stored_pairs = 0;
};

// Returns whether a search of the piece on the device would add nothing to what is stored.
using IsSearched = std::function<bool(const CompareRow& row, const CompareCell& cell)>;

// Reads it from the job's tables as they stand before it begins. `devices`: those of the job, in its order; others are not counted.
// What is measured again counts as not measured.
JobWork work_of(const JobSpec& spec, const std::vector<CompareTable>& tables, const std::vector<std::string>& devices,
                const IsSearched& is_searched);

}  // namespace fuselab::engine
