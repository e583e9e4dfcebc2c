// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/import/constants/generated_numbers.h"
#include "core/import/wire/node_import.h"

namespace fuselab::onnx {

// An ONNX operator that becomes several of ours, or numbers that are known while importing.
struct ComposedOperator {
  const char* name;
  Result<Translated> (*translate)(NodeImport&);
  std::size_t least_operands;
  std::size_t most_operands;
};

// Returns null when the operator is none of these.
const ComposedOperator* find_composed(const std::string& name);

// Returns the result of an operator that is constant: its numbers when they are few, else how they are made.
Result<Translated> constant_data(GeneratedNumbers numbers);

// These translate operators by family; each handles the names that it is registered with.
Result<Translated> translate_composed_reduction(NodeImport& node);
Result<Translated> translate_global_max_pool(NodeImport& node);
Result<Translated> translate_global_lp_pool(NodeImport& node);
Result<Translated> translate_lp_pool(NodeImport& node);
Result<Translated> translate_activation(NodeImport& node);
Result<Translated> translate_prelu(NodeImport& node);
Result<Translated> translate_instance_norm(NodeImport& node);
Result<Translated> translate_group_norm(NodeImport& node);
Result<Translated> translate_mean_variance_norm(NodeImport& node);
Result<Translated> translate_lp_norm(NodeImport& node);
Result<Translated> translate_training_batch_norm(NodeImport& node);
Result<Translated> translate_local_response_norm(NodeImport& node);
Result<Translated> translate_tile(NodeImport& node);
Result<Translated> translate_depth_to_space(NodeImport& node);
Result<Translated> translate_space_to_depth(NodeImport& node);
Result<Translated> translate_einsum(NodeImport& node);
Result<Translated> translate_sum(NodeImport& node);
Result<Translated> translate_cast_like(NodeImport& node);
Result<Translated> translate_range(NodeImport& node);
Result<Translated> translate_eye_like(NodeImport& node);
Result<Translated> translate_one_hot(NodeImport& node);
Result<Translated> translate_signal_window(NodeImport& node);
Result<Translated> translate_size(NodeImport& node);
Result<Translated> translate_transposed_conv(NodeImport& node);
Result<Translated> translate_resize(NodeImport& node);
Result<Translated> translate_attention(NodeImport& node);
Result<Translated> translate_quantize(NodeImport& node);
Result<Translated> translate_dequantize(NodeImport& node);
Result<Translated> translate_dynamic_quantize(NodeImport& node);
Result<Translated> translate_matmul_integer(NodeImport& node);
Result<Translated> translate_tensor_scatter(NodeImport& node);

}  // namespace fuselab::onnx
