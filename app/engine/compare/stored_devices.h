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
};
StoredDevices with_stored_devices(std::vector<BackendReport> backends, const Catalog& catalog);

}  // namespace fuselab::engine
