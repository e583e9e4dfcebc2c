// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile/metric.h"
#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// The mappings of kernels that were loaded from memory files of this name, in the order in which they were made.
struct KernelMapping {
  std::uint64_t begin = 0, end = 0, offset = 0;  // addresses here, and where in the file
  std::uint64_t inode = 0;
};

// Reads /proc/self/maps: the executable mappings of files in memory that are called `name`, by inode.
std::vector<KernelMapping> kernel_mappings(std::string_view maps, std::string_view name);

// Counts the samples that lie in the kernels, by step of the plan (one file each, in order of loading) and place in the file, which
// is the address that a disassembler names. Samples elsewhere are left out.
std::vector<CodeHit> hits_in(const std::vector<KernelMapping>& mappings, const std::vector<SampledAddress>& samples);

}  // namespace fuselab::profile
