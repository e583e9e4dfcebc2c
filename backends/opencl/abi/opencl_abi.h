// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of OpenCL 1.2 that Fuselab uses, declared here so that no OpenCL header is needed to build.
// tests/unit/opencl/abi_test.cpp compares every constant with CL/cl.h where there is one.
namespace fuselab::opencl::abi {

using Code = std::int32_t;
inline constexpr Code kSuccess = 0;
inline constexpr Code kDeviceNotFound = -1;
inline constexpr Code kDeviceNotAvailable = -2;
inline constexpr Code kCompilerNotAvailable = -3;
inline constexpr Code kMemObjectAllocationFailure = -4;
inline constexpr Code kOutOfResources = -5;
inline constexpr Code kOutOfHostMemory = -6;
inline constexpr Code kBuildProgramFailure = -11;
inline constexpr Code kMisalignedSubBufferOffset = -13;
inline constexpr Code kInvalidValue = -30;
inline constexpr Code kInvalidBinary = -42;
inline constexpr Code kInvalidBuildOptions = -43;
inline constexpr Code kInvalidKernelName = -46;
inline constexpr Code kInvalidWorkGroupSize = -54;
inline constexpr Code kInvalidBufferSize = -61;
inline constexpr Code kPlatformNotFound = -1001;  // of the ICD loader

using Platform = struct PlatformTag*;
using Device = struct DeviceTag*;
using Context = struct ContextTag*;
using Queue = struct QueueTag*;
using Memory = struct MemoryTag*;
using Program = struct ProgramTag*;
using Kernel = struct KernelTag*;
using Event = struct EventTag*;
using Bool = std::uint32_t;
using Bits = std::uint64_t;
using Name = std::uint32_t;  // number of a property

inline constexpr Name kPlatformVersion = 0x0901;
inline constexpr Name kPlatformName = 0x0902;

inline constexpr Bits kDeviceTypeAll = 0xFFFFFFFF;
inline constexpr Bits kDeviceTypeCpu = 1 << 1;
inline constexpr Bits kDeviceTypeGpu = 1 << 2;
inline constexpr Name kDeviceType = 0x1000;
inline constexpr Name kDeviceMaxComputeUnits = 0x1002;
inline constexpr Name kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Name kDeviceMaxWorkItemSizes = 0x1005;
inline constexpr Name kDeviceMaxClockFrequency = 0x100C;
inline constexpr Name kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Name kDeviceMemBaseAddrAlign = 0x1019;  // bits
inline constexpr Name kDeviceSingleFpConfig = 0x101B;
inline constexpr Name kDeviceGlobalMemCacheSize = 0x101E;
inline constexpr Name kDeviceGlobalMemSize = 0x101F;
inline constexpr Name kDeviceMaxParameterSize = 0x1017;
inline constexpr Name kDeviceLocalMemType = 0x1022;
inline constexpr std::int64_t kLocalMemDedicated = 1;
inline constexpr Name kDeviceLocalMemSize = 0x1023;
inline constexpr Name kDeviceAvailable = 0x1027;
inline constexpr Name kDeviceName = 0x102B;
inline constexpr Name kDeviceVendor = 0x102C;
inline constexpr Name kDriverVersion = 0x102D;
inline constexpr Name kDeviceVersion = 0x102F;
inline constexpr Name kDeviceDoubleFpConfig = 0x1032;
inline constexpr Name kDeviceHostUnifiedMemory = 0x1035;
inline constexpr Name kDeviceUuid = 0x106A;         // cl_khr_device_uuid
inline constexpr Name kDevicePciBusInfo = 0x410F;   // cl_khr_pci_bus_info: domain, bus, device, function as 4 bytes each
inline constexpr Name kDeviceTopologyAmd = 0x4037;  // cl_amd_device_attribute_query: 24 bytes, pci_place.h
inline constexpr Bits kFpDenorm = 1 << 0;

inline constexpr Bits kQueueProfilingEnable = 1 << 1;
inline constexpr Bits kMemReadWrite = 1 << 0;
inline constexpr Name kBufferCreateTypeRegion = 0x1220;
inline constexpr Name kProgramBinarySizes = 0x1165;
inline constexpr Name kProgramBinaries = 0x1166;
inline constexpr Name kProgramBuildLog = 0x1183;
inline constexpr Name kKernelNumArgs = 0x1191;
inline constexpr Name kKernelWorkGroupSize = 0x11B0;
inline constexpr Name kKernelLocalMemSize = 0x11B2;
inline constexpr Name kKernelPreferredWorkGroupSizeMultiple = 0x11B3;
inline constexpr Name kKernelPrivateMemSize = 0x11B4;
inline constexpr Name kProfilingCommandStart = 0x1282;
inline constexpr Name kProfilingCommandEnd = 0x1283;

struct BufferRegion {
  std::size_t origin;
  std::size_t size;
};

using ContextNotify = void (*)(const char* words, const void* info, std::size_t bytes, void* data);
using ProgramNotify = void (*)(Program program, void* data);

struct Functions {
  Code (*platforms)(std::uint32_t room, Platform* platforms, std::uint32_t* count);
  Code (*platform_info)(Platform platform, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*devices)(Platform platform, Bits type, std::uint32_t room, Device* devices, std::uint32_t* count);
  Code (*device_info)(Device device, Name what, std::size_t room, void* value, std::size_t* size);
  Context (*create_context)(const std::intptr_t* properties, std::uint32_t count, const Device* devices, ContextNotify notify,
                            void* data, Code* code);
  Code (*release_context)(Context context);
  Queue (*create_queue)(Context context, Device device, Bits properties, Code* code);
  Code (*release_queue)(Queue queue);
  Memory (*create_buffer)(Context context, Bits flags, std::size_t bytes, void* host, Code* code);
  Memory (*create_sub_buffer)(Memory memory, Bits flags, Name type, const void* region, Code* code);
  Code (*release_memory)(Memory memory);
  Program (*program_of_source)(Context context, std::uint32_t count, const char** texts, const std::size_t* lengths, Code* code);
  Program (*program_of_binary)(Context context, std::uint32_t count, const Device* devices, const std::size_t* lengths,
                               const unsigned char** binaries, Code* status, Code* code);
  Code (*build)(Program program, std::uint32_t count, const Device* devices, const char* options, ProgramNotify notify, void* data);
  Code (*build_info)(Program program, Device device, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*program_info)(Program program, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*release_program)(Program program);
  Kernel (*create_kernel)(Program program, const char* name, Code* code);
  Code (*kernel_info)(Kernel kernel, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*work_group_info)(Kernel kernel, Device device, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*set_argument)(Kernel kernel, std::uint32_t index, std::size_t bytes, const void* value);
  Code (*release_kernel)(Kernel kernel);
  Code (*launch)(Queue queue, Kernel kernel, std::uint32_t dimensions, const std::size_t* offset, const std::size_t* global,
                 const std::size_t* local, std::uint32_t waits, const Event* wait_for, Event* event);
  Code (*read)(Queue queue, Memory memory, Bool blocking, std::size_t offset, std::size_t bytes, void* to, std::uint32_t waits,
               const Event* wait_for, Event* event);
  Code (*write)(Queue queue, Memory memory, Bool blocking, std::size_t offset, std::size_t bytes, const void* from,
                std::uint32_t waits, const Event* wait_for, Event* event);
  Code (*fill)(Queue queue, Memory memory, const void* pattern, std::size_t pattern_bytes, std::size_t offset, std::size_t bytes,
               std::uint32_t waits, const Event* wait_for, Event* event);
  Code (*copy)(Queue queue, Memory from, Memory to, std::size_t from_offset, std::size_t to_offset, std::size_t bytes,
               std::uint32_t waits, const Event* wait_for, Event* event);
  Code (*finish)(Queue queue);
  Code (*profiling)(Event event, Name what, std::size_t room, void* value, std::size_t* size);
  Code (*release_event)(Event event);
};

}  // namespace fuselab::opencl::abi
