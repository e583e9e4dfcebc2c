// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/piece_model.h"

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/views/decision_words.h"
#include "core/base/units.h"

namespace fuselab::gui {

QString flops_text(double flops) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}};
  for (const auto& [factor, name] : kUnits) {
    if (flops >= factor) return QStringLiteral("%1 %2").arg(flops / factor, 0, 'g', 3).arg(QLatin1String(name));
  }
  return QStringLiteral("%1 FLOP").arg(flops, 0, 'g', 3);
}

QString intensity_text(const Cost& cost) {
  return QStringLiteral("%1 FLOP/byte").arg(cost.intensity(), 0, 'g', 3);
}

PieceModel::PieceModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Fact"), {}, false, 190}, {tr("Value"), {}, false, 340}});
}

void PieceModel::show(const engine::CompareRow* row) {
  beginResetModel();
  facts_.clear();
  if (row != nullptr) {
    add(tr("Piece"), text_of(row->name));
    add(tr("Pattern"), text_of(row->pattern));
    add(tr("Occurs in the model"), counted_text(row->count, tr("time"), tr("times")));
    add_cost(row->cost);
    for (const engine::CompareCell& cell : row->cells) add_cell(cell);
    add_best_unfused(row->best_unfused);
    if (!row->recommended_device.empty())
      add(tr("Recommended"),
          tr("%1, %2").arg(text_of(row->recommended_device), plan_text(row->recommended_plan, row->single_operator)),
          Tone::kAccent);
    add(tr("Reason"), window_words(row->reason));
    if (row->to_be_won_ns > 0) add(tr("Headroom"), duration_text(row->to_be_won_ns));
    add(tr("Key"), text_of(row->piece_key));
  }
  endResetModel();
}

void PieceModel::add(const QString& name, const QString& value, Tone tone) {
  if (!value.isEmpty()) facts_.push_back({name, value, tone});
}

void PieceModel::add_cost(const Cost& cost) {
  if (cost.ideal().count <= 0) return;
  add(tr("Ideal traffic"),
      tr("%1 (%2 read, %3 written)")
          .arg(text_of(format_bytes(cost.ideal())), text_of(format_bytes(cost.read)), text_of(format_bytes(cost.written))));
  if (cost.eager().count > 0)
    add(tr("Traffic unfused"), tr("%1: at most %2× to be gained by traffic")
                                   .arg(text_of(format_bytes(cost.eager())))
                                   .arg(cost.traffic_bound(), 0, 'f', 2));
  if (cost.flops > 0) add(tr("Arithmetic"), tr("%1, intensity %2").arg(flops_text(cost.flops), intensity_text(cost)));
}

void PieceModel::add_figure(const QString& name, const engine::Cell& cell) {
  if (cell.state == engine::CellState::kPending) return;
  if (cell.withheld) return add(name, cell_text(cell) + QStringLiteral(": ") + window_words(cell.reason), cell_tone(cell));
  if (!cell.figure) return add(name, window_words(cell.reason), cell_tone(cell));
  const engine::Figure& figure = *cell.figure;
  add(name, figure_text(figure) + (figure.confirmed ? tr(", confirmed in a fresh process") : QString()));
  add(tr("%1: configuration").arg(name), text_of(figure.config));
  add(tr("%1: ~").arg(name), text_of(figure.disturbance), Tone::kWarning);
  QStringList apart;
  if (figure.compile_ns > 0) apart << tr("compiled in %1").arg(duration_text(figure.compile_ns));
  if (figure.first_launch_ns > 0) apart << tr("first launch %1").arg(duration_text(figure.first_launch_ns));
  add(tr("%1: not in the median").arg(name), apart.join(QLatin1String(", ")));
}

// A sum of figures that were measured apart has no interval of its own worth showing as measured: it says that it is a sum.
void PieceModel::add_best_unfused(const engine::BestUnfused& best) {
  if (!best.cell.figure) return;
  QStringList devices;
  for (const std::string& device : best.devices) devices << text_of(device);
  const QString how = best.composed ? tr("sum of operators measured apart, on %1") : tr("measured on %1");
  add(tr("Best unfused"), tr("%1: %2").arg(duration_text(best.cell.figure->median_ns), how.arg(devices.join(QLatin1String(", ")))));
}

void PieceModel::add_cold(const QString& name, const engine::Cell& cell) {
  if (cell.figure) add(name, figure_text(*cell.figure));
}

void PieceModel::add_cell(const engine::CompareCell& cell) {
  const QString device = text_of(cell.device_id);
  const bool one_plan = has_one_plan(cell);
  const QString fused = plan_text(PlanKind::kFused, one_plan);
  add_figure(tr("%1, %2").arg(device, fused), cell.fused);
  add(tr("%1, %2: decided").arg(device, fused), text_of(engine::decision_text(cell.tuning)));
  add(tr("%1: not tuned").arg(device), text_of(cell.given_up));
  if (!one_plan) add_figure(tr("%1, unfused").arg(device), cell.unfused);
  add_cold(tr("%1, %2, cold caches").arg(device, fused), cell.cold_fused);
  if (!one_plan) add_cold(tr("%1, unfused, cold caches").arg(device), cell.cold_unfused);
  if (cell.gain)
    add(tr("%1, gain").arg(device), tr("%1: %2").arg(ratio_text(*cell.gain), gain_verdict(cell)), ratio_tone(*cell.gain));
  if (cell.ideal_ns) {
    const QString bound = tr("bound by %1").arg(QLatin1String(cell.bound()));
    const QString share =
        cell.share_of_ceiling ? tr(", %1 reaches %2").arg(fused, percent_text(*cell.share_of_ceiling)) : QString();
    add(tr("%1, ideal").arg(device), tr("%1, %2%3").arg(duration_text(*cell.ideal_ns), bound, share));
  }
}

TableCell PieceModel::cell(int row, int column) const {
  const Fact& fact = facts_[static_cast<std::size_t>(row)];
  return column == 0 ? TableCell{fact.name, {}, {}, Tone::kMuted} : TableCell{fact.value, fact.value, {}, fact.tone};
}

}  // namespace fuselab::gui
