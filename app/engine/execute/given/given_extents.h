// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/execute/given/given_tensors.h"
#include "app/engine/subject/job_spec.h"

namespace fuselab::engine {

// Returns the binding with the extents that the given files have where the subject's inputs leave them open: "batch=4,seq=128".
// What `binding` says already stays, and read_given() names a file that has other extents. Reads the heads of the files alone.
// Fails with kInvalidArgument where two files have different extents for one symbol, and where a file cannot be read.
Result<std::string> bound_by_files(const Config& config, const std::string& subject, const std::string& binding, DType dtype,
                                   const GivenTensors& given, int runs);

}  // namespace fuselab::engine
