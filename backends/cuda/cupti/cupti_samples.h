// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/cupti/cupti_activity.h"
#include "core/backend/device_tracer.h"

namespace fuselab::cuda {

// Runs the sequence a few times, kernel by kernel, while CUPTI samples where warps are and what they wait for. Samples are joined
// to the steps by the checksums of their cubins, and to lines of the source where a cubin has such. Fails with kUnavailable where
// nothing may be sampled, with what would permit it.
Result<DeviceSamples> sample_places(const CuptiDevice& device, std::span<const Launch> sequence, std::span<const SampledCode> code);

// Returns the checksum by which CUPTI names a cubin, and the line of the source that an instruction came of; 0 where the cubin does
// not say. Neither needs a GPU with CUPTI 13.0.
Result<std::uint64_t> checksum_of(const CuptiLibrary& library, std::span<const std::byte> cubin);
Result<int> line_of(const CuptiLibrary& library, std::span<const std::byte> cubin, const std::string& function,
                    std::int64_t address);

}  // namespace fuselab::cuda
