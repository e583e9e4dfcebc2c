// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "app/worker/block/cold_marker.h"
#include "core/backend/device_runtime.h"
#include "core/measure/cold_state.h"

namespace fuselab::worker {

// Empties a device's caches before its cold samples. Where these caches are this processor's, it checks each time whether they were
// emptied, by lines of its own: nothing that is timed is touched. Used by one thread.
class ColdFlush {
 public:
  explicit ColdFlush(DeviceRuntime& runtime) : runtime_(runtime) {}

  // Fails with kUnsupported where the device cannot.
  Status flush();
  // Returns the state after all flushes so far.
  ColdState state() const;

  // Returns whether the device's caches are this processor's and can be checked.
  bool is_visible() const;
  // Returns the state after launches on other buffers instead of a flush, three times; call it only where is_visible().
  ColdState state_after(const std::function<Result<Timing>()>& others) const;

 private:
  DeviceRuntime& runtime_;
  std::optional<ColdMarker> marker_;  // made when it is needed first
};

}  // namespace fuselab::worker
