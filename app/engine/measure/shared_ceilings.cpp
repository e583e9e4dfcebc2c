// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/shared_ceilings.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

bool is_host_processor(const DeviceInfo& device) {
  return device.type == "cpu" && !device.synthetic;
}

bool is_same_limit(const Ceiling& a, const Ceiling& b) {
  return a.kind == b.kind && a.read_streams == b.read_streams && a.write_streams == b.write_streams && a.footprint == b.footprint;
}

void raise(CeilingTable& table, const Ceiling& row) {
  const auto known =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const Ceiling& other) { return is_same_limit(row, other); });
  if (known == table.rows.end())
    table.rows.push_back(row);
  else if (known->per_second < row.per_second)
    *known = row;
}

}  // namespace

std::vector<CeilingTable> shared_ceilings(const std::vector<MeasuredCeilings>& devices) {
  CeilingTable processor;
  for (const MeasuredCeilings& each : devices) {
    if (!is_host_processor(*each.device)) continue;
    for (const Ceiling& row : each.table->rows) raise(processor, row);
  }
  std::vector<CeilingTable> tables;
  for (const MeasuredCeilings& each : devices) tables.push_back(is_host_processor(*each.device) ? processor : *each.table);
  return tables;
}

}  // namespace fuselab::engine
