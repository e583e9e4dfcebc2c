// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/model_totals.h"

#include <algorithm>

#include "app/views/choice.h"
#include "core/select/best_mix.h"

namespace fuselab::engine {
namespace {

const CompareCell* cell_on(const CompareRow& row, const std::string& device_id) {
  const auto found =
      std::find_if(row.cells.begin(), row.cells.end(), [&](const CompareCell& cell) { return cell.device_id == device_id; });
  return found == row.cells.end() ? nullptr : &*found;
}

const Figure* best_figure(const CompareCell& cell) {
  const std::optional<PlanKind> plan = best_plan(cell);
  return plan ? &*(*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure : nullptr;
}

std::optional<double> best_plan_ns(const CompareCell& cell) {
  const Figure* const figure = best_figure(cell);
  return figure == nullptr ? std::nullopt : std::optional(figure->median_ns);
}

ModelTotal total_on(const CompareTable& table, const std::string& device_id) {
  ModelTotal total;
  total.device_id = device_id;
  bool all_ideals_known = true;
  for (const CompareRow& row : table.rows) {
    ++total.pieces;
    // Only rows with both figures count, so that the sums compare like with like.
    const CompareCell* const cell = cell_on(row, device_id);
    if (row.runs_nothing) ++total.measured_pieces;
    if (cell == nullptr || !cell->fused.figure || !cell->unfused.figure) continue;
    ++total.measured_pieces;
    total.fused_ns += row.count * cell->fused.figure->median_ns;
    total.unfused_ns += row.count * cell->unfused.figure->median_ns;
    total.ideal_ns += row.count * cell->ideal_ns.value_or(0);
    total.drawbacks = total.drawbacks | cell->fused.figure->drawbacks | cell->unfused.figure->drawbacks;
    all_ideals_known = all_ideals_known && cell->ideal_ns.has_value();
  }
  if (!all_ideals_known) total.ideal_ns = 0;  // a sum without some of them would promise too much
  return total;
}

ModelTotal mix_total(const CompareTable& table, const std::vector<ComparedDevice>& devices) {
  std::vector<const CompareRow*> rows;
  std::vector<MixPiece> pieces;
  for (const CompareRow& row : table.rows) {
    if (!row.best_unfused.cell.figure) continue;
    rows.push_back(&row);
    MixPiece& piece = pieces.emplace_back();
    piece.count = row.count;
    piece.boundary = row.cost.ideal();
    for (const ComparedDevice& device : devices) {
      const CompareCell* const cell = cell_on(row, device.info.id);
      piece.ns_per_device.push_back(cell == nullptr ? std::nullopt : best_plan_ns(*cell));
    }
  }
  ModelTotal total;
  total.device_id = kBestMix;
  total.pieces = static_cast<int>(table.rows.size());
  const auto mix = best_mix(pieces, devices.size(), [&](std::size_t from, std::size_t to, Bytes bytes) {
    return switching_ns(devices[from].info, devices[to].info, bytes);
  });
  if (!mix) return total;
  total.fused_ns = mix->work_ns + mix->switching_ns;
  total.switching_ns = mix->switching_ns;
  total.measured_pieces =
      static_cast<int>(std::count_if(table.rows.begin(), table.rows.end(), [](const CompareRow& row) { return row.runs_nothing; }));
  bool all_ideals_known = true;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (!mix->device[index]) continue;
    const CompareCell* const cell = cell_on(*rows[index], devices[*mix->device[index]].info.id);
    ++total.measured_pieces;
    ++total.pieces_on[cell->device_id];
    const Interval& interval = best_figure(*cell)->interval;
    total.fused_interval.low += rows[index]->count * interval.low;
    total.fused_interval.high += rows[index]->count * interval.high;
    total.unfused_ns += rows[index]->count * rows[index]->best_unfused.cell.figure->median_ns;
    total.ideal_ns += rows[index]->count * cell->ideal_ns.value_or(0);
    total.drawbacks = total.drawbacks | best_figure(*cell)->drawbacks | rows[index]->best_unfused.cell.figure->drawbacks;
    all_ideals_known = all_ideals_known && cell->ideal_ns.has_value();
  }
  total.fused_interval.low += mix->switching_ns;
  total.fused_interval.high += mix->switching_ns;
  if (!all_ideals_known) total.ideal_ns = 0;
  return total;
}

}  // namespace

std::optional<Ratio> ratio_to_best_mix(const Cell& whole, const std::vector<ModelTotal>& totals) {
  const auto mix = std::find_if(totals.begin(), totals.end(), [](const ModelTotal& each) { return each.device_id == kBestMix; });
  if (!whole.figure || mix == totals.end() || mix->measured_pieces < mix->pieces || mix->fused_interval.low <= 0)
    return std::nullopt;
  const Interval& interval = whole.figure->interval;
  return Ratio{whole.figure->median_ns / mix->fused_ns,
               {interval.low / mix->fused_interval.high, interval.high / mix->fused_interval.low}};
}

std::optional<double> switching_ns(const DeviceInfo& from, const DeviceInfo& to, Bytes bytes) {
  if (from.id == to.id || bytes.count == 0 || (from.uses_host_memory() && to.uses_host_memory())) return 0.0;
  return std::nullopt;
}

std::vector<ModelTotal> model_totals(const CompareTable& table, const std::vector<ComparedDevice>& devices) {
  std::vector<ModelTotal> totals;
  for (const ComparedDevice& device : devices) totals.push_back(total_on(table, device.info.id));
  totals.push_back(mix_total(table, devices));
  return totals;
}

void share_out(CompareTable& table) {
  const auto best_of = [](const CompareRow& row) {
    const CompareCell* const cell = cell_on(row, row.recommended_device);
    return cell == nullptr ? 0.0 : row.count * best_plan_ns(*cell).value_or(0);
  };
  double whole = 0;
  for (const CompareRow& row : table.rows) {
    const double best = best_of(row);
    if (best <= 0 && !row.runs_nothing) return;  // a share of only the measured pieces is no share of the model
    whole += best;
  }
  if (whole <= 0) return;
  for (CompareRow& row : table.rows) row.share_of_model = best_of(row) / whole;
}

}  // namespace fuselab::engine
