// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/matrix/product/matrix_product.h"

namespace fuselab::codegen {

// Returns how a convolution's images and weights lie with channels last; none for products whose right operand is not an image that
// would be gathered.
std::optional<ChannelsLast> find_channels_last(const Graph& graph, const MatrixProduct& product);
// Returns the product of operands that lie so.
MatrixProduct with_channels_last(MatrixProduct product, const ChannelsLast& layout);

// Bytes that laying them out reads and writes.
std::int64_t bytes_laid_out(const MatrixProduct& product, const ChannelsLast& layout);
// Bytes of scratch, of which the first `before` are for something else.
std::int64_t scratch_bytes(const MatrixProduct& product, const ChannelsLast& layout, std::int64_t before);
// What resources/kernels/cuda/skeletons/channels_last.cuh finds before it.
std::vector<std::pair<std::string, std::int64_t>> constants_of(const MatrixProduct& product, std::int64_t before);
// Returns a kernel that lays them out and is followed by `product`.
Function lay_out_before(Function product, const MatrixProduct& of);

}  // namespace fuselab::codegen
