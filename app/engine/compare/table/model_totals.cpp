// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/table/model_totals.h"

#include <algorithm>
#include <utility>

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

// A total with the rows that its sums are over.
struct Sum {
  ModelTotal total;
  std::vector<bool> covered;  // by row
  int own = 0;                // rows that were measured on the device itself
};

const ComparedDevice* find_device(const std::vector<ComparedDevice>& devices, const std::string& id) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const ComparedDevice& each) { return each.info.id == id; });
  return found == devices.end() ? nullptr : &*found;
}

// What a row costs on the fastest other devices to which its data can be handed over, for one use.
struct Elsewhere {
  const CompareCell* fastest = nullptr;  // nullptr: there is none
  double unfused_ns = 0;
};

Elsewhere elsewhere(const CompareRow& row, const ComparedDevice& home, const std::vector<ComparedDevice>& devices) {
  Elsewhere found;
  for (const CompareCell& cell : row.cells) {
    const ComparedDevice* const other = cell.device_id == home.info.id ? nullptr : find_device(devices, cell.device_id);
    if (other == nullptr || !switching_ns(home.info, other->info, row.cost.ideal())) continue;
    const auto best = best_plan_ns(cell);
    if (best && (found.fastest == nullptr || *best < *best_plan_ns(*found.fastest))) found.fastest = &cell;
    if (cell.unfused.figure && cell.unfused.figure->is_choosable() &&
        (found.unfused_ns <= 0 || cell.unfused.figure->median_ns < found.unfused_ns))
      found.unfused_ns = cell.unfused.figure->median_ns;
  }
  return found.unfused_ns > 0 ? found : Elsewhere();
}

void add_best(ModelTotal& total, const CompareRow& row, const Figure& figure) {
  total.best_ns += row.count * figure.median_ns;
  total.best_interval.low += row.count * figure.interval.low;
  total.best_interval.high += row.count * figure.interval.high;
}

Sum sum_on(const CompareTable& table, const ComparedDevice& device, const std::vector<ComparedDevice>& devices) {
  Sum sum;
  ModelTotal& total = sum.total;
  total.device_id = device.info.id;
  total.pieces = static_cast<int>(table.rows.size());
  bool all_ideals_known = true;
  const auto add_ideal = [&](const CompareRow& row, const CompareCell& cell) {
    total.ideal_ns += row.count * cell.ideal_ns.value_or(0);
    all_ideals_known = all_ideals_known && cell.ideal_ns.has_value();
  };
  for (const CompareRow& row : table.rows) {
    // Only rows with both figures count, so that the sums compare like with like.
    const CompareCell* const cell = cell_on(row, device.info.id);
    const bool measured = cell != nullptr && cell->fused.figure && cell->unfused.figure;
    const Elsewhere other = measured || row.runs_nothing ? Elsewhere() : elsewhere(row, device, devices);
    sum.covered.push_back(measured || row.runs_nothing || other.fastest != nullptr);
    if (measured || row.runs_nothing) ++total.measured_pieces;
    if (measured) {
      ++sum.own;
      total.fused_ns += row.count * cell->fused.figure->median_ns;
      total.unfused_ns += row.count * cell->unfused.figure->median_ns;
      total.drawbacks = total.drawbacks | cell->fused.figure->drawbacks | cell->unfused.figure->drawbacks;
      add_ideal(row, *cell);
    }
    if (other.fastest != nullptr) {
      const Figure& figure = *best_figure(*other.fastest);
      ++total.completed_pieces;
      total.completed_ns += row.count * figure.median_ns;
      total.completed_unfused_ns += row.count * other.unfused_ns;
      total.drawbacks = total.drawbacks | figure.drawbacks;
      add_ideal(row, *other.fastest);
    }
  }
  total.fused_ns += total.completed_ns;
  total.unfused_ns += total.completed_unfused_ns;
  if (!all_ideals_known) total.ideal_ns = 0;  // a sum without some of them would promise too much
  return sum;
}

