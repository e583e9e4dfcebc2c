// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/graph/attributes.h"
#include "core/graph/dtype.h"
#include "core/graph/op.h"

namespace fuselab {

enum class AttributeKind { kInteger, kReal, kText, kIntegers, kNumber };  // kNumber: integer or real, kept as given

// One attribute an operator knows, from the ONNX specification.
struct AttributeInfo {
  std::string_view name;
  AttributeKind kind;
  bool required = false;
  std::optional<AttributeValue> otherwise;  // the default, where ONNX states one that does not depend on shapes
};

// What an operator knows; nothing for Opaque, which takes any attribute.
std::span<const AttributeInfo> attributes_of(Op op);

// Every attribute known, of its kind, and none missing. The error names the operator's attributes.
Status check_attributes(Op op, const Attributes& attributes);

// Attributes as the canonical text writes them: defaults left out, reals as reals, Cast's target by name.
// Precondition: check_attributes passed.
Attributes canonical_attributes(Op op, const Attributes& attributes);

// The target of a Cast, `to` being our name or ONNX's number; empty when it is neither.
std::optional<DType> cast_target(const Attributes& attributes);

}  // namespace fuselab
