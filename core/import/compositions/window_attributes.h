// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/import/reader/node_import.h"

namespace fuselab::onnx {

// Reads the attributes of a node that moves a window over its first operand: those that are `known`, with the padding in numbers.
// `filter` is the operand whose extents the window has where no attribute says them. Returns "" or why they are not understood.
Result<std::string> read_window(const NodeImport& node, std::span<const AttributeInfo> known, Attributes& attributes,
                                std::size_t filter = 1);
// Does the same where the attributes were read.
Result<std::string> write_padding(const NodeImport& node, Attributes& attributes, std::size_t filter = 1);

}  // namespace fuselab::onnx
