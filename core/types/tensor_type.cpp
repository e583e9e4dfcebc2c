// SPDX-License-Identifier: Apache-2.0
#include "core/types/tensor_type.h"

namespace fuselab {

std::string type_text(const TensorType& type) {
  return std::string(name_of(type.dtype)) + shape_text(type.shape);
}

Result<Bytes> size_of(const TensorType& type) {
  FL_TRY(const std::int64_t count, element_count(type.shape));
  if (count / 8 >= (std::int64_t{1} << 62) / bits_of(type.dtype)) {
    return invalid_argument("tensor " + type_text(type) + " has more than 2^62 bytes");
  }
  return packed_size(type.dtype, count);
}

}  // namespace fuselab
