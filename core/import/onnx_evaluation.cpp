// SPDX-License-Identifier: Apache-2.0
#include "core/import/onnx_evaluation.h"

#include "core/import/evaluation/file_evaluation.h"
#include "core/import/model_file.h"
#include "onnx_subset.pb.h"

namespace fuselab {

Result<std::vector<RealTensor>> evaluate_onnx(const std::filesystem::path& file, const std::map<std::string, RealTensor>& given,
                                              platform::Links links) {
  FL_TRY(const onnx::Model model, onnx::read_model(file));
  return onnx::evaluate_graph(*model, onnx::folder_of(file, links), given);
}

}  // namespace fuselab
