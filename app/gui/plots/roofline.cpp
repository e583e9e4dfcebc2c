// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/roofline.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <set>

#include "app/engine/measure/shared_ceilings.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/models/compare_model.h"
#include "core/backend/last_cache.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::plots", text);
}

// Returns the fastest stream of the larger working sets (`beyond`: those that exceed the last cache) or of the others; null: none.
const Ceiling* fastest_stream(const HardwareCeilings& hardware, bool beyond) {
  const Ceiling* fastest = nullptr;
  for (const Ceiling& row : hardware.table.rows) {
    const bool exceeds = hardware.last_cache > 0 && !fits_cache(row.footprint, hardware.last_cache);
    if (row.kind != "stream" || exceeds != beyond) continue;
    if (fastest == nullptr || row.per_second > fastest->per_second) fastest = &row;
  }
  return fastest;
}

// Corner points of a roof: slope, ridge, peak.
std::vector<std::pair<double, double>> roof(double bandwidth, double peak, double low, double high) {
  if (bandwidth <= 0) return {};
  if (peak <= 0) return {{low, low * bandwidth}, {high, high * bandwidth}};
  const double ridge = peak / bandwidth;
  return {{low, std::min(peak, low * bandwidth)},
          {std::clamp(ridge, low, high), std::min(peak, std::clamp(ridge, low, high) * bandwidth)},
          {high, std::min(peak, high * bandwidth)}};
}

const engine::Cell& planned(const engine::CompareCell& cell, PlanKind plan) {
  return plan == PlanKind::kFused ? cell.fused : cell.unfused;
}

PlotPoint dot(const engine::CompareRow& row, const engine::Figure& figure, const QString& plan) {
  const double scale = row.cost.flops * 1e9;
  return {row.cost.intensity(),
          scale / figure.median_ns,
          scale / figure.interval.high,
          scale / figure.interval.low,
          tr("%1, %2").arg(text_of(row.name), plan),
          text_of(row.piece_key)};
}

// Every measured plan of every piece: what is recommended by device, and together the plans that lost.
struct RooflineDots {
  std::map<std::string, Series> recommended;
  Series others{tr("other plans"), Mark::kPoints, 7, {}, true, true};
  std::set<std::string> devices;  // that have a dot
  double low = 0.05, high = 16;   // intensities
};

RooflineDots roofline_dots(const engine::CompareTable& table) {
  RooflineDots dots;
  QStringList names;
  for (const engine::CompareRow& row : table.rows) names << text_of(row.name);
  names = shortest_names(names);
  for (const engine::CompareRow& row : table.rows) {
    if (row.cost.flops <= 0) continue;
    for (const engine::CompareCell& cell : row.cells) {
      for (const PlanKind plan : {PlanKind::kFused, PlanKind::kUnfused}) {
        const auto& figure = planned(cell, plan).figure;
        if (!figure || figure->median_ns <= 0) continue;
        const bool recommended = cell.device_id == row.recommended_device && plan == row.recommended_plan;
        const bool same_as_fused =
            plan == PlanKind::kUnfused && cell.fused.figure && cell.fused.figure->trial_id == figure->trial_id;
        if (same_as_fused) continue;  // a single operator: both plans are one
        const QString words = tr("%1 on %2").arg(plan_text(plan, has_one_plan(cell)), text_of(cell.device_id));
        PlotPoint point = dot(row, *figure, words);
        if (recommended) point.name = names[&row - table.rows.data()];
        (recommended ? dots.recommended[cell.device_id] : dots.others).points.push_back(std::move(point));
        dots.devices.insert(cell.device_id);
        dots.low = std::min(dots.low, row.cost.intensity() / 2);
        dots.high = std::max(dots.high, row.cost.intensity() * 2);
      }
    }
  }
  return dots;
}

