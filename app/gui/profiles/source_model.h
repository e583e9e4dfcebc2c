// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "app/views/annotated_code.h"

namespace fuselab::gui {

// The source of a profiled kernel, line by line, each with what its instructions cost.
class SourceModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit SourceModel(QObject* parent = nullptr);
  void show(const std::vector<engine::AnnotatedLine>& lines);
  int line_of(int row) const { return lines_[static_cast<std::size_t>(row)].line; }
  int row_of(int line) const;  // -1: none
  int hottest_row() const;     // with the most samples, else the most cycles; -1 where there is neither

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::AnnotatedLine> lines_;
  std::int64_t hits_ = 0;  // of all lines
};

}  // namespace fuselab::gui
