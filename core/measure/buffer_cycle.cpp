// SPDX-License-Identifier: Apache-2.0
#include "core/measure/buffer_cycle.h"

#include <algorithm>

namespace fuselab {

Bytes rotated_bytes(const Cost& cost) {
  constexpr std::int64_t kHardlyAnything = 16;
  return cost.read.count < cost.ideal().count / kHardlyAnything ? cost.ideal() : cost.read;
}

Result<BufferCycle> BufferCycle::beyond(Bytes touched, Bytes caches) {
  if (caches.count <= 0) {
    return Error{ErrorCode::kUnsupported, "how much this device's last cache holds is not known: no rotating timings"};
  }
  const std::int64_t wanted = kCacheFactor * caches.count;
  const std::int64_t sets = touched.count > 0 ? (wanted + touched.count - 1) / touched.count : wanted;
  if (sets > kMost) {
    return Error{ErrorCode::kUnsupported, "a run has " + format_bytes(touched) + " of operands: even " + std::to_string(kMost) +
                                              " sets of buffers would stay below " + format_bytes({wanted}) +
                                              ", twice the last cache, so rotating timings would be warm; cold ones are not"};
  }
  return BufferCycle(std::max(kFewest, static_cast<int>(sets)));
}

int BufferCycle::fitting(int runs) const {
  return runs <= sets_ ? runs : (runs + sets_ - 1) / sets_ * sets_;
}

int BufferCycle::take(int runs) {
  const int first = next_;
  next_ = (next_ + runs) % sets_;
  return first;
}

}  // namespace fuselab
