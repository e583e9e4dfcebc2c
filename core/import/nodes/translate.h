// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/reader/node_import.h"

namespace fuselab::onnx {

// Translates a node by the row of its operator, once its attributes and operands are those that ONNX gives it.
Result<Translated> translate(NodeImport& node);

}  // namespace fuselab::onnx
