// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/wire/imported_model.h"

namespace fuselab {

// Reads an ONNX file. Models are untrusted: time and memory are bounded, and errors are clear, whatever the file contains. Symbols
// of the file's dimensions that `extents` names are replaced by those numbers from the beginning, so that shape arithmetic is
// folded that symbols would keep open; names that the file does not have are ignored.
// Small inputs of whole numbers or bools that `numbers` names are known to have those, so that what hangs on them alone is folded
// and an If takes its branch; they stay inputs, and whoever runs the model must give them these numbers. Fails with kUnavailable
// when Fuselab was built without protobuf.
Result<ImportedModel> import_onnx(const std::filesystem::path& file, const Bindings& extents = {},
                                  Weights weights = Weights::kShapesAlone, const InputNumbers& numbers = {});
// `folder` is where external data is looked for. Nothing outside of it is read, and nothing at all when it is empty.
Result<ImportedModel> import_onnx_bytes(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                                        const Bindings& extents = {}, Weights weights = Weights::kShapesAlone,
                                        const InputNumbers& numbers = {});

}  // namespace fuselab
