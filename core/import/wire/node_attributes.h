// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/import/wire/model_import.h"

namespace fuselab::onnx {

// The attributes that ONNX gives each operator, by opset. They are checked once for every node before its translator sees it, so
// that no translator can ignore one silently.

// Returns why one of the node's attributes is not understood (its operator has none of that name, or only at another opset, or one
// of another kind), or "". `opset` is that of ONNX's own operators for the node.
std::string attribute_beyond_onnx(const NodeProto& node, int opset);

// Returns true for names that ONNX's own checker ignores: tools keep remarks under them, which change nothing.
bool is_internal_attribute(std::string_view name);

}  // namespace fuselab::onnx
