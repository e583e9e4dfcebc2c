// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/ceiling_model.h"

#include <algorithm>
#include <tuple>

#include "app/gui/look/figures.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

bool is_arithmetic(const Ceiling& ceiling) {
  return ceiling.kind.rfind("flops", 0) == 0;
}

bool is_launch(const Ceiling& ceiling) {
  return ceiling.kind == "launch" || ceiling.kind == "launch-eager";
}

QString rate_text(const Ceiling& ceiling, double per_second) {
  if (is_launch(ceiling)) return text_of(format_duration({per_second > 0 ? 1e9 / per_second : 0}));
  return text_of(is_arithmetic(ceiling) ? format_flop_rate(per_second) : format_bandwidth(per_second));
}

// Returns the details of the limit, in the words of its kind.
QString detail_text(const Ceiling& ceiling) {
  if (ceiling.kind == "flops-half") return QStringLiteral("f16, bf16");
  if (is_arithmetic(ceiling)) return ceiling.kind == "flops" ? QStringLiteral("f32") : QStringLiteral("f64");
  return QString::fromStdString(ceiling.kind);
}

QString form_text(const Ceiling& ceiling) {
  return ceiling.form.empty() ? QString()
                              : CeilingModel::tr("Fastest of several forms: %1").arg(QString::fromStdString(ceiling.form));
}

// Grouped for reading. What was measured again for another piece is the same limit: the highest stands for it.
CeilingTable in_order(CeilingTable table) {
  const auto what = [](const Ceiling& row) {
    return std::tuple(row.kind == "stream", row.kind, row.read_streams, row.write_streams, row.nontemporal, row.threads,
                      row.footprint.count);
  };
  std::sort(table.rows.begin(), table.rows.end(), [&](const Ceiling& a, const Ceiling& b) {
    return what(a) != what(b) ? what(a) < what(b) : a.per_second > b.per_second;
  });
  const auto same = [&](const Ceiling& a, const Ceiling& b) { return what(a) == what(b); };
  table.rows.erase(std::unique(table.rows.begin(), table.rows.end(), same), table.rows.end());
  return table;
}

}  // namespace

QString stream_mix_text(const Ceiling& ceiling) {
  QString text = QCoreApplication::translate("fuselab::gui::CeilingModel", "%1 read + %2 write")
                     .arg(ceiling.read_streams)
                     .arg(ceiling.write_streams);
  if (ceiling.nontemporal) text += QCoreApplication::translate("fuselab::gui::CeilingModel", ", non-temporal");
  return text;
}

CeilingModel::CeilingModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Limit"), tr("What was measured"), false, 110},
               {tr("Streams"), tr("Mix of read and write streams, and the kind of store"), false, 210},
               {tr("Footprint"), tr("Working set the figure belongs to"), true, 100},
               {tr("Threads"), {}, true, 80},
               {tr("Measured"), tr("Median"), true, 120},
               {tr("95 % interval"), {}, true, 210}});
}

void CeilingModel::set_ceilings(CeilingTable table) {
  beginResetModel();
  table_ = in_order(std::move(table));
  endResetModel();
}

TableCell CeilingModel::cell(int row, int column) const {
  const Ceiling& ceiling = table_.rows[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {is_arithmetic(ceiling) ? tr("Arithmetic") : is_launch(ceiling) ? tr("Launch") : tr("Bandwidth")};
    case 1:
      return ceiling.kind == "stream" ? TableCell{stream_mix_text(ceiling), form_text(ceiling)}
                                      : TableCell{detail_text(ceiling), form_text(ceiling), {}, Tone::kMuted};
    case 2:
      if (ceiling.footprint.count == 0) return {QStringLiteral("–"), {}, 0, Tone::kMuted};
      return {text_of(format_bytes(ceiling.footprint)), {}, static_cast<qlonglong>(ceiling.footprint.count)};
    case 3: return {QString::number(ceiling.threads), {}, ceiling.threads};
    case 4: return {rate_text(ceiling, ceiling.per_second), {}, ceiling.per_second, Tone::kNeutral, true};
    default:
      return {QStringLiteral("[%1, %2]").arg(rate_text(ceiling, ceiling.low), rate_text(ceiling, ceiling.high)),
              {},
              ceiling.high - ceiling.low,
              Tone::kMuted};
  }
}

}  // namespace fuselab::gui
