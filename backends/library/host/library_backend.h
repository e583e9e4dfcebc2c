// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "core/backend/backend.h"

namespace fuselab::library {

using OpenHostLibrary = std::function<Result<std::shared_ptr<HostLibrary>>()>;

// Makes the backend of a library that computes whole graphs on this machine's processor. `open` is called on first use:
// constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_library_backend(std::string id, OpenHostLibrary open);

}  // namespace fuselab::library
