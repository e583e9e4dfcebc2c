// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "onnx_subset.pb.h"

namespace fuselab::onnx {

using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

// Returns a name from the file for messages and for the graph: printable, and not longer than a line.
std::string shown(const std::string& name);
// Returns the name of a node's operator for messages, with its domain where that is not ONNX's own.
std::string op_name(const NodeProto& node);
// Returns true for the domain of ONNX's own operators.
bool is_standard(const std::string& domain);

// Appends the names that nodes read, those that their bodies read included. An empty name is an operand that is not there.
void append_read_names(const Nodes& nodes, std::vector<std::string>& names);
// Appends the names that the bodies of a node read (If, Loop, Scan): values of the graph around them are no operands of the node.
void append_body_names(const NodeProto& node, std::vector<std::string>& names);

}  // namespace fuselab::onnx
