// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "backends/gpu/stream/binary_kernel.h"
#include "backends/gpu/stream/driver_functions.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::gpu::stream {

// What a code of a driver says about a trial.
struct Meaning {
  abi::Code code;
  ErrorCode meaning;
};

// A variable that makes launches wait for their kernels, unless it is empty or has the value `off`.
struct BlockingVariable {
  const char* name;
  std::string_view off;
};

// The codes, numbers and words in which one vendor's driver differs from the next. Everything else of a driver is DriverFunctions.
struct Vendor {
  std::string_view backend;        // that device ids begin with: "cuda" in cuda:0
  std::string_view binary_format;  // of the compiler's binaries, and what people call one: "cubin"
  std::string_view language;       // of the sources that measure ceilings
  std::string_view prelude;        // that these sources begin with

  // kOutOfMemory, kUnsupported and the like; a code that is not listed is a kLaunchFailed. After one that means kCrashed or
  // kTimeout the device is lost: no call of the process succeeds any more.
  std::span<const Meaning> meanings;
  abi::Code not_supported;  // the answer of a stream that cannot wait for a word

  unsigned stream_flags;      // of a stream that does not wait for the default one
  unsigned event_flags;       // of an event with a time
  unsigned host_flags;        // of page-locked memory that the device reaches
  unsigned wait_flags;        // of a stream that waits until a word is equal
  int capture_mode;           // in which only the calling thread is kept from what cannot be recorded
  int dynamic_shared;         // the attribute of a function: the most dynamic shared memory
  int cluster_attribute = 0;  // the attribute of a launch: the blocks of a cluster. 0: there are no clusters
  int log_buffer, log_bytes;  // the options of loading a module that take its log of errors

  const char *get_device, *retain_context, *set_context, *create_stream;  // names of the calls that open a device, for messages
  std::span<const BlockingVariable> blocking_variables;

  // Reads a kernel's facts from a binary, which is untrusted.
  // Fails with kCorrupt when its bytes are inconsistent and with kNotFound when there is no such kernel.
  Result<BinaryKernel> (*read_binary)(std::span<const std::byte> bytes, std::string_view kernel);
  // Describes the buffer at `address` to the copy engine. Null: devices have none.
  abi::Code (*encode_map)(const abi::DriverFunctions& calls, const TensorMapArgument& map, abi::DevicePointer address,
                          abi::TensorMapBytes& encoded) = nullptr;
  // Returns what to do about a binary that a driver of this version did not load, in brackets; empty: nothing is known.
  std::string (*advice)(int driver_version, const KernelBinary& binary);

  ErrorCode meaning_of(abi::Code code) const;
  bool loses_device(abi::Code code) const;
};

}  // namespace fuselab::gpu::stream
