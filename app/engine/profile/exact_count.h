// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/compiled_kernel.h"
#include "core/profile/metric.h"

namespace fuselab::engine {

inline constexpr int kExactCollectorVersion = 1;

// Counts the instructions of one launch of each kernel under valgrind's callgrind, found in $PATH: a small program, compiled for
// this by the C compiler that is found there, calls the kernel as a launch does, on one thread and on zeros. The count is the same
// each time, whatever else the machine does. Returns the sum as the metric `name`, or the reason why there is none.
Metric count_instructions(const std::vector<CompiledKernel>& kernels, std::string name, const std::stop_token& stop);

// Reads "==7== Collected : 123456" from callgrind's log; nothing where it is not there.
std::optional<double> read_callgrind_count(std::string_view log);

}  // namespace fuselab::engine
