// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/compare_model.h"

#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"
#include "app/views/choice.h"
#include "app/views/whole_model_words.h"

namespace fuselab::gui {
namespace {

constexpr double kLast = kBlankSort;
constexpr int kLeastFigure = 114;  // its brief form, "7.65 ms ±3 %"

std::vector<std::string> devices_of(const engine::CompareTable& table) {
  std::vector<std::string> devices;
  for (const engine::CompareRow& row : table.rows) {
    for (const engine::CompareCell& cell : row.cells) {
      if (std::find(devices.begin(), devices.end(), cell.device_id) == devices.end()) devices.push_back(cell.device_id);
    }
  }
  return devices;
}

bool same_pieces(const engine::CompareTable& a, const engine::CompareTable& b) {
  return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                    [](const auto& x, const auto& y) { return x.piece_key == y.piece_key; });
}

TableCell time_cell(const engine::Cell& cell) {
  return {cell_text(cell), cell_tooltip(cell),   cell.figure ? cell.figure->median_ns : kLast, cell_tone(cell),
          false,           brief_cell_text(cell)};
}

QString share_tooltip(const engine::CompareCell& cell) {
  if (!cell.share_interval) return CompareModel::tr("Ideal / fused, by a stored ceiling");
  return CompareModel::tr("Ideal / fused, by a ceiling timed in turns with it: [%1, %2] (95 %)")
      .arg(percent_text(cell.share_interval->low), percent_text(cell.share_interval->high));
}

}  // namespace

const engine::CompareCell* find_cell(const engine::CompareRow& row, const std::string& device) {
  const auto found = std::find_if(row.cells.begin(), row.cells.end(), [&](const auto& cell) { return cell.device_id == device; });
  return found == row.cells.end() ? nullptr : &*found;
}

bool has_one_plan(const engine::CompareCell& cell) {
  return cell.is_one_plan();
}

CompareModel::CompareModel(QObject* parent) : TableModelBase(parent) {
  rebuild_columns();
}

