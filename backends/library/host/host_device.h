// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/graph_library.h"

namespace fuselab::library {

// Returns this machine's processor as the library drives it: mkl:0. Its target holds the library's version and its settings.
DeviceInfo describe_device(const LibraryFacts& facts);

}  // namespace fuselab::library
