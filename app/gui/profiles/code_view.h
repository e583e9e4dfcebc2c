// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSplitter>

#include "app/views/profile_view.h"

namespace fuselab::gui {

class CodeModel;
class SourceModel;
class TableView;

// Source and machine code of a profiled kernel side by side: choosing a line chooses the instructions that were made of it, and
// choosing an instruction the line that it was made of. Tables "<name>.source" and "<name>.code".
class CodeView : public QSplitter {
  Q_OBJECT

 public:
  explicit CodeView(const QString& name, QWidget* parent = nullptr);
  void show_code(const engine::ProfileView& view);
  TableView* source_table() const { return source_table_; }
  TableView* code_table() const { return code_table_; }

 private:
  void choose_code_of(int row);
  void choose_source_of(int row);

  SourceModel* source_;
  CodeModel* code_;
  TableView* source_table_;
  TableView* code_table_;
  bool following_ = false;  // one table chooses in the other
};

}  // namespace fuselab::gui
