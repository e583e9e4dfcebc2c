// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>

namespace fuselab::gui {

class CompareModel;
class TableView;

// Which columns Compare shows: what decides, every device, or the user's own choice from the menu of the header.
class ColumnPresets : public QComboBox {
  Q_OBJECT

 public:
  explicit ColumnPresets(QWidget* parent = nullptr);
  // To be called once. `table` shows a proxy of `model` with the same columns.
  void apply_to(TableView* table, const CompareModel* model);
  void apply();  // again, after the columns were made again

 private:
  enum Preset { kSummary, kDevices };
  bool is_hidden(int column) const;

  TableView* table_ = nullptr;
  const CompareModel* model_ = nullptr;
};

}  // namespace fuselab::gui
