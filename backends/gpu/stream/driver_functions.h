// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What drivers of devices with streams have in common: their handles, passed as integers and opaque pointers, and their functions.
// A vendor fills the table from its library. Where a call of its own differs, it fills in a function that makes that call.
namespace fuselab::gpu::stream::abi {

using Code = int;
inline constexpr Code kSuccess = 0;  // of every vendor

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;
struct Uuid {
  char bytes[16];
};

// A launch with attributes: an integer that names the attribute, and its value.
struct alignas(8) LaunchAttribute {
  int id = 0;
  int unused = 0;
  std::uint32_t value[16] = {};  // the blocks of a cluster along x, y and z
};
struct LaunchWithAttributes {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

// A tensor as a copy engine sees it.
struct alignas(128) TensorMapBytes {
  std::byte bytes[128];
};

struct DriverFunctions {
  Code (*init)(unsigned flags);
  Code (*driver_version)(int* version);
  Code (*error_name)(Code code, const char** name);
  Code (*error_text)(Code code, const char** text);
  Code (*device_count)(int* count);
  Code (*device_get)(Device* device, int ordinal);
  Code (*device_name)(char* name, int length, Device device);
  Code (*device_uuid)(Uuid* uuid, Device device);
  Code (*device_total_memory)(std::size_t* bytes, Device device);
  Code (*device_attribute)(int* value, int attribute, Device device);
  Code (*context_retain)(Context* context, Device device);
  Code (*context_release)(Device device);
  Code (*context_set)(Context context);
  Code (*memory_info)(std::size_t* free, std::size_t* total);
  Code (*allocate)(DevicePointer* pointer, std::size_t bytes);
  Code (*release)(DevicePointer pointer);
  Code (*host_allocate)(void** pointer, std::size_t bytes, unsigned flags);
  Code (*host_release)(void* pointer);
  Code (*host_device_pointer)(DevicePointer* device, void* host, unsigned flags);
  Code (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Code (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes, Stream stream);
  Code (*copy_on_device)(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream);
  Code (*fill_16)(DevicePointer to, unsigned short value, std::size_t count, Stream stream);
  Code (*fill_32)(DevicePointer to, unsigned value, std::size_t count, Stream stream);
  Code (*module_load)(Module* module, const void* image, unsigned options, int* names, void** values);
  Code (*module_unload)(Module module);
  Code (*module_function)(Function* function, Module module, const char* name);
  Code (*module_global)(DevicePointer* address, std::size_t* bytes, Module module, const char* name);
  Code (*function_attribute)(int* value, int attribute, Function function);
  Code (*set_function_attribute)(Function function, int attribute, int value);
  Code (*occupancy)(int* blocks, Function function, int block_size, std::size_t dynamic_shared);
  Code (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                 unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, void** extra);
  Code (*launch_with)(const LaunchWithAttributes* launch, Function function, void** arguments, void** extra);
  Code (*occupancy_of_clusters)(int* clusters, Function function, const LaunchWithAttributes* launch);
  Code (*encode_tensor_map)(TensorMapBytes* map, int type, std::uint32_t axes, void* address, const std::uint64_t* extents,
                            const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* element_strides,
                            int interleave, int swizzle, int promotion, int fill);
  Code (*stream_create)(Stream* stream, unsigned flags);
  Code (*stream_destroy)(Stream stream);
  Code (*stream_synchronize)(Stream stream);
  Code (*stream_wait_value)(Stream stream, DevicePointer address, std::uint32_t value, unsigned flags);
  Code (*event_create)(Event* event, unsigned flags);
  Code (*event_destroy)(Event event);
  Code (*event_record)(Event event, Stream stream);
  Code (*event_elapsed)(float* milliseconds, Event start, Event end);
  Code (*capture_begin)(Stream stream, int mode);
  Code (*capture_end)(Stream stream, Graph* graph);
  Code (*graph_instantiate)(GraphExec* exec, Graph graph, unsigned long long flags);
  Code (*graph_upload)(GraphExec exec, Stream stream);
  Code (*graph_launch)(GraphExec exec, Stream stream);
  Code (*graph_exec_destroy)(GraphExec exec);
  Code (*graph_destroy)(Graph graph);
};

}  // namespace fuselab::gpu::stream::abi
