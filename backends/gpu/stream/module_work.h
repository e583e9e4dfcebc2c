// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/gpu/stream/stream_work.h"

namespace fuselab::gpu::stream {

// Loads the modules that the vendor's compiler makes. Fails with kUnsupported and the reason where a kernel would not run.
WorkLoader module_loader(const Vendor& vendor);

}  // namespace fuselab::gpu::stream
