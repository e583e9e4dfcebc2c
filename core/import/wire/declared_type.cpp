// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/declared_type.h"

#include "core/import/constants/known_tensor.h"
#include "core/import/wire/node_names.h"

namespace fuselab::onnx {

bool agrees(const TypeProto::Tensor& declared, const TensorType& given) {
  if (declared.elem_type() != 0 && dtype_of_code(declared.elem_type()) != given.dtype) return false;
  if (!declared.has_shape()) return true;
  const auto& dims = declared.shape().dim();
  if (dims.size() != static_cast<int>(given.shape.size())) return false;
  for (int i = 0; i < dims.size(); ++i) {
    const Dim& own = given.shape[static_cast<std::size_t>(i)];
    const bool open = !dims.Get(i).has_dim_value() || dims.Get(i).dim_value() == kOpenExtent || own.is_symbol();
    if (!open && dims.Get(i).dim_value() != own.extent()) return false;
  }
  return true;
}

std::string declared_text(const TypeProto::Tensor& declared) {
  const auto dtype = dtype_of_code(declared.elem_type());
  std::string text = dtype ? std::string(name_of(*dtype)) : "ONNX element type " + std::to_string(declared.elem_type());
  if (declared.elem_type() == 0) text = "a tensor";
  if (!declared.has_shape()) return text;
  constexpr int kMostShown = 16;
  std::string extents;
  for (int i = 0; i < declared.shape().dim_size(); ++i) {
    const auto& dim = declared.shape().dim(i);
    if (i == kMostShown) return text + "[" + extents + ",…]";
    if (i > 0) extents += ",";
    extents += dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param().empty() ? "?" : shown(dim.dim_param());
  }
  return text + "[" + extents + "]";
}

}  // namespace fuselab::onnx
