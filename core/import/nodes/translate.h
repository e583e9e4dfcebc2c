// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/wire/node_import.h"

// The translators of single operators, grouped by family.
namespace fuselab::onnx {

Result<Translated> translate(NodeImport& node);

// These translate operators by family; each handles the names that it is registered with.
Result<Translated> translate_elementwise(NodeImport& node);
Result<Translated> translate_clip(NodeImport& node);
Result<Translated> translate_cast(NodeImport& node);
Result<Translated> translate_dropout(NodeImport& node);
Result<Translated> translate_reduce(NodeImport& node);
Result<Translated> translate_softmax(NodeImport& node);
Result<Translated> translate_direct(NodeImport& node);
Result<Translated> translate_layer_norm(NodeImport& node);
Result<Translated> translate_cross_entropy(NodeImport& node);
Result<Translated> translate_batch_norm(NodeImport& node);
Result<Translated> translate_window(NodeImport& node);
Result<Translated> translate_gemm(NodeImport& node);
Result<Translated> translate_reshape(NodeImport& node);
Result<Translated> translate_transpose(NodeImport& node);
Result<Translated> translate_axes_view(NodeImport& node);
Result<Translated> translate_expand(NodeImport& node);
Result<Translated> translate_slice(NodeImport& node);
Result<Translated> translate_split(NodeImport& node);
Result<Translated> translate_concat(NodeImport& node);
Result<Translated> translate_gather(NodeImport& node);
Result<Translated> translate_cumsum(NodeImport& node);
Result<Translated> translate_pad(NodeImport& node);
Result<Translated> translate_trilu(NodeImport& node);
Result<Translated> translate_top_k(NodeImport& node);
Result<Translated> translate_recurrence(NodeImport& node);
Result<Translated> translate_constant(NodeImport& node);
Result<Translated> translate_constant_of_shape(NodeImport& node);
Result<Translated> translate_random(NodeImport& node);
Result<Translated> translate_shape(NodeImport& node);

}  // namespace fuselab::onnx
