// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/abi/driver_abi.h"

namespace fuselab::fake_cuda {

// What the driver says of its device.
inline int attribute_of(int attribute) {
  using namespace cuda::abi;
  // An H200's, as far as Fuselab asks.
  switch (attribute) {
    case kMaxThreadsPerBlock: return 1024;
    case kMaxGridDimX: return 2147483647;
    case kMaxSharedPerBlock: return 49152;
    case kWarpSize: return 32;
    case kMaxRegistersPerBlock: return 65536;
    case kClockRate: return 1980000;
    case kMultiprocessorCount: return 132;
    case kMemoryClockRate: return 3201000;
    case kMemoryBusWidth: return 6144;
    case kL2CacheSize: return 1 << 20;  // small: it is the host's memory that is flushed
    case kMaxThreadsPerMultiprocessor: return 2048;
    case kPciBusId: return 0x19;
    case kComputeCapabilityMajor: return 9;
    case kComputeCapabilityMinor: return 0;
    case kMaxSharedPerMultiprocessor: return 233472;
    case kMaxRegistersPerMultiprocessor: return 65536;
    case kMaxSharedPerBlockOptin: return 232448;
    case kMaxBlocksPerMultiprocessor: return 32;
    case kReservedSharedPerBlock: return 1024;
    case kEccEnabled: return 1;
    default: return 0;
  }
}

}  // namespace fuselab::fake_cuda
