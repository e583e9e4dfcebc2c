// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/execute/execution_graph.h"
#include "core/base/units.h"
#include "core/platform/files/file_room.h"

namespace fuselab::engine {

// What running a subject takes at the least, before any of it is made (R102).
struct ExecutionMemory {
  Bytes host;    // in this process: the largest input while it is made, the outputs while they are read, or all that judging keeps
  Bytes device;  // the inputs and outputs of the piece with the largest: each runs on one device
  Bytes files;   // the tensors that are handed over: inputs and outputs
};

// Of a concrete graph; `check`: the outputs are held against the reference.
Result<ExecutionMemory> execution_memory(const ExecutionGraph& graph, bool check);

// Where all that has to go.
struct ExecutionRoom {
  Bytes memory;               // free on this host
  bool devices_share = true;  // none of the devices has memory of its own
  platform::FileRoom files;
};

// Why it cannot be run here; success: it may. A larger piece's device still looks for itself. kOutOfMemory says what is needed and
// what there is.
Status check_room(const ExecutionMemory& needed, const ExecutionRoom& room);

// "needs about 3 MiB of memory and 1 MiB of files; 11 GiB are free".
std::string room_text(const ExecutionMemory& needed, const ExecutionRoom& room);

}  // namespace fuselab::engine
