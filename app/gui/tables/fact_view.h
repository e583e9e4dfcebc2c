// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/tables/table_view.h"

namespace fuselab::gui {

class ToneDelegate;

// Two columns, name and value. Both wrap, so that a configuration is whole even in the narrowest pane.
class FactView : public TableView {
  Q_OBJECT

 public:
  explicit FactView(QWidget* parent = nullptr);

 protected:
  void fit_widths() override;

 private:
  void fit_heights();

  ToneDelegate* wrapping_;
  bool fitting_facts_ = false;  // heights wait until all widths are known
};

}  // namespace fuselab::gui
