// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::gui {

// A timeline as a table: when each step, launch and verification began, how long it took, and where.
class SpanModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit SpanModel(QObject* parent = nullptr);
  void show(std::vector<TraceSpan> spans);

 protected:
  int rows() const override { return static_cast<int>(spans_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<TraceSpan> spans_;
};

}  // namespace fuselab::gui
