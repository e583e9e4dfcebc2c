// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/tables/table_model_base.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::gui {

// The measured ceilings of one device: the memory bandwidth and arithmetic rate that it reaches.
class CeilingModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit CeilingModel(QObject* parent = nullptr);
  void set_ceilings(CeilingTable table);
  const CeilingTable& ceilings() const { return table_; }

 protected:
  int rows() const override { return static_cast<int>(table_.rows.size()); }
  TableCell cell(int row, int column) const override;

 private:
  CeilingTable table_;
};

// Returns "2 read + 1 write, non-temporal": the stream mix of a bandwidth row.
QString stream_mix_text(const Ceiling& ceiling);

}  // namespace fuselab::gui
