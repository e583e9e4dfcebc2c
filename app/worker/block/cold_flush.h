// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "app/worker/block/cold_marker.h"
#include "core/backend/device_runtime.h"
#include "core/measure/cold_state.h"

namespace fuselab::worker {

// Empties a device's caches before its cold samples, and looks each time whether it did where its caches are this processor's. The
// lines it looks at are its own: nothing that is timed is touched. One thread.
class ColdFlush {
 public:
  explicit ColdFlush(DeviceRuntime& runtime) : runtime_(runtime) {}

  // kUnsupported where the device cannot.
  Status flush();
  // Of all that was emptied so far.
  ColdState state() const;

  // Whether its caches are this processor's, and can be looked into.
  bool is_visible() const;
  // Of launches on other buffers in place of emptying, three times; only where it is visible.
  ColdState state_after(const std::function<Result<Timing>()>& others) const;

 private:
  DeviceRuntime& runtime_;
  std::optional<ColdMarker> marker_;  // made when it is needed first
};

}  // namespace fuselab::worker
