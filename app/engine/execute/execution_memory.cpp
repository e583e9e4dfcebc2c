// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_memory.h"

#include <algorithm>

#include "core/backend/footprint.h"

namespace fuselab::engine {
namespace {

Result<Bytes> packed_size(const Graph& graph, const std::vector<ValueId>& values) {
  Bytes sum;
  for (const ValueId value : values) {
    FL_TRY(const Bytes size, size_of(graph.type(value)));
    sum = saturating_sum(sum, size);
  }
  return sum;
}

// Returns the memory needed at one time. This process makes and reads tensors while no worker computes, so the two needs do not add
// up.
Bytes memory_at_once(const ExecutionMemory& needed, const ExecutionRoom& room) {
  const Bytes at_once = room.devices_share ? std::max(needed.host, needed.device) : needed.host;
  return room.files.in_memory ? saturating_sum(at_once, needed.files) : at_once;
}

}  // namespace

Result<ExecutionMemory> execution_memory(const ExecutionGraph& graph, bool check) {
  const Graph& whole = graph.whole();
  ExecutionMemory memory;
  for (const ValueId input : whole.inputs()) {
    FL_TRY(const Bytes making, host_share_of(whole.type(input)));
    memory.host = std::max(memory.host, making);
  }
  Bytes reading;
  for (const ValueId output : whole.outputs()) {
    FL_TRY(const Bytes share, host_share_of(whole.type(output)));
    reading = saturating_sum(reading, share);
  }
  memory.host = std::max(memory.host, reading);
  if (check) {
    FL_TRY(const Footprint judged, footprint_of(whole));
    memory.host = std::max(memory.host, judged.host);
  }
  for (const PieceUse& use : graph.uses) {
    FL_TRY(const Bytes inputs, packed_size(whole, use.inputs));
    FL_TRY(const Bytes outputs, packed_size(whole, use.outputs));
    memory.device = std::max(memory.device, saturating_sum(inputs, outputs));
  }
  FL_TRY(const Bytes given, packed_size(whole, graph.inputs));
  FL_TRY(const Bytes taken, packed_size(whole, graph.outputs));
  memory.files = saturating_sum(given, taken);
  return memory;
}

Status check_room(const ExecutionMemory& needed, const ExecutionRoom& room) {
  const Bytes memory = memory_at_once(needed, room);
  if (memory > room.memory)
    return Error{ErrorCode::kOutOfMemory, "running it needs about " + format_bytes(memory) + " of this host's memory, but " +
                                              format_bytes(room.memory) + " are free"};
  if (needed.files > room.files.free)
    return Error{ErrorCode::kOutOfMemory, "its tensors are handed over in files of " + format_bytes(needed.files) +
                                              ", but the temporary directory has room for " + format_bytes(room.files.free) +
                                              "; TMPDIR names another"};
  return {};
}

std::string who_would_do(const ExecutionMemory& needed, const ExecutionRoom& room, const std::vector<DeviceInfo>& devices) {
  const Bytes here = room.files.in_memory ? saturating_sum(needed.host, needed.files) : needed.host;
  for (const DeviceInfo& device : devices) {
    const bool own_memory = !device.uses_host_memory() && !device.synthetic;
    if (own_memory && here <= room.memory && fits(needed.device, device).yes) return device.id + " would do: --prefer " + device.id;
  }
  return "no other device here would do";
}

std::string room_text(const ExecutionMemory& needed, const ExecutionRoom& room) {
  return "needs about " + format_bytes(memory_at_once(needed, room)) + " of memory and " + format_bytes(needed.files) +
         " of files; " + format_bytes(room.memory) + " and " + format_bytes(room.files.free) + " are free";
}

}  // namespace fuselab::engine
