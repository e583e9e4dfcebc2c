// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/graph.h"
#include "core/measure/ceiling.h"
#include "core/measure/protocol.h"

namespace fuselab::engine {

// Streams of a piece's compulsory traffic: how many arrays it reads and writes, as ceilings are asked for. Arrays of which less
// than 1/16 of the most moved one is moved are no stream of their own; more than four read or written are measured as four.
struct StreamMix {
  int reads = 1;
  int writes = 1;
};
StreamMix stream_mix(const Graph& graph);

// What the runs of a figure move among: the bytes of the piece, or of its buffers in rotation, which no cache holds.
Bytes working_set(const Cost& cost, CacheMode mode, std::int64_t caches_bytes);

// What a device with these ceilings allows a concrete graph; without a measured time its share is 0.
SpeedOfLight speed_of_light(const Graph& graph, const Cost& cost, Bytes working_set, const CeilingTable& ceilings,
                            Nanoseconds measured = {0});

}  // namespace fuselab::engine
