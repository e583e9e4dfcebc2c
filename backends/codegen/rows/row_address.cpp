// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {

ExprPtr strided_offset(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides, const ExprPtr& index) {
  if (extents.empty()) return integer(0);
  std::int64_t dense = strides.back();
  bool is_dense = true;
  for (std::size_t i = extents.size(); i-- > 0;) {
    is_dense = is_dense && strides[i] == dense;
    dense *= extents[i];
  }
  if (is_dense) return index * integer(strides.back());
  ExprPtr sum = integer(0);
  std::int64_t inner = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const ExprPtr above = index / integer(inner);
    const ExprPtr position = i == 0 ? above : above % integer(extents[i]);
    sum = sum + position * integer(strides[i]);
    inner *= extents[i];
  }
  return sum;
}

ExprPtr row_offset(const RowProgram& program, const RowAccess& access, const ExprPtr& row) {
  return strided_offset(program.outer, access.outer, row);
}

std::vector<KernelParameter> name_parameters(const Graph& graph, Names& names) {
  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    const std::string wish = value.name.empty() ? "in" + std::to_string(i) : value.name;
    parameters.push_back({names.unique(wish), value.type.dtype, false});
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const Value& value = graph.value(graph.outputs()[i]);
    const std::string wish = value.name.empty() ? std::to_string(i) : value.name;
    parameters.push_back({names.unique("out_" + wish), value.type.dtype, true});
  }
  return parameters;
}

}  // namespace fuselab::codegen
