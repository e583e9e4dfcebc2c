// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/import/wire/external_data.h"
#include "core/tensor/tensor.h"

namespace fuselab::onnx {

class ModelProto;

// Evaluates the graph of a file node by node in float64, with the numbers that the file holds, by ONNX's own words. It shares no
// step with the importer's translators, with folding, or with the float64 reference, so that a mistake of theirs shows.
// `given`: inputs, and weights that the file lacks, by their names as ImportedModel has them.
// Returns the outputs in the file's order. Fails with kUnsupported and the node's name where an operator is not known here, and
// where the graph would take more than 20 GFLOP or 2 GiB; with kInvalidArgument where operands do not fit.
Result<std::vector<RealTensor>> evaluate_graph(const ModelProto& model, const ModelFolder& folder,
                                               const std::map<std::string, RealTensor>& given);

}  // namespace fuselab::onnx
