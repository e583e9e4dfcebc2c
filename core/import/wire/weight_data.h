// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/graph/graph.h"
#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// Returns true when a tensor has numbers, here or in another file.
bool holds_numbers(const TensorProto& tensor);

// Returns the numbers of a tensor of this type that lie in the model itself, packed; nothing where the file left them out or keeps
// them in a field that this schema does not read. The tensor has passed check_data().
std::optional<std::vector<std::byte>> bytes_of(const TensorProto& tensor, const TensorType& type);

// Returns the same for a small tensor; nothing where one of its numbers is a symbol.
std::optional<std::vector<std::byte>> bytes_of(const KnownTensor& tensor);

}  // namespace fuselab::onnx
