// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/models/compare_model.h"

namespace fuselab::gui {

// Everything known about one fused piece, as names and values: its cost, then each device's figures, configuration and verdict.
class PieceModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit PieceModel(QObject* parent = nullptr);
  void show(const engine::CompareRow* row);  // nullptr: nothing chosen

 protected:
  int rows() const override { return static_cast<int>(facts_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Fact {
    QString name, value;
    Tone tone = Tone::kNeutral;
  };
  void add(const QString& name, const QString& value, Tone tone = Tone::kNeutral);
  void add_cost(const Cost& cost);
  void add_cell(const engine::CompareCell& cell);
  void add_figure(const QString& name, const engine::Cell& cell);
  void add_cold(const QString& name, const engine::Cell& cell);
  void add_best_unfused(const engine::BestUnfused& best);

  std::vector<Fact> facts_;
};

// Return "12.6 MFLOP" and "4.2 FLOP/byte", for tooltips and tables.
QString flops_text(double flops);
QString intensity_text(const Cost& cost);

}  // namespace fuselab::gui
