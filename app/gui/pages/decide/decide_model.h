// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/compare/standing/backend_decision.h"
#include "app/gui/plots/drawing/plot_spec.h"
#include "app/gui/tables/table_model_base.h"
#include "core/select/regret.h"

namespace fuselab::gui {

// Devices, the best default first, beside the models: how many times the best mix's time each takes.
class DecideModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kDevice, kMean, kPieces, kFirstModel };

  explicit DecideModel(QObject* parent = nullptr);
  void set_decision(engine::BackendDecision decision);
  const engine::BackendDecision& decision() const { return decision_; }
  const engine::DeviceStanding* device(int row) const;  // nullptr: no such row

 protected:
  int rows() const override { return static_cast<int>(decision_.devices.size()); }
  TableCell cell(int row, int column) const override;

 private:
  engine::BackendDecision decision_;
};

// Why a device has no figure of some pieces: a row for each device and reason.
class MissingModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit MissingModel(QObject* parent = nullptr);
  void set_decision(const engine::BackendDecision& decision);

 protected:
  int rows() const override { return static_cast<int>(missing_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Row {
    std::string device;
    engine::MissingPieces missing;
  };
  std::vector<Row> missing_;
};

// The figures that decide, a row for each model: how many, how many disturbed, and when they were measured.
class EvidenceModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit EvidenceModel(QObject* parent = nullptr);
  void set_decision(const engine::BackendDecision& decision);

 protected:
  int rows() const override { return static_cast<int>(models_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::DecidedModel> models_;
};

// Plots the slow-down of each device on each model. Devices that leave pieces to others are dashed, so that they are never taken
// for whole ones.
PlotSpec decision_plot(const engine::BackendDecision& decision);

// Plots the time of one kind of piece over its size, a line for each device.
PlotSpec crossover_plot(const Selector& selector, const CrossoverSeries& series);
QString crossover_title(const CrossoverSeries& series);

// Returns how far the selector is from the fastest device, and what always taking one device would cost.
QString regret_words(const RegretReport& report);

}  // namespace fuselab::gui