Sum sum_of_mix(const CompareTable& table, const std::vector<ComparedDevice>& devices) {
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
  Sum sum;
  ModelTotal& total = sum.total;
  total.device_id = kBestMix;
  total.pieces = static_cast<int>(table.rows.size());
  for (const CompareRow& row : table.rows) sum.covered.push_back(row.runs_nothing);
  const auto mix = best_mix(pieces, devices.size(), [&](std::size_t from, std::size_t to, Bytes bytes) {
    return switching_ns(devices[from].info, devices[to].info, bytes);
  });
  if (!mix) return sum;
  total.fused_ns = mix->work_ns + mix->switching_ns;
  total.switching_ns = mix->switching_ns;
  total.measured_pieces = static_cast<int>(std::count(sum.covered.begin(), sum.covered.end(), true));
  bool all_ideals_known = true;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (!mix->device[index]) continue;
    const CompareCell* const cell = cell_on(*rows[index], devices[*mix->device[index]].info.id);
    sum.covered[static_cast<std::size_t>(rows[index] - table.rows.data())] = true;
    ++sum.own;
    ++total.measured_pieces;
    ++total.pieces_on[cell->device_id];
    add_best(total, *rows[index], *best_figure(*cell));
    total.unfused_ns += rows[index]->count * rows[index]->best_unfused.cell.figure->median_ns;
    total.ideal_ns += rows[index]->count * cell->ideal_ns.value_or(0);
    total.drawbacks = total.drawbacks | best_figure(*cell)->drawbacks | rows[index]->best_unfused.cell.figure->drawbacks;
    all_ideals_known = all_ideals_known && cell->ideal_ns.has_value();
  }
  total.best_ns += mix->switching_ns;
  total.best_interval.low += mix->switching_ns;
  total.best_interval.high += mix->switching_ns;
  if (!all_ideals_known) total.ideal_ns = 0;
  return sum;
}

// Sums the faster plan of each piece that may be chosen over the pieces of the mix; where the device has none, what the piece costs
// on the fastest other one. Leaves the sum at 0 where a piece has no figure that its data can be handed over for.
void add_best_sum(ModelTotal& total, const CompareTable& table, const std::vector<bool>& of_mix, const ComparedDevice& device,
                  const std::vector<ComparedDevice>& devices) {
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const CompareRow& row = table.rows[at];
    if (!of_mix[at] || row.runs_nothing) continue;
    const CompareCell* const cell = cell_on(row, device.info.id);
    const Figure* best = cell == nullptr ? nullptr : best_figure(*cell);
    if (best == nullptr) {
      const Elsewhere other = elsewhere(row, device, devices);
      best = other.fastest == nullptr ? nullptr : best_figure(*other.fastest);
      ++total.best_elsewhere;
    }
    if (best == nullptr) {
      total.best_ns = 0;
      total.best_interval = {};
      return;
    }
    add_best(total, row, *best);
  }
}

// Takes the sums from a total that is over other pieces than the one over most of them: they would be compared. A total of plans
// that nobody may choose sets no measure.
void keep_comparable(std::vector<Sum>& sums) {
  const auto weight = [](const Sum& sum) {
    const bool may_be_chosen = sum.own > 0 && !sum.total.drawbacks.is_withheld();
    return std::pair(may_be_chosen, sum.own == 0 ? 0 : std::count(sum.covered.begin(), sum.covered.end(), true));
  };
  const auto most = std::max_element(sums.begin(), sums.end(), [&](const Sum& a, const Sum& b) { return weight(a) < weight(b); });
  const std::vector<bool> covered = most->covered;
  for (Sum& sum : sums) {
    if (sum.own > 0 && sum.covered == covered) continue;
    ModelTotal without;
    without.device_id = sum.total.device_id;
    without.measured_pieces = sum.total.measured_pieces;
    without.pieces = sum.total.pieces;
    sum.total = without;
  }
}

}  // namespace

std::optional<Ratio> ratio_to_best_mix(double ns, const Interval& interval, const std::vector<ModelTotal>& totals) {
  const auto mix = std::find_if(totals.begin(), totals.end(), [](const ModelTotal& each) { return each.device_id == kBestMix; });
  if (!(ns > 0) || mix == totals.end() || !mix->is_whole() || mix->best_interval.low <= 0) return std::nullopt;
  return Ratio{ns / mix->best_ns, {interval.low / mix->best_interval.high, interval.high / mix->best_interval.low}};
}

std::optional<double> switching_ns(const DeviceInfo& from, const DeviceInfo& to, Bytes bytes) {
  if (from.id == to.id || bytes.count == 0 || (from.uses_host_memory() && to.uses_host_memory())) return 0.0;
  return std::nullopt;
}

std::vector<ModelTotal> model_totals(const CompareTable& table, const std::vector<ComparedDevice>& devices) {
  std::vector<Sum> sums;
  for (const ComparedDevice& device : devices) sums.push_back(sum_on(table, device, devices));
  sums.push_back(sum_of_mix(table, devices));
  const std::vector<bool> of_mix = sums.back().covered;
  keep_comparable(sums);
  for (std::size_t at = 0; at < devices.size(); ++at) {
    if (sums[at].own > 0) add_best_sum(sums[at].total, table, of_mix, devices[at], devices);
  }
  std::vector<ModelTotal> totals;
  for (const Sum& sum : sums) totals.push_back(sum.total);
  const auto rank = [](const ModelTotal& total) { return total.fused_ns <= 0 ? 2 : total.completed_pieces > 0 ? 1 : 0; };
  std::stable_sort(totals.begin(), totals.end() - 1, [&](const ModelTotal& a, const ModelTotal& b) { return rank(a) < rank(b); });
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
