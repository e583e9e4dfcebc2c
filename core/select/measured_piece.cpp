// SPDX-License-Identifier: Apache-2.0
#include "core/select/measured_piece.h"

#include <algorithm>

namespace fuselab {

const TimeOnDevice* time_on(const MeasuredPiece& piece, std::string_view device_id) {
  const auto found =
      std::find_if(piece.times.begin(), piece.times.end(), [&](const TimeOnDevice& time) { return time.device_id == device_id; });
  return found == piece.times.end() || found->ns <= 0 ? nullptr : &*found;
}

const TimeOnDevice* fastest_of(const MeasuredPiece& piece) {
  const TimeOnDevice* fastest = nullptr;
  for (const TimeOnDevice& time : piece.times) {
    if (is_choosable(time) && (fastest == nullptr || time.ns < fastest->ns)) fastest = &time;
  }
  return fastest;
}

bool is_within_noise(const MeasuredPiece& piece) {
  const TimeOnDevice* const fastest = fastest_of(piece);
  return std::any_of(piece.times.begin(), piece.times.end(), [&](const TimeOnDevice& time) {
    return is_choosable(time) && time.device_id != fastest->device_id && time.interval.low <= fastest->interval.high;
  });
}

}  // namespace fuselab
