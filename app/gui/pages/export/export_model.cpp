// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/export/export_model.h"

#include "app/deploy/bundle/bundle_words.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/kernel/drawback.h"

namespace fuselab::gui {
namespace {

constexpr int kMissing = 6;  // the column

// What a bundle says is somebody else's: a line of it stays one.
QString plain(const std::string& text) {
  return text_of(plain_line(text));
}

Tone tone_of(deploy::PieceVerdict verdict) {
  switch (verdict) {
    case deploy::PieceVerdict::kAsFast:
    case deploy::PieceVerdict::kFaster: return Tone::kGood;
    case deploy::PieceVerdict::kNotCompared: return Tone::kMuted;
    case deploy::PieceVerdict::kSlower: return Tone::kWarning;
    case deploy::PieceVerdict::kWrong:
    case deploy::PieceVerdict::kFailed: return Tone::kBad;
  }
  return Tone::kBad;
}

const TableCell& no_time() {
  static const TableCell kNone{QStringLiteral("–"), VerifyModel::tr("Not measured"), -1.0, Tone::kMuted};
  return kNone;
}

}  // namespace

ExportModel::ExportModel(bool written, QObject* parent) : TableModelBase(parent), written_(written) {
  std::vector<Column> all = {
      {tr("Piece"), {}, false, 190, 90, false, true},
      {tr("Uses"), tr("Of the piece in the model"), true, 50},
      {tr("Plan"), {}, false, 70},
      {tr("Configured"),
       tr("tuned: measured, and confirmed in a fresh process · unconfirmed: measured only · default: never measured"), false, 96},
      {tr("Time"), tr("Median with its 95 % interval, warm caches"), true, 160},
      {tr("Next best"), tr("The next best plan that was measured on the same CPU, and its time over this one's"), false, 170, 80},
      {tr("Missing"), tr("What is missing, and why"), false, 190, 80},
      {tr("Configuration"), {}, false, 220, 80, true}};
  if (written_) all.erase(all.begin() + kMissing);
  set_columns(std::move(all));
}

std::string ExportModel::name(int row) const {
  return row >= 0 && row < rows() ? pieces_[static_cast<std::size_t>(row)].name : std::string();
}

void ExportModel::show(std::vector<deploy::OutgoingPiece> pieces) {
  beginResetModel();
  pieces_ = std::move(pieces);
  QStringList names;
  for (const deploy::OutgoingPiece& piece : pieces_) names << plain(piece.name);
  brief_ = brief_names(names);
  endResetModel();
}

TableCell ExportModel::time_cell(const deploy::OutgoingPiece& piece) const {
  if (!piece.figure) return {kPendingText, tr("Not measured"), -1.0, Tone::kMuted};
  const auto& figure = *piece.figure;
  const Drawbacks drawbacks = drawbacks_of(piece.config);
  const QString time = duration_text(figure.median_ns);
  return {time + u' ' + interval_text(figure.low_ns, figure.high_ns, figure.median_ns) + drawback_mark(drawbacks),
          drawback_text(drawbacks),
          figure.median_ns,
          Tone::kNeutral,
          false,
          time};
}

TableCell ExportModel::next_cell(const deploy::OutgoingPiece& piece) const {
  if (!piece.runner_up) return {QStringLiteral("–"), tr("No other plan was measured on this CPU"), 0.0, Tone::kMuted};
  const deploy::BundleRunnerUp& next = *piece.runner_up;
  const QString ratio = QString::number(next.ratio, 'f', 2) + QStringLiteral("×");
  const bool faster = next.ratio < 1;
  const QString text = faster ? tr("%1 %2, faster").arg(plain(next.plan), ratio) : plain(next.plan) + u' ' + ratio;
  const QString why =
      faster ? tr("It takes %1 and cannot be exported: a bundle holds generated kernels only").arg(duration_text(next.median_ns))
             : tr("It takes %1").arg(duration_text(next.median_ns));
  return {text, why, next.ratio, faster ? Tone::kWarning : Tone::kNeutral};
}

TableCell ExportModel::cell(int row, int column) const {
  const deploy::OutgoingPiece& piece = pieces_[static_cast<std::size_t>(row)];
  const bool goes = !piece.configured.empty();
  if (written_ && column >= kMissing) ++column;
  switch (column) {
    case 0: return {plain(piece.name), plain(piece.name), {}, Tone::kNeutral, false, brief_[row]};
    case 1: return {count_text(piece.count), {}, piece.count};
    case 2: return {goes ? plain(piece.plan) : QStringLiteral("–")};
    case 3: {
      const Tone tone = !goes ? Tone::kBad : piece.configured == deploy::kTuned ? Tone::kGood : Tone::kWarning;
      return {goes ? plain(piece.configured) : tr("stays behind"), {}, {}, tone};
    }
    case 4: return time_cell(piece);
    case 5: return next_cell(piece);
    case kMissing: {
      const QString missing = plain(piece.missing);
      const QString built = piece.configured == deploy::kDefault
                                ? tr(": it goes out as the nearest tuned size, else in its default configuration")
                                : QString();
      const QString refused = piece.refused.empty() ? QString() : u'\n' + plain(piece.refused);
      return {missing, missing + built + refused, {}, piece.refused.empty() ? Tone::kMuted : Tone::kBad};
    }
    default: return {plain(piece.config), plain(piece.config), {}, Tone::kMuted};
  }
}

BundleModel::BundleModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Fact"), {}, false, 120}, {tr("Value"), {}, false, 300}});
}

