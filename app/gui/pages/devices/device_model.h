// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "core/backend/device_info.h"

namespace fuselab::gui {

using Reports = std::shared_ptr<const std::vector<BackendReport>>;

// Returns whether all devices of a backend are scripted: it is no hardware.
bool is_scripted(const BackendReport& report);

// One row per device, and one per backend that has none: usable or not, and why not. Usable real devices come first.
class DeviceModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kBackend, kStatus, kDevice, kName, kNote, kMemory, kUnits, kDriver };

  explicit DeviceModel(QObject* parent = nullptr);
  void set_reports(Reports reports);

  const BackendReport* report(int row) const;
  const DeviceInfo* device(int row) const;  // nullptr for a backend without devices
  int row_of_device(const std::string& id) const;

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Line {
    const BackendReport* report = nullptr;
    const DeviceInfo* device = nullptr;
  };
  TableCell backend_cell(const Line& line, int column) const;
  TableCell device_cell(const DeviceInfo& device, int column) const;

  Reports reports_;  // owns what lines_ points into
  std::vector<Line> lines_;
};

// Facts about one device or backend: name and value. Unknown facts are left out, never shown as 0.
class FactModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit FactModel(QObject* parent = nullptr);
  void show(const BackendReport* report, const DeviceInfo* device);

 protected:
  int rows() const override { return static_cast<int>(facts_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<std::pair<QString, QString>> facts_;
};

}  // namespace fuselab::gui
