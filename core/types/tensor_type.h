// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/types/dtype.h"
#include "core/types/shape.h"

namespace fuselab {

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

std::string type_text(const TensorType& type);  // "f32[8,768]"
// Returns the size in bytes of a concrete tensor.
Result<Bytes> size_of(const TensorType& type);

}  // namespace fuselab
