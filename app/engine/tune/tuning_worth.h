// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// A search is taken to make a piece at most this many times as fast as its default configuration.
inline constexpr double kTuningWinsAtMost = 4;

// What tuning a piece on one device can win for the model.
struct TuningWorth {
  double ns = 0;         // all uses of the piece; 0 also where nothing is known
  std::string given_up;  // why it can win nothing: another device is faster than tuning could make this one
};

// Compares the best figure of the row with the least time that tuning could reach on the device: its ideal, and no less than its
// present best plan over kTuningWinsAtMost. The device that is the fastest is never given up, nor is one without a figure.
TuningWorth tuning_worth(const CompareRow& row, const std::string& device_id);

}  // namespace fuselab::engine
