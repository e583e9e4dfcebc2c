// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"

namespace fuselab::onnx {

// Whether a file may be built in memory. Protobuf makes objects of a hundred bytes and more from two bytes of a file, and follows
// graphs within graphs; so the bytes are walked first, without building anything: an error when what they hold would take more
// memory than any model needs, is nested deeper than any model is, or is no protobuf message.
Status survey_model(std::span<const std::byte> bytes);

}  // namespace fuselab::onnx
