// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/graph/graph.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// How some exporters leave an extent open.
inline constexpr std::int64_t kOpenExtent = -1;

// Whether what a file declares can be what its operators give. Symbols and what it leaves open agree with anything.
bool agrees(const TypeProto::Tensor& declared, const TensorType& given);
// "f32[4,batch,?]", for messages.
std::string declared_text(const TypeProto::Tensor& declared);

}  // namespace fuselab::onnx
