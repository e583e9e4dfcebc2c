// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ops/op_row.h"
#include "core/ops/own_kernel.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Result<Types> constant(const Call& call) {
  const auto dtype = parse_dtype(call.attributes.text("dtype", "f32"));
  if (!dtype) return failure(call, "unknown dtype '" + call.attributes.text("dtype", "") + "'");
  const AttributeValue& value = call.attributes.values().at("value");
  if (std::holds_alternative<std::string>(value)) return failure(call, "'value' must be a number");
  if (!is_floating(*dtype) && std::holds_alternative<double>(value)) {
    return failure(call, "a constant of type " + std::string(name_of(*dtype)) + " needs an integer value");
  }
  return Types{{*dtype, {}}};
}

Result<Types> opaque(const Call& call) {
  return failure(call, "its types cannot be inferred; use add_opaque");
}

Result<Types> own_kernel(const Call& call) {
  auto kernel = own_kernel_of(call.attributes);
  if (!kernel.ok()) return failure(call, kernel.error().message);
  Types outputs, inputs;
  for (const OwnArgument& argument : kernel.value().arguments) {
    if (argument.is_read()) inputs.push_back({argument.element, argument.shape});
    if (argument.is_written()) outputs.push_back({argument.element, argument.shape});
  }
  if (outputs.empty()) return failure(call, "the kernel writes no tensor: one argument has the role out or inout");
  if (!std::ranges::equal(inputs, call.inputs)) return failure(call, "the kernel takes other tensors");
  return outputs;
}

double own_flops(const Call& call, const TensorType&) {
  const auto kernel = own_kernel_of(call.attributes);
  return kernel.ok() ? kernel.value().flops : 0;
}

Schema own_kernel_attributes() {
  return {required("definition", kText), required("source", kText), text("reference", "")};
}

Schema constant_attributes() {
  return {required("value", kNumber), text("dtype", "f32")};
}

}  // namespace

constexpr Family<Op::kConstant, kEndOfOps> kLeaves({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kConstant, "Constant", kLeaf, 0, 0, 0}, constant, 16, constant_attributes},
    {{Op::kOwnKernel, "OwnKernel", kOpaque, 0, -1, 0}, own_kernel, 16, own_kernel_attributes, own_flops},
    {{Op::kOpaque, "Opaque", kOpaque, 0, -1, 0}, opaque},
});

}  // namespace fuselab::ops