void CompareModel::set_table(TablePtr table) {
  std::vector<std::string> devices = table == nullptr ? std::vector<std::string>() : devices_of(*table);
  if (table_ != nullptr && table != nullptr && devices == devices_ && same_pieces(*table_, *table)) {
    table_ = std::move(table);
    shorten_names();
    if (rows() > 0) emit dataChanged(index(0, 0), index(rows() - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  table_ = std::move(table);
  devices_ = std::move(devices);
  shorten_names();
  rebuild_columns();
  endResetModel();
}

void CompareModel::shorten_names() {
  QStringList names;
  for (int row = 0; row < rows(); ++row) names << text_of(piece(row)->name);
  brief_ = brief_names(names);
}

const engine::CompareRow* CompareModel::piece(int row) const {
  return row >= 0 && row < rows() ? &table_->rows[static_cast<std::size_t>(row)] : nullptr;
}

int CompareModel::row_of_piece(const std::string& piece_key) const {
  for (int row = 0; row < rows(); ++row) {
    if (piece(row)->piece_key == piece_key) return row;
  }
  return -1;
}

void CompareModel::rebuild_columns() {
  std::vector<Column> columns = {{tr("Piece"), tr("A group of operators that runs as one kernel"), false, 290, 140},
                                 {tr("Best"), tr("The device to run this piece on, and whether fused"), false, 180, 130},
                                 {tr("Time"), tr("Of the recommended plan, with its 95 % interval"), true, 152, kLeastFigure},
                                 {tr("Gain there"), tr("Unfused / fused on the recommended device"), true, 160},
                                 {tr("Next best"), tr("The next device, and its time over the best's"), false, 150, 110},
                                 {tr("Headroom"), tr("Count × (best − ideal): how the rows are ranked"), true, 96}};
  for (const std::string& id : devices_) {
    // With one device its name would only repeat itself.
    const QString prefix = devices_.size() > 1 ? text_of(id) + QLatin1Char('\n') : QString();
    const QString where = text_of(id);
    columns.push_back(
        {prefix + tr("Unfused"), tr("%1: per-operator kernels back to back, each tuned").arg(where), true, 152, kLeastFigure});
    columns.push_back({prefix + tr("Fused"), tr("%1: one kernel, median and 95 % interval").arg(where), true, 152, kLeastFigure});
    columns.push_back(
        {prefix + tr("Gain"), tr("%1: unfused / fused with its 95 % interval, from interleaved runs").arg(where), true, 160});
    columns.push_back({prefix + tr("Ideal"), tr("%1: the least time its measured ceilings allow").arg(where), true, 78});
    columns.push_back({prefix + tr("Ceiling"), tr("%1: ideal / fused").arg(where), true, 72});
  }
  columns.push_back({tr("Count"), tr("How often the piece occurs in the model"), true, 62, 0, true});
  columns.push_back({tr("Share"), tr("Share of the model's fused time on the recommended device"), true, 64, 0, true});
  columns.push_back({tr("Reason"), tr("Why this device and plan"), false, 420});
  columns.push_back({tr("Pattern"), tr("What kind of fusion this is"), false, 150});
  set_columns(std::move(columns));
}

TableCell CompareModel::cell(int row, int column) const {
  const engine::CompareRow& line = table_->rows[static_cast<std::size_t>(row)];
  if (column == kPiece)
    return {
        text_of(line.name), tr("%1\nkey %2").arg(text_of(line.name), text_of(line.piece_key).left(12)), {}, Tone::kNeutral, true,
        brief_[row]};
  if (column < kFixedColumns) return fixed_cell(line, column);
  const int offset = column - kFixedColumns;
  const auto device = static_cast<std::size_t>(offset / kDeviceColumns);
  if (device < devices_.size()) return device_cell(line, devices_[device], offset % kDeviceColumns);
  return tail_cell(line, offset - static_cast<int>(devices_.size()) * kDeviceColumns);
}

// Without a device the words say whether that will change: "…" is "not measured yet" and nothing else.
TableCell CompareModel::recommended_cell(const engine::CompareRow& row) const {
  if (!row.recommended_device.empty())
    return {tr("%1, %2").arg(text_of(row.recommended_device), plan_text(row.recommended_plan, row.single_operator)),
            window_words(row.reason),
            {},
            Tone::kAccent,
            true};
  const auto is = [](engine::CellState state) { return [state](const auto& cell) { return cell.fused.state == state; }; };
  if (std::any_of(row.cells.begin(), row.cells.end(), is(engine::CellState::kPending)))
    return {kPendingText, window_words(row.reason), {}, Tone::kMuted};
  const auto withheld = std::find_if(row.cells.begin(), row.cells.end(), is(engine::CellState::kWithheld));
  if (withheld != row.cells.end()) return {tr("none: withheld"), cell_tooltip(withheld->fused), {}, Tone::kWarning};
  const auto failed = std::find_if(row.cells.begin(), row.cells.end(), is(engine::CellState::kFailed));
  if (failed == row.cells.end()) return {QStringLiteral("–"), window_words(row.reason), {}, Tone::kMuted};
  return {tr("none: failed"), window_words(failed->fused.reason.empty() ? row.reason : failed->fused.reason), {}, Tone::kBad};
}

TableCell CompareModel::next_best_cell(const engine::CompareRow& row) const {
  const auto margin = engine::margin_over_next(row);
  if (!margin) return {QStringLiteral("–"), tr("No other device has a figure that may be chosen"), kBlankSort, Tone::kMuted};
  const QString times = QStringLiteral("%1×").arg(margin->ratio.value, 0, 'f', 2);
  return {
      QStringLiteral("%1, %2%3").arg(text_of(margin->next_device), margin->within_noise ? QStringLiteral("≈ ") : QString(), times),
      margin->within_noise ? tr("The intervals of the two medians overlap") : QString(), margin->ratio.value,
      margin->within_noise ? Tone::kMuted : Tone::kNeutral};
}

TableCell CompareModel::fixed_cell(const engine::CompareRow& row, int column) const {
  switch (column) {
    case kRecommended: return recommended_cell(row);
    case kNextBest: return next_best_cell(row);
    case kToBeWon:
      if (row.to_be_won_ns <= 0) return {QStringLiteral("–"), {}, kBlankSort, Tone::kMuted};
      return {duration_text(row.to_be_won_ns), {}, row.to_be_won_ns};
    default: break;
  }
  const engine::CompareCell* const best = find_cell(row, row.recommended_device);
  if (best == nullptr) return {QStringLiteral("–"), {}, kBlankSort, Tone::kMuted};
  if (column == kGainThere) return device_cell(row, row.recommended_device, kGain);
  return time_cell(row.recommended_plan == PlanKind::kFused ? best->fused : best->unfused);
}

TableCell CompareModel::device_cell(const engine::CompareRow& row, const std::string& device, int column) const {
  const engine::CompareCell* found = find_cell(row, device);
  if (found == nullptr) return {QStringLiteral("–"), tr("This device does not run this piece"), kLast, Tone::kMuted};
  const TableCell pending{
      found->fused.state == engine::CellState::kPending ? kPendingText : QStringLiteral("–"), {}, kLast, Tone::kMuted};
  switch (column) {
    case kUnfused: return time_cell(found->unfused);
    case kFused:
      if (has_one_plan(*found))
        return {QStringLiteral("–"), tr("A single operator: nothing is fused"), found->fused.figure->median_ns, Tone::kMuted};
      return time_cell(found->fused);
    case kIdeal:
      if (!found->ideal_ns) return pending;
      return {duration_text(*found->ideal_ns), tr("Bound by %1").arg(QLatin1String(found->bound())), *found->ideal_ns};
    case kGain: {
      if (!found->gain && has_one_plan(*found))
        return {QStringLiteral("–"), tr("A single operator: there is nothing to fuse"), kLast, Tone::kMuted};
      if (!found->gain) return pending;
      const Ratio& gain = *found->gain;
      const QString sign = !gain.excludes_one() ? QStringLiteral("≈ ")
                           : gain.value > 1     ? QStringLiteral("▲ ")
                                                : QStringLiteral("▼ ");
      return {sign + ratio_text(gain), gain_verdict(*found), gain.value, ratio_tone(gain), true};
    }
    default:
      if (found->fused.withheld && found->fused.share_of_ceiling > 0)
        return {percent_text(found->fused.share_of_ceiling), cell_tooltip(found->fused), kLast, Tone::kWarning};
      if (!found->share_of_ceiling) return pending;
      return {percent_text(*found->share_of_ceiling), share_tooltip(*found), *found->share_of_ceiling};
  }
}

TableCell CompareModel::tail_cell(const engine::CompareRow& row, int column) const {
  switch (column) {
    case kCount: return {QStringLiteral("×%1").arg(row.count), {}, row.count};
    case kShare:
      if (row.share_of_model <= 0)
        return {QStringLiteral("–"), tr("Known once every piece of the model is measured"), kBlankSort, Tone::kMuted};
      return {percent_text(row.share_of_model), {}, row.share_of_model};
    case kReason: return {window_words(row.reason), window_words(row.reason)};
    default: return {text_of(row.pattern), {}, {}, Tone::kMuted};
  }
}

TotalsModel::TotalsModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Total"),
        tr("Of the model: sums over the same pieces on every device, each times its count; + where some of them run elsewhere"),
        false, 100},
       {tr("Unfused"), {}, true, 76},
       {tr("Fused"), {}, true, 76},
       {tr("Ideal"), {}, true, 76},
       {tr("Measured"), tr("Pieces with a figure, of all pieces"), true, 82},
       {tr("Switching"), tr("Cost of moving between devices, in the best mix only"), true, 84},
       {tr("vs best mix"), tr("Of a whole model in one stack: its time beside that of the best mix"), false, 330}});
}

