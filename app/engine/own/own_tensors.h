// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/ops/own_kernel.h"

namespace fuselab::engine {

// Begins OwnArgument::fill and ::expected where a file of the kernel's folder was named, before it is read.
inline constexpr std::string_view kTensorFile = "file:";

// Reads the tensors that a kernel's arguments name (.npy, .npz, .pb) and names them by their contents. They are kept in
// `cache_directory`, where workers read them; empty: they are only checked.
// Fails with kInvalidArgument, naming the argument, for a tensor of another type or extents, and with kIo.
Status keep_own_tensors(OwnKernel& kernel, const std::filesystem::path& folder, const std::filesystem::path& cache_directory);

}  // namespace fuselab::engine
