// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/decide/decide_model.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

QString times_text(double value) {
  return QStringLiteral("%1×").arg(QString::number(value, 'g', value < 100 ? 3 : 4));
}

QString interval_text(const Ratio& ratio) {
  return QStringLiteral("[%1, %2]").arg(times_text(ratio.interval.low), times_text(ratio.interval.high));
}

TableCell unknown(const QString& why) {
  return {QStringLiteral("–"), why, 1e300, Tone::kMuted};
}

TableCell ratio_cell(const Ratio& ratio, int elsewhere) {
  TableCell cell;
  cell.text = QStringLiteral("%1 %2").arg(times_text(ratio.value), interval_text(ratio));
  cell.brief = times_text(ratio.value);
  cell.sort = ratio.value;
  cell.tooltip =
      DecideModel::tr("%1 the time of the best mix of all devices; the interval holds what those of all pieces allow together")
          .arg(times_text(ratio.value));
  if (elsewhere > 0) {
    cell.text += QStringLiteral(" +%1").arg(elsewhere);
    cell.brief += QStringLiteral(" +%1").arg(elsewhere);
    cell.tooltip += DecideModel::tr("\n%1 without a figure here, taken with what they cost on the fastest other device")
                        .arg(counted_text(elsewhere, DecideModel::tr("piece"), DecideModel::tr("pieces")));
    cell.tone = Tone::kMuted;
  }
  return cell;
}

QString model_name(const engine::DecidedModel& model) {
  const QString name = text_of(model.name);
  return model.covered < model.pieces ? DecideModel::tr("%1 (%2 of %3 pieces)").arg(name).arg(model.covered).arg(model.pieces)
                                      : name;
}

QString day_text(std::int64_t unix_ms) {
  return QDateTime::fromMSecsSinceEpoch(unix_ms).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

}  // namespace

DecideModel::DecideModel(QObject* parent) : TableModelBase(parent) {
  set_decision({});
}

void DecideModel::set_decision(engine::BackendDecision decision) {
  beginResetModel();
  decision_ = std::move(decision);
  std::vector<Column> columns = {
      {tr("Device"), tr("The best single default first"), false, 130, 80},
      {tr("All models"), tr("Geometric mean over the models, as a multiple of the best mix's time"), true, 190, 60},
      {tr("Pieces"), tr("Pieces that the device runs itself, of all models"), true, 90, 60}};
  for (const engine::DecidedModel& model : decision_.models)
    columns.push_back({model_name(model), tr("Time as a multiple of the best mix's"), true, 190, 60});
  set_columns(std::move(columns));
  endResetModel();
}

const engine::DeviceStanding* DecideModel::device(int row) const {
  return row >= 0 && row < rows() ? &decision_.devices[static_cast<std::size_t>(row)] : nullptr;
}

TableCell DecideModel::cell(int row, int column) const {
  const engine::DeviceStanding& device = decision_.devices[static_cast<std::size_t>(row)];
  if (column == kDevice) return {text_of(device.device_id), {}, {}, Tone::kNeutral, row == 0 && device.mean.has_value()};
  if (column == kPieces)
    return {QStringLiteral("%1 of %2").arg(device.own).arg(device.pieces),
            {},
            device.own,
            device.own < device.pieces ? Tone::kWarning : Tone::kNeutral};
  if (column == kMean) {
    if (!device.mean) return unknown(tr("No model has a time on this device"));
    TableCell cell = ratio_cell(*device.mean, 0);
    const auto models = static_cast<int>(decision_.models.size());
    if (device.whole_models < models) {
      cell.text += tr(", %1 of %2").arg(device.whole_models).arg(models);
      cell.tone = Tone::kMuted;
    }
    cell.strong = row == 0;
    return cell;
  }
  const engine::DeviceOnModel& model = device.models[static_cast<std::size_t>(column - kFirstModel)];
  return model.slow_down ? ratio_cell(*model.slow_down, model.elsewhere) : unknown(text_of(model.why_not));
}

MissingModel::MissingModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Device"), {}, false, 130},
               {tr("Pieces"), tr("Pieces without a figure for this reason"), true, 70},
               {tr("Reason"), {}, false, 420, 0, false, true},
               {tr("First"), tr("The first such piece, with its model"), false, 240}});
}

void MissingModel::set_decision(const engine::BackendDecision& decision) {
  beginResetModel();
  missing_.clear();
  for (const engine::DeviceStanding& device : decision.devices) {
    for (const engine::MissingPieces& missing : device.missing) missing_.push_back({device.device_id, missing});
  }
  endResetModel();
}

TableCell MissingModel::cell(int row, int column) const {
  const Row& shown = missing_[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {text_of(shown.device)};
    case 1: return {QString::number(shown.missing.pieces), {}, shown.missing.pieces};
    case 2: return {window_words(shown.missing.reason), window_words(shown.missing.reason)};
    default: return {text_of(shown.missing.first), text_of(shown.missing.first), {}, Tone::kMuted};
  }
}

EvidenceModel::EvidenceModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Model"), {}, false, 260, 0, false, true},
               {tr("Best mix"), tr("Each piece on its fastest device"), true, 110},
               {tr("Figures"), {}, true, 80},
               {tr("Disturbed"), tr("Figures whose timing other load disturbed"), true, 100},
               {tr("Oldest"), tr("When the oldest figure was measured"), false, 150},
               {tr("Newest"), tr("When the newest figure was measured"), false, 150}});
}

