// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/cold_flush.h"

namespace fuselab::worker {

Status ColdFlush::flush() {
  auto* const caches = dynamic_cast<CacheControl*>(&runtime_);
  if (caches == nullptr) return Error{ErrorCode::kUnsupported, "this device's caches cannot be flushed: no cold timings"};
  if (is_visible() && !marker_) marker_.emplace();
  if (marker_) marker_->mark();
  FL_TRY_VOID(caches->flush_caches());
  if (marker_) marker_->look();
  return {};
}

bool ColdFlush::is_visible() const {
  return runtime_.info().type == "cpu" && can_empty_caches();
}

ColdState ColdFlush::state_after(const std::function<Result<Timing>()>& others) const {
  constexpr int kLooks = 3;
  ColdMarker marker;
  for (int i = 0; i < kLooks; ++i) {
    marker.mark();
    const auto ran = others();
    if (!ran.ok()) return cold_unverified("when it was launched again to see it: " + ran.error().message);
    marker.look();
  }
  return judge_cold(marker.reads(), "a turn of the buffers");
}

ColdState ColdFlush::state() const {
  if (marker_) return judge_cold(marker_->reads());
  return cold_unverified(runtime_.info().type == "cpu"
                             ? "how to empty lines of this CPU's caches by address is not known"
                             : "what " + runtime_.info().id + " has in its caches is not seen from the host");
}

}  // namespace fuselab::worker
