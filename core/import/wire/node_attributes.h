// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/import/wire/model_import.h"

namespace fuselab::onnx {

// Which attributes ONNX gives each operator, by opset: asked once for every node before its translator sees it, so that no
// translator can pass over one in silence.

// "" or why one of the node's attributes is not understood: its operator has none of that name, only at another opset, or one of
// another kind. `opset` is that of ONNX's own operators where the node stands.
std::string attribute_beyond_onnx(const NodeProto& node, int opset);

// Names that ONNX's own checker passes over: tools keep remarks of their own under them, and they change nothing.
bool is_internal_attribute(std::string_view name);

}  // namespace fuselab::onnx
