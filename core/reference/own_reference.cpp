// SPDX-License-Identifier: Apache-2.0
#include "core/reference/own_reference.h"

#include <algorithm>
#include <iterator>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

Status check_tensors(const Graph& kernel, std::span<const ValueId> of_kernel, const Graph& reference,
                     std::span<const ValueId> of_reference, const std::string& what) {
  if (of_kernel.size() != of_reference.size())
    return invalid_argument("the reference has " + std::to_string(of_reference.size()) + " " + what + "s, the kernel " +
                            std::to_string(of_kernel.size()));
  for (std::size_t i = 0; i < of_kernel.size(); ++i) {
    const TensorType& wanted = kernel.type(of_kernel[i]);
    const TensorType& given = reference.type(of_reference[i]);
    if (wanted != given)
      return invalid_argument("the reference's " + what + " " + std::to_string(i + 1) + ", '" +
                              reference.value(of_reference[i]).name + "', is " + type_text(given) + ", the kernel's is " +
                              type_text(wanted));
  }
  return {};
}

bool says_what_is_computed(const OwnArgument& argument) {
  return argument.is_tensor() || argument.role == OwnRole::kScalar;
}

bool is_same(const OwnArgument& a, const OwnArgument& b) {
  return a.name == b.name && a.role == b.role && a.element == b.element && a.shape == b.shape && a.value == b.value &&
         a.fill == b.fill && a.expected == b.expected;
}

}  // namespace

double own_default_tolerance(DType dtype) {
  if (!is_floating(dtype)) return 0;
  if (dtype == DType::kF64) return 0x1p-36;
  return bits_of(dtype) == 32 ? 0x1p-13 : 0x1p-5;
}

bool ask_the_same(const Graph& a, const Graph& b) {
  const auto ours = own_reference(a), theirs = own_reference(b);
  if (!ours.ok() || !ours.value() || !theirs.ok() || !theirs.value()) return false;
  const OwnKernel &one = ours.value()->kernel, &other = theirs.value()->kernel;
  if (one.name != other.name || one.language != other.language || one.reference != other.reference || one.sizes != other.sizes)
    return false;
  std::vector<OwnArgument> given, other_given;
  std::ranges::copy_if(one.arguments, std::back_inserter(given), says_what_is_computed);
  std::ranges::copy_if(other.arguments, std::back_inserter(other_given), says_what_is_computed);
  return std::ranges::equal(given, other_given, is_same);
}

Result<std::optional<OwnReference>> own_reference(const Graph& graph) {
  if (graph.nodes().size() != 1 || graph.nodes().front().op != Op::kOwnKernel) return std::optional<OwnReference>();
  FL_TRY(OwnKernel kernel, own_kernel_of(graph.nodes().front().attributes));
  if (kernel.reference.empty())
    return Error{ErrorCode::kUnsupported, "the kernel '" + kernel.name + "' has no reference, so nothing says what is right"};
  if (kernel.reference == kOwnDefault || kernel.reference == kOwnGiven)
    return std::optional<OwnReference>({std::move(kernel), std::nullopt});
  auto reference = parse_graph(kernel.reference);
  if (!reference.ok()) return reference.error().within("reference");
  FL_TRY_VOID(check_tensors(graph, graph.inputs(), reference.value(), reference.value().inputs(), "input"));
  FL_TRY_VOID(check_tensors(graph, graph.outputs(), reference.value(), reference.value().outputs(), "output"));
  return std::optional<OwnReference>({std::move(kernel), std::move(reference).value()});
}

}  // namespace fuselab
