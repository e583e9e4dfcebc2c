// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "app/views/profile_view.h"

namespace fuselab::gui {

// Source and machine code of a profile's hottest loop, line by line: each line of the source beside the instructions made of it,
// how often each was found running, and the loop it lies in.
class CodeModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit CodeModel(QObject* parent = nullptr);
  void show(const engine::ProfileView& view);

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Row {
    int line = 0;  // 0: belongs to the line above
    QString source;
    bool has_code = false;
    CodeLine code;
  };

  std::vector<Row> rows_;
  std::int64_t hits_ = 0;  // of all instructions of the profile
};

}  // namespace fuselab::gui
