// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ops/op_attributes.h"

namespace fuselab::onnx {

class NodeProto;

// The attributes that ONNX gives an operator are a row: `name:kind` with spaces between them, and `@first-last` behind one that not
// every opset has. They are as ONNX's operator schemas (1.23, opset 28) give them. Kinds: i f s t g one integer, real, text,
// tensor, graph; I F S lists of them; p a sparse tensor. Each node is checked against its row before its translator sees it, so
// that no translator can ignore an attribute silently.

// Returns why one of the node's attributes is not understood, or "": its operator has none of that name, or only at another opset,
// or one of another kind. `opset` is that of ONNX's own operators for the node.
std::string attribute_beyond_onnx(const NodeProto& node, int opset, std::string_view row);

// Returns the attributes of a row at this opset, as far as our own operators could have them: numbers, texts, lists of integers.
std::vector<AttributeInfo> attribute_infos(std::string_view row, int opset);

// Returns true for names that ONNX's own checker ignores: tools keep remarks under them, which change nothing.
bool is_internal_attribute(std::string_view name);

}  // namespace fuselab::onnx
