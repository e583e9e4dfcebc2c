// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/window_attributes.h"

#include <algorithm>

#include "core/ops/op_attributes.h"

namespace fuselab::onnx {
namespace {

// SAME padding written out: as many outputs as strides fit into the input.
Result<std::vector<std::int64_t>> same_pads(const NodeImport& node, const std::vector<std::int64_t>& kernel, bool upper) {
  const Shape& shape = node.type(0).shape;
  const auto strides = node.integer_list("strides").value_or(std::vector<std::int64_t>(kernel.size(), 1));
  const auto dilations = node.integer_list("dilations").value_or(std::vector<std::int64_t>(kernel.size(), 1));
  constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
  if (shape.size() != kernel.size() + 2 || strides.size() != kernel.size() || dilations.size() != kernel.size()) {
    return invalid_argument("strides, dilations and kernel do not fit its input");
  }
  std::vector<std::int64_t> pads(2 * kernel.size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Dim& dim = shape[i + 2];
    if (dim.is_symbol()) return Error{ErrorCode::kUnsupported, "SAME padding needs the extent of '" + dim.name() + "'"};
    for (std::int64_t number : {kernel[i], strides[i], dilations[i], dim.extent()}) {
      if (number < 1 || number > kLargestExtent) return invalid_argument("its window has the extent " + std::to_string(number));
    }
    const std::int64_t outputs = (dim.extent() + strides[i] - 1) / strides[i];
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * strides[i] + reach - dim.extent());
    pads[i] = upper ? total / 2 : total - total / 2;
    pads[i + kernel.size()] = total - pads[i];
  }
  return pads;
}

}  // namespace

Result<std::string> write_padding(const NodeImport& node, Attributes& attributes, std::size_t filter) {
  const std::string padding = node.text("auto_pad", "NOTSET");
  if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
    std::vector<std::int64_t> kernel = attributes.integers("kernel_shape");
    if (kernel.empty() && node.has_input(filter) && is_concrete(node.type(filter).shape) && node.type(filter).shape.size() > 2) {
      kernel = extents_of(node.type(filter).shape);
      kernel.erase(kernel.begin(), kernel.begin() + 2);
    }
    auto pads = same_pads(node, kernel, padding == "SAME_UPPER");
    if (!pads.ok() && pads.error().code == ErrorCode::kUnsupported) return pads.error().message;
    if (!pads.ok()) return pads.error();
    attributes.set("pads", std::move(pads).value());
    attributes.set("auto_pad", std::string("NOTSET"));
  }
  // VALID is no padding, whatever `pads` says beside it.
  if (padding == "VALID" && attributes.has("pads")) {
    attributes.set("pads", std::vector<std::int64_t>(attributes.integers("pads").size(), 0));
  }
  return std::string();
}

Result<std::string> read_window(const NodeImport& node, std::span<const AttributeInfo> known, Attributes& attributes,
                                std::size_t filter) {
  std::string unknown;
  attributes = node.attributes(known, unknown);
  if (!unknown.empty()) return "its attribute '" + unknown + "' is not known";
  return write_padding(node, attributes, filter);
}

}  // namespace fuselab::onnx
