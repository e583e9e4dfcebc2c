// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/store/result_store.h"

namespace fuselab::testing {

// A trial that a made-up run is to hold.
struct RunKernel {
  int piece = 0;     // 0 … 11
  std::string plan;  // equal names: the same kernel
  double median_ns = 1000;
  bool retimed = false;
  int device = 0;       // 0 or 1
  bool cold = false;    // else warm
  bool search = false;  // by the protocol of a search
};

// One run with all that its trials refer to. `host`: another machine's name where not empty.
StoreBatch run_of_kernels(const std::string& run_id, const std::vector<RunKernel>& kernels, const std::string& host = {});

// Eight kernels of a device that are the very same in each run, `drift` times as slow as at 1, and scattering by a few thousandths.
std::vector<RunKernel> unchanged_kernels(double drift, int device = 0);

}  // namespace fuselab::testing
