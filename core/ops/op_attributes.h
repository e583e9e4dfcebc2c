// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/types/attributes.h"
#include "core/types/dtype.h"

namespace fuselab {

enum class AttributeKind { kInteger, kReal, kText, kIntegers, kNumber };  // kNumber: integer or real, whichever was written

// One attribute an operator knows, from the ONNX specification.
struct AttributeInfo {
  std::string_view name;
  AttributeKind kind;
  bool required = false;
  std::optional<AttributeValue> otherwise;  // the default, where ONNX states one that does not depend on shapes
};

// Returns the attributes that an operator knows; empty for Opaque, which takes any attribute.
std::span<const AttributeInfo> attributes_of(Op op);

// Checks that every attribute is known and of its kind and that none is missing.
// Fails with a list of the operator's attributes.
Status check_attributes(Op op, const Attributes& attributes);

// Returns attributes as the canonical text writes them: defaults left out, reals as reals, Cast's target by name.
// Precondition: check_attributes() passed.
Attributes canonical_attributes(Op op, const Attributes& attributes);

// Returns the target of a Cast, whose `to` is a name of dtype.h or ONNX's number; nothing when it is neither.
std::optional<DType> cast_target(const Attributes& attributes);

}  // namespace fuselab
