// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/drawing/plot_spec.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The table behind a plot, one row per point, for screen readers and for anybody who wants the digits.
class PlotTableModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit PlotTableModel(QObject* parent = nullptr) : TableModelBase(parent) {}
  void set_spec(const PlotSpec& spec);

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  PlotSpec spec_;
  std::vector<std::pair<std::size_t, std::size_t>> lines_;  // (series, point)
};

}  // namespace fuselab::gui
