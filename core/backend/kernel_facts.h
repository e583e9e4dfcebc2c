// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/profile/metric.h"

namespace fuselab {

// Optional ability of an executable: dynamic_cast from Executable. What the driver reports of a kernel that it has loaded.
class KernelFacts {
 public:
  virtual ~KernelFacts() = default;
  // Returns metrics static_* of the vocabulary (core/profile/vocabulary.h); what is not reported has a reason.
  virtual std::vector<Metric> facts() const = 0;
};

}  // namespace fuselab
