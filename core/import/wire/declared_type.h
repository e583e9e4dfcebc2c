// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/graph/graph.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// The extent that some exporters write for an open one.
inline constexpr std::int64_t kOpenExtent = -1;

// Returns true when a declared type can be the given one. Symbols and open extents agree with anything.
bool agrees(const TypeProto::Tensor& declared, const TensorType& given);
// Returns a declared type for messages: "f32[4,batch,?]".
std::string declared_text(const TypeProto::Tensor& declared);

}  // namespace fuselab::onnx
