// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/wire/messages.h"
#include "core/backend/backend.h"

namespace fuselab::worker {

// Writes the kernel of a graph in its default configuration at reduced extents, runs it on the backend's emulator with two orders
// of threads, then with large, special and denormal inputs, and compares the results with the float64 reference. A kernel that
// computes something else is an answer, not an error. Fails with kUnsupported where the backend has no emulator or does not write
// the graph, and with kUnavailable or kCompileFailed.
Result<wire::EmulateReply> emulate(FusionBackend& backend, const Graph& graph, const Target& target);

}  // namespace fuselab::worker
