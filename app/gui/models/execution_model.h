// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/engine/execute/execute_subject.h"
#include "app/gui/tables/table_model_base.h"
#include "app/views/model_facts.h"

namespace fuselab::gui {

using ExecutedPtr = std::shared_ptr<const engine::ExecutedSubject>;

// The inputs of a model and what each gets: random numbers, one number, or those of a file.
class RunInputModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit RunInputModel(QObject* parent = nullptr);
  void set_inputs(std::vector<engine::ModelInput> inputs);
  // Returns what was typed for an input: empty, a number, or the name of a file.
  QString given(int row) const { return given_[static_cast<std::size_t>(row)]; }
  void give(int row, const QString& text);
  engine::GivenTensors tensors() const;
  // Returns the row of the input that an error names; -1: none.
  int row_named_in(const QString& error) const;

 protected:
  int rows() const override { return static_cast<int>(inputs_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::ModelInput> inputs_;
  std::vector<QString> given_;
};

// The outputs of an execution in figures.
class RunOutputModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit RunOutputModel(QObject* parent = nullptr);
  void show(ExecutedPtr executed);

 protected:
  int rows() const override { return executed_ == nullptr ? 0 : static_cast<int>(executed_->outputs.size()); }
  TableCell cell(int row, int column) const override;

 private:
  ExecutedPtr executed_;
};

// The pieces of an execution: where each ran and why there, its first and its steady time.
class RunPieceModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit RunPieceModel(QObject* parent = nullptr);
  void show(ExecutedPtr executed);

 protected:
  int rows() const override;
  TableCell cell(int row, int column) const override;

 private:
  ExecutedPtr executed_;
  QStringList brief_;  // short forms of the pieces' names
};

}  // namespace fuselab::gui
