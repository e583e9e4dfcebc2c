// SPDX-License-Identifier: Apache-2.0
#include "core/select/measured_piece.h"

#include <algorithm>

namespace fuselab {

const TimeOnDevice* time_on(const MeasuredPiece& piece, std::string_view device_id) {
  auto const found =
      std::find_if(piece.times.begin(), piece.times.end(), [&](const TimeOnDevice& time) { return time.device_id == device_id; });
  return found == piece.times.end() || found->ns <= 0 ? nullptr : &*found;
}

const TimeOnDevice* fastest_of(const MeasuredPiece& piece) {
  auto const fastest = std::min_element(piece.times.begin(), piece.times.end(),
                                        [](const TimeOnDevice& a, const TimeOnDevice& b) { return a.ns < b.ns; });
  return fastest == piece.times.end() ? nullptr : &*fastest;
}

}  // namespace fuselab
