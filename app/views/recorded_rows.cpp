// SPDX-License-Identifier: Apache-2.0
#include "app/views/recorded_rows.h"

#include <algorithm>

namespace fuselab::engine {

bool is_recorded(const CompareRow& row) {
  return !row.cells.empty() &&
         std::ranges::all_of(row.cells, [](const CompareCell& cell) { return cell.backend == kRecordedBackend; });
}

}  // namespace fuselab::engine
