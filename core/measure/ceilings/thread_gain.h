// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/measure/ceilings/ceiling.h"

namespace fuselab {

// The arithmetic rate of all threads of a processor beside that of one.
struct ThreadGain {
  int threads = 0;
  double all_per_second = 0, one_per_second = 0;  // FLOPs

  // Two processors that compute no faster than one are one core's two threads, or share their time with other load.
  bool is_lost() const { return all_per_second < 1.3 * one_per_second; }
};

// Returns it from measured ceilings in f32, the highest of each; nothing where they are of one thread only.
std::optional<ThreadGain> thread_gain(const std::vector<Ceiling>& rows);

}  // namespace fuselab
