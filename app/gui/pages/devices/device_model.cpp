// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/devices/device_model.h"

#include <QStringList>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

// "clock_policy" → "Clock policy"
QString words_of(const std::string& name) {
  QString words = text_of(name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
}

// Ranks backends that can measure first, then scripted ones, then the rest.
int rank_of(const BackendReport& report) {
  return !report.availability.usable ? 2 : is_scripted(report) ? 1 : 0;
}

}  // namespace

bool is_scripted(const BackendReport& report) {
  return !report.devices.empty() &&
         std::all_of(report.devices.begin(), report.devices.end(), [](const DeviceInfo& device) { return device.synthetic; });
}

DeviceModel::DeviceModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Backend"), tr("The software stack that writes and runs kernels"), false, 150},
               {tr("Status"), tr("Whether it can be used on this machine now"), false, 110},
               {tr("Device"), tr("The id of the device"), false, 72},
               {tr("Name"), {}, false, 200, 90},
               {tr("Note"), tr("Why it cannot be used, or what to know about it"), false, 420, 220, false, true},
               {tr("Memory"), tr("Total memory of the device"), true, 84, 0, true},
               {tr("Units"), tr("Compute units: cores or multiprocessors"), true, 62, 0, true},
               {tr("Driver"), {}, false, 90, 0, true}});
}

void DeviceModel::set_reports(Reports reports) {
  beginResetModel();
  reports_ = std::move(reports);
  lines_.clear();
  if (reports_ != nullptr) {
    for (int rank = 0; rank < 3; ++rank) {
      for (const BackendReport& report : *reports_) {
        if (rank_of(report) != rank) continue;
        for (const DeviceInfo& device : report.devices) lines_.push_back({&report, &device});
        if (report.devices.empty()) lines_.push_back({&report, nullptr});
      }
    }
  }
  endResetModel();
}

const BackendReport* DeviceModel::report(int row) const {
  return row >= 0 && row < rows() ? lines_[static_cast<std::size_t>(row)].report : nullptr;
}

const DeviceInfo* DeviceModel::device(int row) const {
  return row >= 0 && row < rows() ? lines_[static_cast<std::size_t>(row)].device : nullptr;
}

int DeviceModel::row_of_device(const std::string& id) const {
  const auto found =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.device && line.device->id == id; });
  return found == lines_.end() ? -1 : static_cast<int>(found - lines_.begin());
}

TableCell DeviceModel::cell(int row, int column) const {
  const Line& line = lines_[static_cast<std::size_t>(row)];
  if (column == kBackend || column == kStatus || column == kNote) return backend_cell(line, column);
  if (line.device == nullptr) return {QStringLiteral("–"), tr("No device"), {}, Tone::kMuted};
  return device_cell(*line.device, column);
}

TableCell DeviceModel::backend_cell(const Line& line, int column) const {
  const BackendReport& report = *line.report;
  const bool usable = report.availability.usable;
  const bool synthetic = line.device != nullptr && line.device->synthetic;
  if (column == kBackend)
    return {text_of(report.display_name), tr("%1 (%2)").arg(text_of(report.id), text_of(report.kind)), {}, Tone::kNeutral, usable};
  if (column == kStatus) {
    if (synthetic) return {tr("◌ scripted"), tr("No hardware: its times come from a script"), {}, Tone::kMuted};
    return usable ? TableCell{tr("● usable"), {}, {}, Tone::kGood}
                  : TableCell{tr("○ unavailable"), window_words(report.availability.reason), {}, Tone::kMuted};
  }
  if (synthetic) return {tr("synthetic: scripted latencies, left out of comparisons"), {}, {}, Tone::kWarning};
  return {window_words(report.availability.reason),
          window_words(report.availability.reason),
          {},
          usable ? Tone::kNeutral : Tone::kMuted};
}

TableCell DeviceModel::device_cell(const DeviceInfo& device, int column) const {
  const TableCell unknown{QStringLiteral("–"), tr("Not known"), {}, Tone::kMuted};
  switch (column) {
    case kDevice: return {text_of(device.id)};
    case kName: return {text_of(device.name), text_of(device.name)};
    case kMemory:
      if (!device.total_memory_bytes) return unknown;
      return {text_of(format_bytes(Bytes{*device.total_memory_bytes})), {}, static_cast<qlonglong>(*device.total_memory_bytes)};
    case kUnits:
      if (!device.compute_units) return unknown;
      return {count_text(*device.compute_units), {}, static_cast<qlonglong>(*device.compute_units)};
    default: return device.driver_version ? TableCell{text_of(*device.driver_version)} : unknown;
  }
}

FactModel::FactModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Fact"), {}, false, 160}, {tr("Value"), {}, false, 220}});
}

void FactModel::show(const BackendReport* report, const DeviceInfo* device) {
  beginResetModel();
  facts_.clear();
  auto add = [this](const QString& name, const QString& value) {
    if (!value.isEmpty()) facts_.emplace_back(name, value);
  };
  if (report != nullptr) {
    add(tr("Backend"), tr("%1 (%2)").arg(text_of(report->display_name), text_of(report->kind)));
    add(tr("Reason"), window_words(report->availability.reason));
  }
  if (device != nullptr) {
    add(tr("Name"), text_of(device->name));
    add(tr("Type"), text_of(device->type));
    if (device->total_memory_bytes) add(tr("Total memory"), text_of(format_bytes(Bytes{*device->total_memory_bytes})));
    if (device->free_memory_bytes) add(tr("Free memory"), text_of(format_bytes(Bytes{*device->free_memory_bytes})));
    if (device->compute_units) add(tr("Compute units"), count_text(*device->compute_units));
    if (device->compute_capability) add(tr("Compute capability"), text_of(*device->compute_capability));
    if (device->driver_version) add(tr("Driver"), text_of(*device->driver_version));
    add(tr("Target"), text_of(device->target.id));
    QStringList others;
    for (const Target& target : device->other_targets) others << text_of(target.id);
    add(tr("Also runs"), others.join(QLatin1String(", ")));
    for (const auto& [name, value] : device->properties) add(words_of(name), text_of(value));
    for (const auto& [name, value] : device->target.limits) add(words_of(name), count_text(value));
    add(tr("Identity"), text_of(device->uuid));
  }
  if (report != nullptr) {
    const BackendCapabilities& capabilities = report->capabilities;
    QStringList patterns, types;
    for (const std::string& pattern : capabilities.patterns) patterns << text_of(pattern);
    for (const DType type : capabilities.dtypes) types << text_of(name_of(type));
    add(tr("Patterns"), patterns.join(QLatin1String(", ")));
    add(tr("Element types"), types.join(QLatin1String(", ")));
    if (device == nullptr && capabilities.supports_autotuning)
      add(tr("Without a device"), tr("the tab Targets ranks configurations for a target"));
    for (const auto& [target, step] : capabilities.foreign_targets) add(text_of(target), text_of(step));
    add(tr("Compiler"), text_of(report->compiler.name + (report->compiler.file.empty() ? "" : ", " + report->compiler.file)));
  }
  endResetModel();
}

TableCell FactModel::cell(int row, int column) const {
  const auto& [name, value] = facts_[static_cast<std::size_t>(row)];
  return column == 0 ? TableCell{name, {}, {}, Tone::kMuted} : TableCell{value, value};
}

}  // namespace fuselab::gui
