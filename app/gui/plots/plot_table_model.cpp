// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_table_model.h"

#include <cmath>

namespace fuselab::gui {

void PlotTableModel::set_spec(const PlotSpec& spec) {
  beginResetModel();
  spec_ = spec;
  lines_.clear();
  for (std::size_t series = 0; series < spec_.series.size(); ++series) {
    for (std::size_t point = 0; point < spec_.series[series].points.size(); ++point) lines_.emplace_back(series, point);
  }
  set_columns({{tr("Series"), {}, false, 130},
               {tr("Label"), {}, false, 200},
               {spec_.x.title.isEmpty() ? tr("Name") : spec_.x.title, {}, spec_.x.scale != Scale::kCategory, 130},
               {spec_.y.title, {}, true, 120},
               {tr("Low"), tr("Lower end of the 95 % interval"), true, 100},
               {tr("High"), tr("Upper end of the 95 % interval"), true, 100}});
  endResetModel();
}

TableCell PlotTableModel::cell(int row, int column) const {
  const auto [s, p] = lines_[static_cast<std::size_t>(row)];
  const Series& series = spec_.series[s];
  const PlotPoint& point = series.points[p];
  auto figure = [this](double value) {
    return std::isfinite(value) ? TableCell{value_text(spec_.y, value), {}, value}
                                : TableCell{QStringLiteral("–"), {}, {}, Tone::kMuted};
  };
  switch (column) {
    case 0: return {series.name};
    case 1: return {point.label, point.label};
    case 2: return {value_text(spec_.x, point.x), {}, point.x};
    case 3: return figure(point.y);
    case 4: return figure(point.low);
    default: return figure(point.high);
  }
}

}  // namespace fuselab::gui
