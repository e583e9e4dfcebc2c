// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/operator_row.h"
#include "core/reference/operators/reference_movement.h"

namespace fuselab::reference {

std::vector<Needed> first_input_demand(const Ask& ask, Positions wanted) {
  std::vector<Needed> demands(ask.node.inputs.size(), Needed::everything());
  demands[0] = Needed::only(std::move(wanted));
  return demands;
}

std::vector<Needed> broadcast_demand(const Ask& ask) {
  std::vector<Needed> demands;
  const auto output = ask.output();
  for (std::size_t i = 0; i < ask.node.inputs.size(); ++i) {
    const BroadcastIndex index(output, ask.extents(i));
    Positions wanted;
    for (const std::int64_t at : ask.positions) wanted.push_back(index(at));
    demands.push_back(Needed::only(std::move(wanted)));
  }
  return demands;
}

std::vector<Needed> moved_demand(const Ask& ask) {
  std::vector<Positions> wanted(ask.node.inputs.size());
  const SourceMap map = source_map(ask.graph, ask.node, ask.output_index);
  for (const std::int64_t at : ask.positions) {
    const Source source = map(at);
    if (source.exists()) wanted[source.input].push_back(source.at);
  }
  std::vector<Needed> demands;
  for (Positions& positions : wanted) demands.push_back(Needed::only(std::move(positions)));
  return demands;
}

std::vector<Needed> row_demand(const Ask& ask, const std::vector<bool>& along, bool output_is_rows) {
  const Rows rows(ask.extents(0), along);
  Positions wanted_rows;
  for (const std::int64_t at : ask.positions) wanted_rows.push_back(output_is_rows ? at : rows.row_of(at));
  const Needed unique = Needed::only(std::move(wanted_rows));
  if (unique.count(rows.count()) == rows.count()) return std::vector<Needed>(ask.node.inputs.size(), Needed::everything());
  Positions wanted;
  for (const std::int64_t row : unique.positions()) {
    const std::int64_t base = rows.base(row);
    for (std::int64_t i = 0; i < rows.length(); ++i) wanted.push_back(base + rows.offset(i));
  }
  return first_input_demand(ask, std::move(wanted));
}

}  // namespace fuselab::reference
