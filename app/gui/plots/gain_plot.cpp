// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/gain_plot.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::gain_plot", text);
}

QString times(double value) {
  return QStringLiteral("%1×").arg(value, 0, 'g', 3);
}

Series line(const QString& name, int color, bool dashed, const PlotPoint& from, const PlotPoint& to) {
  return {name, Mark::kLine, color, {from, to}, dashed, true};
}

}  // namespace

PlotSpec gain_plot(const engine::CompareTable& table) {
  constexpr double kRoom = 1.15;  // around the points
  PlotSpec spec;
  spec.title = tr("Gain of fusion below what traffic allows");
  spec.brief_title = tr("Gain");
  spec.x = {tr("gain that traffic allows"), Scale::kLog, {}, {}, {}, times};
  spec.y = {tr("measured gain"), Scale::kLog, {}, {}, {}, times};
  spec.empty_text = tr("No piece has both a measured gain and traffic that fusing saves.");
  std::map<std::string, Series> devices;
  double most = 1;
  QStringList names;
  for (const engine::CompareRow& row : table.rows) names << text_of(row.name);
  names = shortest_names(names);
  for (const engine::CompareRow& row : table.rows) {
    const double bound = row.cost.traffic_bound();
    if (row.single_operator || row.cost.eager().count <= 0 || bound <= 0) continue;
    for (const engine::CompareCell& cell : row.cells) {
      if (!cell.gain || cell.is_one_plan()) continue;
      const Ratio& gain = *cell.gain;
      const QString label =
          tr("%1 on %2: got %3 of %4").arg(text_of(row.name), text_of(cell.device_id), times(gain.value), times(bound));
      devices[cell.device_id].points.push_back(
          {bound, gain.value, gain.interval.low, gain.interval.high, label, text_of(row.piece_key),
           cell.device_id == row.recommended_device ? names[&row - table.rows.data()] : QString()});
      most = std::max(most, bound);
    }
  }
  if (devices.empty()) return spec;
  spec.series.push_back(line(tr("all that traffic allows"), 7, false, {1, 1, kNoValue, kNoValue, {}, {}},
                             {most * kRoom, most * kRoom, kNoValue, kNoValue, {}, {}}));
  spec.series.push_back(
      line(tr("no gain"), 7, true, {1, 1, kNoValue, kNoValue, {}, {}}, {most * kRoom, 1, kNoValue, kNoValue, {}, {}}));
  int color = 0;
  for (auto& [device, series] : devices) {
    series.name = text_of(device);
    series.color = color++;
    spec.series.push_back(std::move(series));
  }
  return spec;
}

}  // namespace fuselab::gui
