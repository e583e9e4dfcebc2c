// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/backend/discovery.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Returns the devices that were measured in the environment of now, as the database knows them. No backend is asked for them.
std::vector<BackendReport> stored_backends(const Catalog& catalog);

// Backend reports completed from the database. A backend that cannot be used any more (its compiler is gone) still has stored
// figures, so each such backend gets the devices that were measured in the environment of now. `why` says why their figures cannot
// be checked.
struct StoredDevices {
  std::vector<BackendReport> backends;
  std::vector<DeviceInfo> unchecked;  // the added devices
  std::string why;                    // one sentence; empty when none was added
  bool only_stored = false;           // no backend was asked: see only_stored_devices()
};
StoredDevices with_stored_devices(std::vector<BackendReport> backends, const Catalog& catalog);

// Returns the same of these backends without a report of any, since `writer` measures and probing would wait for it.
StoredDevices only_stored_devices(const std::vector<std::string>& backend_ids, const std::string& writer, const Catalog& catalog);

}  // namespace fuselab::engine
