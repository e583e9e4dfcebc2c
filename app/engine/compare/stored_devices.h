// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/backend/discovery.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// What is stored can be read where a backend cannot be used any more (its compiler is gone): these reports with the devices that
// were measured in the environment that is now, for each backend that is not usable, and why their figures cannot be checked.
struct StoredDevices {
  std::vector<BackendReport> backends;
  std::vector<DeviceInfo> unchecked;  // those that were added
  std::string why;                    // one sentence; empty when none was
};
StoredDevices with_stored_devices(std::vector<BackendReport> backends, const Catalog& catalog);

}  // namespace fuselab::engine
