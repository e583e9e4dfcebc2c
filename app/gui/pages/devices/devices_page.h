// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/pages/page.h"

class QStackedWidget;

namespace fuselab::gui {

class CeilingModel;
class DeviceModel;
class FactModel;
class PlotPanel;
class StackPanel;
class TargetPanel;

// The page that shows the devices that can be measured, the missing ones with the reason, each device's ceilings, what
// can be compiled for targets without a device, and the libraries that can be fetched.
class DevicesPage : public Page {
  Q_OBJECT

 public:
  explicit DevicesPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;
  void receive(const Handed& handed) override { go_to(handed.device); }
  std::string own_command() const override;

 private:
  Handed chosen_device() const;  // with the window's model
  void build();
  void refresh();
  void show_row(int row);

  DeviceModel* devices_;
  FactModel* facts_;
  CeilingModel* ceilings_;
  TableView* table_ = nullptr;
  TableView* fact_table_ = nullptr;
  PlotPanel* plot_ = nullptr;
  StackPanel* stacks_ = nullptr;
  TargetPanel* targets_ = nullptr;
  QStackedWidget* stack_ = nullptr;
};

}  // namespace fuselab::gui
