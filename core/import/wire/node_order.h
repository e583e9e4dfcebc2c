// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// Puts the nodes of a model's graph, of its bodies and of its functions in an order that can run, where they are in none: each
// behind those whose results it or its bodies read, else as in the file. ONNX asks for such an order, and converters of half
// precision do not keep it. Nodes of a cycle stay where they are, so that reading them names what is missing.
// Returns whether any moved.
bool sort_nodes(ModelProto& model);

}  // namespace fuselab::onnx