void BundleModel::show(const QString& file, const deploy::InspectedBundle& bundle) {
  beginResetModel();
  const deploy::BundleManifest& manifest = bundle.manifest;
  facts_ = {{tr("File"), file},
            {tr("Size"), text_of(format_bytes(bundle.size))},
            {tr("Signed by"), plain(deploy::signer_text(bundle))},
            {tr("Made by"), plain(manifest.made_by)},
            {tr("Commit"), manifest.commit.empty() ? tr("not known") : plain(manifest.commit)},
            {tr("Target"), plain(manifest.environment.target)},
            {tr("Processor"), plain(manifest.environment.processor)},
            {tr("Caches"), plain(manifest.environment.cache_mode)},
            {tr("Kernels"), count_text(static_cast<std::int64_t>(manifest.kernels.size()))},
            {tr("Weights"), text_of(format_bytes({manifest.weights.bytes}))}};
  for (const deploy::BundleGpuKernel& kernel : manifest.gpu_kernels)
    facts_.emplace_back(tr("Kernel for %1").arg(plain(kernel.target)),
                        tr("%1: %2, %3").arg(plain(kernel.piece), text_of(deploy::launch_text(kernel)), plain(kernel.config)));
  for (const deploy::BundleMeasuring& measuring : manifest.measured)
    facts_.emplace_back(tr("Measured on"), plain(deploy::measuring_text(measuring)));
  for (const deploy::BundleModel& model : manifest.models) {
    QString name = plain(model.name);
    if (!model.binding.empty()) name += tr(" (%1)").arg(plain(model.binding));
    facts_.emplace_back(tr("Model"), name);
    facts_.emplace_back(tr("Inputs"), plain(deploy::tensors_text(model.inputs)));
    facts_.emplace_back(tr("Outputs"), plain(deploy::tensors_text(model.outputs)));
    facts_.emplace_back(tr("Steps"), count_text(static_cast<std::int64_t>(model.steps.size())));
    facts_.emplace_back(
        tr("Intermediates"),
        tr("%1, without reuse %2").arg(text_of(format_bytes({model.arena_bytes})), text_of(format_bytes({model.unshared_bytes}))));
    if (const std::int64_t seeded = deploy::seeded_weights(model); seeded > 0)
      facts_.emplace_back(tr("From the seed"),
                          tr("%1 of %2 weights: the model's file has no numbers for them").arg(seeded).arg(model.weights.size()));
  }
  endResetModel();
}

TableCell BundleModel::cell(int row, int column) const {
  const auto& [name, value] = facts_[static_cast<std::size_t>(row)];
  return column == 0 ? TableCell{name, {}, {}, Tone::kMuted} : TableCell{value, value};
}

VerifyModel::VerifyModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Piece"), {}, false, 190, 90, false, true},
       {tr("Verdict"), tr("Beside the float64 reference, and beside the time that it had when it was exported"), false, 110},
       {tr("Exported"), tr("Median when it was exported"), true, 84},
       {tr("Here"), tr("Median of the medians of fresh processes, with their range"), true, 160},
       {tr("Ratio"), tr("Time here over the exported one"), true, 66},
       {tr("Why"), {}, false, 220, 80, true}});
}

void VerifyModel::show(std::vector<deploy::VerifiedPiece> pieces) {
  beginResetModel();
  pieces_ = std::move(pieces);
  QStringList names;
  for (const deploy::VerifiedPiece& piece : pieces_) names << text_of(plain_line(piece.name));
  brief_ = brief_names(names);
  endResetModel();
}

TableCell VerifyModel::cell(int row, int column) const {
  const deploy::VerifiedPiece& piece = pieces_[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {text_of(plain_line(piece.name)), text_of(plain_line(piece.name)), {}, Tone::kNeutral, false, brief_[row]};
    case 1: return {text_of(name_of(piece.verdict)), {}, {}, tone_of(piece.verdict)};
    case 2: return piece.exported ? TableCell{duration_text(piece.exported->median_ns), {}, piece.exported->median_ns} : no_time();
    case 3: {
      if (!piece.here) return no_time();
      const QString time = duration_text(piece.here->median);
      const Interval& range = piece.here->interval;
      return {time + u' ' + interval_text(range.low, range.high, piece.here->median),
              {},
              piece.here->median,
              Tone::kNeutral,
              false,
              time};
    }
    case 4:
      return piece.ratio() > 0 ? TableCell{QString::number(piece.ratio(), 'f', 2) + QStringLiteral("×"), {}, piece.ratio()}
                               : no_time();
    default: return {window_words(plain_line(piece.reason)), window_words(plain_line(piece.reason)), {}, Tone::kMuted};
  }
}

}  // namespace fuselab::gui
