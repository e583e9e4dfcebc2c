// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/execute/execution_graph.h"
#include "core/base/units.h"
#include "core/platform/files/file_room.h"

namespace fuselab::engine {

// The least memory that running a subject takes, computed before any of it is made (R102).
struct ExecutionMemory {
  Bytes host;    // in this process: the largest input while it is made, the outputs while they are read, or all that judging keeps
  Bytes device;  // inputs and outputs of the piece with the largest: each runs on one device
  Bytes files;   // the tensors that are handed over: inputs and outputs
};

// Returns the memory that a concrete graph needs; `check`: the outputs are compared with the reference.
Result<ExecutionMemory> execution_memory(const ExecutionGraph& graph, bool check);

// The memory and file space that is free for a run.
struct ExecutionRoom {
  Bytes memory;               // free on this host
  bool devices_share = true;  // none of the devices has memory of its own
  platform::FileRoom files;
};

// Checks that a run fits. Whether a larger piece fits is checked again by its device.
// Fails with kOutOfMemory, saying what is needed and what there is.
Status check_room(const ExecutionMemory& needed, const ExecutionRoom& room);

// Says, where it does not fit, which of the devices with a memory of their own would do: "cuda:0 would do: --prefer cuda:0"; "no
// other device here would do" where there is none, or where this host could not even make the tensors.
std::string who_would_do(const ExecutionMemory& needed, const ExecutionRoom& room, const std::vector<DeviceInfo>& devices);
// Returns "needs about 3 MiB of memory and 1 MiB of files; 11 GiB are free".
std::string room_text(const ExecutionMemory& needed, const ExecutionRoom& room);

}  // namespace fuselab::engine