// Of a memory whose roof is not known the cache's says why: a working set in a cache says nothing about memory.
void add_roofs(PlotSpec& spec, const HardwareCeilings& hardware, int color, double low, double high) {
  const double peak = hardware.table.peak_flops();
  const Ceiling* const memory = fastest_stream(hardware, true);
  const bool lacks_memory = memory == nullptr && hardware.last_cache > 0;
  const auto add = [&](const Ceiling* stream, const QString& level, bool is_cache) {
    if (stream == nullptr) return;
    const QString bandwidth = text_of(format_bandwidth(stream->per_second));
    Series line{tr("%1: %2, %3").arg(hardware.name, level, bandwidth), Mark::kLine, color, {}, is_cache, true};
    QString how = tr("measured ceiling: %1 at %2").arg(bandwidth, text_of(format_bytes(stream->footprint)));
    if (is_cache && lacks_memory) {
      line.name += tr(" · DRAM not measured");
      how += tr("; no roof of DRAM: nothing above the cache of %1 was measured")
                 .arg(text_of(format_bytes(Bytes{hardware.last_cache})));
    }
    for (const auto& [x, y] : roof(stream->per_second, peak, low, high)) line.points.push_back({x, y, kNoValue, kNoValue, how, {}});
    spec.series.push_back(std::move(line));
  };
  add(memory, tr("DRAM"), false);
  add(fastest_stream(hardware, false), hardware.last_cache > 0 ? tr("cache") : tr("memory or cache"), true);
}

}  // namespace

std::vector<HardwareCeilings> ceilings_by_hardware(const std::vector<DeviceInfo>& devices,
                                                   const std::function<CeilingTable(const DeviceInfo&)>& ceilings_of) {
  std::vector<CeilingTable> own;
  std::vector<engine::MeasuredCeilings> measured;
  own.reserve(devices.size());
  for (const DeviceInfo& device : devices) {
    own.push_back(ceilings_of(device));
    measured.push_back({&device, &own.back()});
  }
  std::vector<CeilingTable> tables = engine::shared_ceilings(measured);
  std::vector<HardwareCeilings> all;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& device = devices[i];
    const bool is_host = device.type == "cpu" && !device.synthetic;
    const auto host = std::find_if(all.begin(), all.end(), [](const HardwareCeilings& each) { return each.is_host; });
    if (is_host && host != all.end()) {
      host->devices.insert(device.id);
      host->last_cache = std::max(host->last_cache, last_cache_bytes(device));
      continue;
    }
    all.push_back({is_host ? tr("CPU") : text_of(device.id), {device.id}, std::move(tables[i]), last_cache_bytes(device), is_host});
  }
  return all;
}

PlotSpec roofline_plot(const engine::CompareTable& table, const std::vector<HardwareCeilings>& ceilings) {
  PlotSpec spec;
  spec.title = tr("Roofline: attained rate below the measured ceilings");
  spec.brief_title = tr("Roofline");
  spec.x = {
      tr("arithmetic intensity (FLOP/byte)"), Scale::kLog, {}, {}, {}, [](double value) { return QString::number(value, 'g', 3); }};
  spec.y = {tr("rate"), Scale::kLog, {}, {}, {}, [](double value) { return text_of(format_flop_rate(value)); }};
  spec.empty_text = tr("No piece has both a figure and arithmetic to place it here.");
  RooflineDots dots = roofline_dots(table);
  int color = 0;
  for (auto& [device, series] : dots.recommended) {
    series.name = text_of(device);
    series.color = color++;
  }
  for (const HardwareCeilings& hardware : ceilings) {
    const bool any = std::any_of(hardware.devices.begin(), hardware.devices.end(),
                                 [&](const std::string& device) { return dots.devices.contains(device); });
    if (any) add_roofs(spec, hardware, color++, dots.low, dots.high);
  }
  if (!dots.others.points.empty()) spec.series.push_back(std::move(dots.others));
  for (auto& [device, series] : dots.recommended) spec.series.push_back(std::move(series));
  return spec;
}

}  // namespace fuselab::gui
