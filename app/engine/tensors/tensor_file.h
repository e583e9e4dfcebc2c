// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// Says whether a file's tensor is the one that is wanted. It is asked before room is made for its numbers.
using TensorFits = std::function<Status(const TensorType& found)>;

// Reads the tensor of a file that a user names:
// - "x.npy", or any other name, as numpy.save writes it;
// - "all.npz:x", a member of what numpy.savez and savez_compressed write; of "all.npz" the member that is called `own_name`, or the
//   only one there is;
// - "x.pb", a tensor of ONNX, as in the test data of its models.
// The file is untrusted: beyond its own size and what `fits` lets pass nothing is allocated, and whatever is wrong is one error
// that names the file.
Result<PackedTensor> read_tensor_file(const std::filesystem::path& named, const std::string& own_name, const TensorFits& fits);

}  // namespace fuselab::engine
