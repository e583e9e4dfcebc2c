// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/graph.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/protocol.h"

namespace fuselab::engine {

// The streams of a piece's compulsory traffic: how many arrays it reads and writes, as ceilings are asked for. An array of which
// less is moved than 1/16 of the largest one's traffic is no stream of its own; more than four read or written count as four.
struct StreamMix {
  int reads = 1;
  int writes = 1;
};
StreamMix stream_mix(const Graph& graph);

// Returns the bytes that the runs of a figure move among: those of the piece or, with rotating buffers, of a buffer set that no
// cache holds.
Bytes working_set(const Cost& cost, CacheMode mode, std::int64_t caches_bytes);

// Returns what a device with these ceilings allows a concrete graph; without a measured time its share is 0.
SpeedOfLight speed_of_light(const Graph& graph, const Cost& cost, Bytes working_set, const CeilingTable& ceilings,
                            Nanoseconds measured = {0});

}  // namespace fuselab::engine
