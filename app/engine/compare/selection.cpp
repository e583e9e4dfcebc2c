// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/selection.h"

#include <algorithm>
#include <set>

#include "app/engine/compare/compared_devices.h"
#include "app/engine/compare/preferred_devices.h"
#include "app/engine/compare/stored_devices.h"
#include "app/views/choice.h"
#include "app/views/recorded_rows.h"
#include "core/graph/graph_text.h"
#include "core/select/piece_signature.h"

namespace fuselab::engine {
namespace {

// Returns the figure to show for a cell of which no plan may be chosen.
const Figure* fastest_withheld(const CompareCell& cell) {
  const Figure* fastest = nullptr;
  for (const Cell* const plan : {&cell.fused, &cell.unfused}) {
    const bool faster = plan->figure && (fastest == nullptr || plan->figure->median_ns < fastest->median_ns);
    if (faster) fastest = &*plan->figure;
  }
  return fastest;
}

std::vector<TimeOnDevice> times_of(const CompareRow& row) {
  std::vector<TimeOnDevice> times;
  for (const CompareCell& cell : row.cells) {
    const auto plan = best_plan(cell);
    const Figure* const figure = plan ? &*(*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure : fastest_withheld(cell);
    if (figure != nullptr) times.push_back({cell.device_id, figure->median_ns, figure->interval, figure->drawbacks});
  }
  return times;
}

std::string first_type(const Graph& graph) {
  return graph.outputs().empty() ? "" : std::string(name_of(graph.type(graph.outputs().front()).dtype));
}

}  // namespace

Result<SelectionQuery> query_of(const CompareRow& row) {
  if (row.graph.empty()) return Error{ErrorCode::kUnsupported, row.name + " is never measured"};
  FL_TRY(const Graph graph, parse_graph(row.graph));
  FL_TRY(const WorkloadCharacteristics work, characterize(graph));
  return SelectionQuery{row.piece_key, piece_signature(row.graph), work};
}

std::vector<MeasuredPiece> measured_pieces(const std::vector<CompareTable>& tables) {
  std::vector<MeasuredPiece> pieces;
  std::set<std::string> seen;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      if (is_recorded(row)) continue;
      auto times = times_of(row);
      if (times.empty() || !seen.insert(row.piece_key).second) continue;
      const auto graph = parse_graph(row.graph);
      const auto query = query_of(row);
      if (!graph.ok() || !query.ok()) continue;
      const std::string where = table.binding.empty() ? "" : " (" + table.binding + ")";
      pieces.push_back({row.piece_key, query.value().signature, row.name + where, first_type(graph.value()), query.value().work,
                        std::move(times)});
    }
  }
  return pieces;
}

SelectableDevice selectable(const ComparedDevice& device) {
  return {device.info.id,
          device.info.backend,
          device.ceilings,
          device.info.compute_units.value_or(1),
          device.info.uses_host_memory(),
          device.info.is_host_cpu_again(),
          device.preference};
}

Result<std::unique_ptr<Selector>> selector_of(Engine& engine, CompareSpec spec) {
  spec.every_question = true;
  FL_TRY(const auto tables, engine.compare(spec));
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  FL_TRY(const auto found, spec.at_once ? engine.devices_at_once() : engine.devices(false));
  const StoredDevices known = with_stored_devices(found, catalog);
  FL_TRY(const DeviceChoice choice, with_user_preferences(engine.config(), spec.devices, known.backends));
  FL_TRY(const auto compared, compared_devices(catalog, known.backends, choice, engine.config().synthetic));
  std::vector<SelectableDevice> devices;
  for (const ComparedDevice& device : compared) devices.push_back(selectable(device));
  return std::make_unique<Selector>(std::move(devices), measured_pieces(tables));
}

std::vector<Recommendation> recommendations_for(const CompareRow& row, const std::string& device_id, double ns,
                                                const Selector& selector) {
  const auto query = query_of(row);
  const auto& devices = selector.devices();
  const auto device =
      std::find_if(devices.begin(), devices.end(), [&](const SelectableDevice& each) { return each.id == device_id; });
  if (!query.ok() || device == devices.end()) return {};
  AdvisedPiece piece;
  piece.work = query.value().work;
  piece.ns = ns;
  piece.launch_ns = selector.launch_ns(device_id).value_or(0);
  piece.compute_units = device->compute_units;
  const double bandwidth = device->ceilings.nearest_bandwidth(1, 1, piece.work.traffic());
  if (bandwidth > 0) piece.moving_ns = static_cast<double>(piece.work.traffic().count) / bandwidth * 1e9;
  if (!device->shares_host_memory) {
    if (const auto copies = transfer_time(piece.work, *device, {false, false})) piece.transfer_ns = copies->count;
  }
  for (const CompareCell& cell : row.cells) {
    if (cell.device_id == device_id) piece.fusion_gain = cell.gain;
  }
  return recommend(piece);
}

}  // namespace fuselab::engine
