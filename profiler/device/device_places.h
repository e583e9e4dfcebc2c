// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/profile/code_report.h"
#include "core/profile/device_timeline.h"
#include "core/profile/metric.h"

namespace fuselab::profile {

// Join samples to the instructions of a report, by step, function and address. A place that is none of them is left out.
std::vector<CodeHit> hits_of(const DeviceSamples& samples, const CodeReport& report);
// Gives places without a line that of the report's instruction.
void add_lines(DeviceSamples& samples, const CodeReport& report);

}  // namespace fuselab::profile
