// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "app/views/profile_view.h"

namespace fuselab::gui {

// The machine code of a profiled kernel: each instruction with what it costs by the model of the processor, how often it was found
// running, the loop and the line of the source that it belongs to.
class CodeModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit CodeModel(QObject* parent = nullptr);
  void show(const std::vector<engine::AnnotatedLine>& lines);
  int line_of(int row) const { return code_[static_cast<std::size_t>(row)].line; }
  std::vector<int> rows_of(int line) const;

 protected:
  int rows() const override { return static_cast<int>(code_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<CodeLine> code_;  // in the order of addresses
  std::int64_t hits_ = 0;       // of all instructions
};

}  // namespace fuselab::gui
