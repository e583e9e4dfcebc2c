// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/files/links.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// Evaluates an ONNX file node by node in float64 and returns its outputs in the file's order: see onnx::evaluate_graph(). What is
// checked against it is checked against the file, and not against what import_onnx() made of it.
// `given`: inputs, and weights that the file lacks, by their names as ImportedModel has them.
Result<std::vector<RealTensor>> evaluate_onnx(const std::filesystem::path& file, const std::map<std::string, RealTensor>& given,
                                              platform::Links links = platform::Links::kRefused);

}  // namespace fuselab
