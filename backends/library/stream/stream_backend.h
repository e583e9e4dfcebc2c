// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/gpu/guests/guest_devices.h"
#include "backends/library/stream/stream_library.h"
#include "core/backend/backend.h"

namespace fuselab::library {

// Writes into a lent device the library that computes on it: the name, the target and the identity are then the library's.
void describe_guest(const LibraryFacts& facts, DeviceInfo& info);

// Opens a library for devices of this kind; `device` is the first of them, as its own stack shows it.
using OpenStreamLibrary = std::function<Result<std::shared_ptr<StreamLibrary>>(std::shared_ptr<const gpu::stream::Driver> driver,
                                                                               const DeviceInfo& device)>;

// Makes the backend of a library that computes whole graphs on another stack's devices. The driver is asked first: without a device
// the library is not opened. Constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_stream_library_backend(std::string id, gpu::Lender lender, OpenStreamLibrary open);

}  // namespace fuselab::library