void EvidenceModel::set_decision(const engine::BackendDecision& decision) {
  beginResetModel();
  models_ = decision.models;
  endResetModel();
}

TableCell EvidenceModel::cell(int row, int column) const {
  const engine::DecidedModel& model = models_[static_cast<std::size_t>(row)];
  const auto day = [](std::int64_t at) { return at > 0 ? TableCell{day_text(at), {}, static_cast<qlonglong>(at)} : unknown({}); };
  switch (column) {
    case 0: return {model_name(model)};
    case 1: {
      if (model.best_ns <= 0) return unknown(tr("A piece of the model was not measured on any device"));
      return {duration_text(model.best_ns),
              QStringLiteral("[%1, %2]").arg(duration_text(model.best_interval.low), duration_text(model.best_interval.high)),
              model.best_ns};
    }
    case 2: return {QString::number(model.figures), {}, model.figures};
    case 3:
      return {model.disturbed == 0 ? QStringLiteral("0") : percent_text(static_cast<double>(model.disturbed) / model.figures),
              {},
              model.disturbed,
              model.disturbed > 0 ? Tone::kWarning : Tone::kNeutral};
    case 4: return day(model.oldest_unix_ms);
    default: return day(model.newest_unix_ms);
  }
}

PlotSpec decision_plot(const engine::BackendDecision& decision) {
  PlotSpec spec;
  spec.title = DecideModel::tr("Time of each device as a multiple of the best mix");
  spec.brief_title = DecideModel::tr("Against the best mix");
  spec.y.title = DecideModel::tr("× best mix");
  spec.y.scale = Scale::kLog;
  spec.y.text = [](double value) { return times_text(value); };
  spec.x.scale = Scale::kCategory;
  spec.empty_text = DecideModel::tr("No device has run a whole model yet.\nMeasure a model on Tuning.");
  for (const engine::DecidedModel& model : decision.models) spec.x.categories << model_name(model);
  int color = 0;
  for (const engine::DeviceStanding& device : decision.devices) {
    // Whiskers of one model stand beside each other.
    const double beside = 0.5 * ((color + 0.5) / static_cast<double>(decision.devices.size()) - 0.5);
    Series series{text_of(device.device_id), Mark::kPoints, color++, {}, device.own < device.pieces, true};
    for (std::size_t i = 0; i < device.models.size(); ++i) {
      const engine::DeviceOnModel& model = device.models[i];
      if (!model.slow_down) continue;
      QString label = text_of(decision.models[i].name);
      if (model.elsewhere > 0)
        label += DecideModel::tr(", %1 elsewhere")
                     .arg(counted_text(model.elsewhere, DecideModel::tr("piece"), DecideModel::tr("pieces")));
      series.points.push_back({static_cast<double>(i) + beside, model.slow_down->value, model.slow_down->interval.low,
                               model.slow_down->interval.high, label, text_of(device.device_id)});
    }
    if (!series.points.empty()) spec.series.push_back(std::move(series));
  }
  return spec;
}

QString crossover_title(const CrossoverSeries& series) {
  const MeasuredPiece& first = *series.pieces.front();
  const QString name = text_of(first.name);
  return QStringLiteral("%1, %2").arg(name.left(name.indexOf(QStringLiteral(" ("))), text_of(first.dtype));
}

PlotSpec crossover_plot(const Selector& selector, const CrossoverSeries& series) {
  PlotSpec spec;
  spec.title = DecideModel::tr("%1: time over size").arg(crossover_title(series));
  spec.brief_title = crossover_title(series);
  const bool flops = series.pieces.front()->work.primary == OperationType::kContraction;
  spec.x.title = flops ? DecideModel::tr("FLOP") : DecideModel::tr("bytes moved");
  spec.x.scale = Scale::kLog;
  spec.x.binary = !flops;
  spec.x.text = [flops](double value) {
    return flops ? DecideModel::tr("%1 MFLOP").arg(value * 1e-6, 0, 'g', 3) : text_of(format_bytes(Bytes{std::llround(value)}));
  };
  spec.y.title = DecideModel::tr("time");
  spec.y.scale = Scale::kLog;
  spec.y.text = [](double ns) { return duration_text(ns); };
  int color = 0;
  for (const SelectableDevice& device : selector.devices()) {
    Series line{text_of(device.id), Mark::kLine, color++, {}, false, true};
    for (const MeasuredPiece* const piece : series.pieces) {
      const TimeOnDevice* const time = time_on(*piece, device.id);
      if (time == nullptr || !is_choosable(*time)) continue;
      line.points.push_back(
          {work_size(piece->work), time->ns, time->interval.low, time->interval.high, text_of(piece->name), text_of(piece->key)});
    }
    if (line.points.size() == 1) line.mark = Mark::kPoints;
    if (!line.points.empty()) spec.series.push_back(std::move(line));
  }
  return spec;
}

QString regret_words(const RegretReport& report) {
  if (report.selector.keys == 0)
    return DecideModel::tr("No piece was measured on two devices: there is nothing to choose between.");
  QString text =
      DecideModel::tr("The selector is %1 from the fastest device on average, judged as if each of %2 had not been measured.")
          .arg(percent_text(report.selector.mean),
               counted_text(report.selector.keys, DecideModel::tr("piece"), DecideModel::tr("pieces")));
  for (const Regret& each : report.always) text += DecideModel::tr(" %1: %2.").arg(text_of(each.of), percent_text(each.mean));
  return text;
}

}  // namespace fuselab::gui