void TotalsModel::set_table(TablePtr table) {
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
}

TableCell TotalsModel::whole_cell(const engine::WholeModel& whole, int column) const {
  const QString words = text_of(engine::whole_model_words(whole));
  const bool faster = whole.of_best_mix && whole.of_best_mix->interval.high < 1;
  switch (column) {
    case 0:
      return {tr("whole, %1").arg(text_of(whole.cell.device_id)),
              text_of(engine::whole_models_title(*table_)),
              {},
              Tone::kNeutral,
              true};
    case 2: return time_cell(whole.cell.fused);
    case 3:
      if (whole.cell.ideal_ns) return {duration_text(*whole.cell.ideal_ns), {}, *whole.cell.ideal_ns};
      break;
    case 6: return {words, words, whole.of_best_mix ? whole.of_best_mix->value : kLast, faster ? Tone::kAccent : Tone::kNeutral};
    default: break;
  }
  return {QStringLiteral("–"), {}, kLast, Tone::kMuted};
}

TableCell TotalsModel::cell(int row, int column) const {
  const auto line = static_cast<std::size_t>(row);
  if (line >= table_->totals.size()) return whole_cell(table_->whole_models[line - table_->totals.size()], column);
  const engine::ModelTotal& total = table_->totals[line];
  const QString lacks =
      tr("Without %1 of %2 pieces there is no sum to compare").arg(total.pieces - total.covers()).arg(total.pieces);
  QString elsewhere;
  if (total.completed_pieces > 0)
    elsewhere = tr("%1 of it elsewhere: what %2 cost on the fastest other device")
                    .arg(duration_text(total.completed_ns), counted_text(total.completed_pieces, tr("piece"), tr("pieces")));
  const auto time = [&](double ns, Drawbacks drawbacks = {}, const QString& note = {}) {
    if (ns <= 0)
      return total.fused_ns > 0 || total.covers() == 0 ? TableCell{kPendingText, {}, kLast, Tone::kMuted}
                                                       : TableCell{QStringLiteral("–"), lacks, kLast, Tone::kMuted};
    QStringList tips;
    for (const QString& tip : {note, drawback_text(drawbacks)})
      if (!tip.isEmpty()) tips << tip;
    return TableCell{duration_text(ns) + drawback_mark(drawbacks) + (note.isEmpty() ? QString() : QStringLiteral(" +")),
                     tips.join(QLatin1Char('\n')), ns, Tone::kNeutral, true};
  };
  switch (column) {
    case 0: return {text_of(total.device_id), {}, {}, Tone::kNeutral, true};
    case 1: return time(total.unfused_ns, total.drawbacks.stated, elsewhere);
    case 2: return time(total.fused_ns, total.drawbacks.stated, elsewhere);
    case 3: return time(total.ideal_ns);
    case 4:
      return {tr("%1 of %2").arg(total.measured_pieces).arg(total.pieces),
              elsewhere.isEmpty() && total.covers() < total.pieces ? lacks : elsewhere, total.measured_pieces,
              total.measured_pieces < total.pieces ? Tone::kWarning : Tone::kNeutral};
    case 5: return total.switching_ns > 0 ? time(total.switching_ns) : TableCell{QStringLiteral("–"), {}, 0.0, Tone::kMuted};
    default: return {};
  }
}

}  // namespace fuselab::gui
