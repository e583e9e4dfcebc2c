// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "backends/native/threads/thread_pool.h"
#include "core/stats/statistics.h"

namespace fuselab::cpu {

// Returns work per second: samples of `amount` of work each, for about `nanoseconds`, never fewer than a handful.
Summary sample_rate(double amount, double nanoseconds, const std::function<void()>& work);

// Returns the better rate of two runs after one that warms up: enough to leave out what is far slower than something else.
double glimpse_rate(double amount, const std::function<void()>& work);

// Returns the numbers of threads that a limit is measured with: 1, 2, 4 … and all.
std::vector<int> thread_counts(const ThreadPool& pool);

}  // namespace fuselab::cpu
