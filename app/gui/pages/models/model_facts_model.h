// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/gui/tables/table_model_base.h"
#include "app/views/model_facts.h"

namespace fuselab::gui {

using ModelFactsPtr = std::shared_ptr<const engine::ModelFacts>;

// The weights of a model, the largest first.
class WeightModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit WeightModel(QObject* parent = nullptr);
  void show(ModelFactsPtr facts);
  double total_bytes() const { return total_bytes_; }

 protected:
  int rows() const override { return facts_ == nullptr ? 0 : static_cast<int>(facts_->weights.size()); }
  TableCell cell(int row, int column) const override;

 private:
  ModelFactsPtr facts_;
  double total_bytes_ = 0;
};

// What was not understood of a model, a row for each cause, and what each takes along.
class BarrierModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit BarrierModel(QObject* parent = nullptr);
  void show(ModelFactsPtr facts);

 protected:
  int rows() const override { return facts_ == nullptr ? 0 : static_cast<int>(facts_->barriers.size()); }
  TableCell cell(int row, int column) const override;

 private:
  ModelFactsPtr facts_;
};

}  // namespace fuselab::gui
