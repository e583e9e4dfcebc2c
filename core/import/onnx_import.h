// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/wire/imported_model.h"
#include "core/platform/files/links.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// Reads an ONNX file. Models are untrusted: time and memory are bounded, and errors are clear, whatever the file contains. Symbols
// of the file's dimensions that `extents` names are replaced by those numbers from the beginning, so that shape arithmetic is
// folded that symbols would keep open; names that the file does not have are ignored.
// Small inputs of whole numbers or bools that `numbers` names are known to have those, so that what hangs on them alone is folded
// and an If takes its branch; they stay inputs, and whoever runs the model must give them these numbers.
// `links`: whether weights may lie behind symbolic links of the model's folder, or beside the file that the model's is a link to.
// Fails with kUnavailable when Fuselab was built without protobuf.
Result<ImportedModel> import_onnx(const std::filesystem::path& file, const Bindings& extents = {},
                                  Weights weights = Weights::kShapesAlone, const InputNumbers& numbers = {},
                                  platform::Links links = platform::Links::kRefused);
// `folder` is where external data is looked for. Nothing outside of it is read, and nothing at all when it is empty.
Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                                        const Bindings& extents = {}, Weights weights = Weights::kShapesAlone,
                                        const InputNumbers& numbers = {});

// Reads a tensor that lies in a file of its own (ONNX's TensorProto, as in the test data of its models). It is as untrusted.
// Fails where its type is not known here, or where it holds no numbers of its own or of another number than its extents say.
Result<PackedTensor> import_tensor(std::span<const std::byte> bytes);

}  // namespace fuselab
