// SPDX-License-Identifier: Apache-2.0
#include "core/import/nodes/operators.h"

#include <unordered_map>

#include "core/import/reader/node_attributes.h"
#include "core/import/wire/node_names.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

std::vector<OperatorRow> all_operators() {
  std::vector<OperatorRow> all;
  for (const Rows rows : {activation_rows(),      arrangement_rows(),  attention_rows(),   body_rows(),
                          contributed_rows(),     dropout_rows(),      elementwise_rows(), indexed_rows(),
                          integer_product_rows(), leaf_rows(),         movement_rows(),    normalization_rows(),
                          product_rows(),         quantization_rows(), recurrence_rows(),  reduction_rows(),
                          resize_rows(),          row_operator_rows(), statistics_rows(),  transposed_conv_rows(),
                          window_rows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

const OperatorRow* find_operator(std::string_view name) {
  static const std::unordered_map<std::string_view, OperatorRow> kByName = [] {
    std::unordered_map<std::string_view, OperatorRow> by_name;
    for (const OperatorRow& row : all_operators()) by_name.emplace(row.name, row);
    return by_name;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : &found->second;
}

const OperatorRow* row_of(const NodeProto& node) {
  const bool standard = is_standard(node.domain());
  // What stands behind a dot of a name is part of the name, not of its domain.
  if (node.op_type().find('.') != std::string::npos) return nullptr;
  return find_operator(standard ? node.op_type() : node.domain() + "." + node.op_type());
}

Attributes attributes_by_row(const NodeImport& node, std::string& unknown) {
  const OperatorRow* const row = row_of(node.proto());
  return node.attributes(attribute_infos(row != nullptr ? row->attributes : "", node.opset()), unknown);
}

}  // namespace fuselab::onnx
