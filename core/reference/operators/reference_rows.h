// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/reference/operators/operator_row.h"

// Helpers shared by operators on whole rows; private to core/reference.
namespace fuselab::reference {

using Row = std::vector<Bounded>;

void load_row(const Tensor& tensor, const Rows& rows, std::int64_t row, Row& to);

}  // namespace fuselab::reference
