// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"

namespace fuselab::onnx {

// Checks that a file may be built in memory. Protobuf makes objects of a hundred bytes and more from two bytes of a file, and
// follows graphs within graphs; so the bytes are walked first, without building anything.
// Fails when the contents would take more memory than any model needs, are nested deeper than any model, or are no protobuf
// message.
Status survey_model(std::span<const std::byte> bytes);

// The same for a file of one tensor.
Status survey_tensor(std::span<const std::byte> bytes);

}  // namespace fuselab::onnx
