// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "core/profile/code_report.h"

namespace fuselab::gui {

// The machine code of a profiled kernel: each instruction with what it costs by the model of the processor, how often it was found
// running, the loop and the line of the source that it belongs to. Of several functions each has a heading.
class CodeModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit CodeModel(QObject* parent = nullptr);
  void show(const std::vector<CodeLine>& code);
  int line_of(int row) const { return code_[static_cast<std::size_t>(row)].line; }
  std::vector<int> rows_of(int line) const;

 protected:
  int rows() const override { return static_cast<int>(code_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<CodeLine> code_;  // function after function; a heading has a function and no text
  std::int64_t hits_ = 0;       // of all instructions
};

}  // namespace fuselab::gui
