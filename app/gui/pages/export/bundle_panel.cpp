// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/export/bundle_panel.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/pages/export/export_model.h"
#include "app/gui/tables/fact_view.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr Named kBundleNamed{"export."};

}  // namespace

BundlePanel::BundlePanel(const Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      facts_(new BundleModel(this)),
      bundle_pieces_(new ExportModel(true, this)),
      verified_(new VerifyModel(this)) {
  auto* open_folder = kBundleNamed(new QPushButton(tr("Open folder…")), "open_folder", tr("Open a bundle that is a folder"),
                                   tr("Show what is in a bundle that was written as a folder"));
  connect(open_folder, &QPushButton::clicked, this, &BundlePanel::open_folder);
  auto* open = kBundleNamed(new QPushButton(tr("Open bundle…")), "open", tr("Open a bundle"),
                            tr("Show what is in a bundle that was written (Ctrl+O)"));
  open->setShortcut(QKeySequence::Open);
  connect(open, &QPushButton::clicked, this, &BundlePanel::open_bundle);
  verify_ = kBundleNamed(new QPushButton(tr("Verify")), "verify", tr("Verify the bundle"), {});
  cancel_ =
      kBundleNamed(new QPushButton(tr("Cancel")), "cancel_verify", tr("Cancel verifying"), tr("Cancel the running verification"));
  connect(verify_, &QPushButton::clicked, this, &BundlePanel::verify);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  line_ = make_line(QStringLiteral("export.bundle_line"));
  stack_ = new QStackedWidget;
  stack_->addWidget(
      new EmptyState(tr("No bundle is open"), tr("Export writes one and shows it here; Open bundle… shows any other."), nullptr));
  stack_->addWidget(build_tables());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(make_column({make_row({open, open_folder, verify_, cancel_, line_}, line_), stack_}, kPanelMargin));
}

BundlePanel::~BundlePanel() {
  stop_.request_stop();
}

QWidget* BundlePanel::build_tables() {
  auto* facts = new FactView;
  facts->setObjectName(QStringLiteral("export.bundle"));
  facts->setAccessibleName(tr("Facts of the bundle"));
  facts->setModel(facts_);
  pieces_ = new TableView;
  pieces_->setObjectName(QStringLiteral("export.bundle_pieces"));
  pieces_->setAccessibleName(tr("Pieces in the bundle"));
  pieces_->setModel(bundle_pieces_);
  verified_table_ = new TableView;
  verified_table_->setObjectName(QStringLiteral("export.verified"));
  verified_table_->setAccessibleName(tr("What verifying found out about each piece"));
  verified_table_->setModel(verified_);
  verified_table_->hide();
  auto* both = make_splitter(Qt::Vertical, {pieces_, verified_table_}, {300, 300});
  parts_ = make_splitter(Qt::Horizontal, {facts, both}, {400, 700});
  return parts_;
}

void BundlePanel::update_buttons(bool busy) {
  verify_->setEnabled(!busy && !verifying_ && !shown_.isEmpty());
  verify_->setToolTip(bench_.job.active()
                          ? tr("A job is measuring, which this would disturb")
                          : tr("Load and run it as production does, compare each piece with the float64 reference, and time it in "
                               "fresh processes"));
  cancel_->setEnabled(verifying_);
}

void BundlePanel::open_bundle() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a bundle"), {}, tr("Bundles (*.fuselab);;All files (*)"));
  if (!file.isEmpty()) emit chosen(file);
}

void BundlePanel::open_folder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a bundle that is a folder"));
  if (!folder.isEmpty()) emit chosen(folder);
}

void BundlePanel::inspect(const QString& file) {
  show_line(line_, tr("Reading %1…").arg(file), Tone::kMuted);
  bench_.engine.query(
      this, [file = file.toStdString()](engine::Engine& engine) { return deploy::inspect_bundle(engine.config(), file); },
      [this, file](const Result<deploy::InspectedBundle>& read) {
        if (!read.ok()) return show_line(line_, window_words(read.error()), Tone::kBad);
        shown_ = file;
        verified_table_->hide();
        emit changed();
        stack_->setCurrentIndex(1);
        facts_->show(file, read.value());
        bundle_pieces_->show(deploy::pieces_of(read.value().manifest));
        show_line(line_,
                  tr("%1: integrity verified. Kernels and weights are those that its manifest names.")
                      .arg(QFileInfo(QDir::cleanPath(file)).fileName()),
                  Tone::kNeutral);
      });
}

void BundlePanel::verify() {
  if (verifying_ || !bench_.engine.is_open()) return;
  verifying_ = true;
  stop_ = std::stop_source();
  show_line(line_, tr("Verifying…"));
  emit changed();
  deploy::VerifySpec spec;
  spec.file = shown_.toStdString();
  bench_.engine.query(
      this, stop_,
      [spec](engine::Engine& engine, const std::stop_token& stop) { return deploy::verify_bundle(engine, spec, stop); },
      [this](const Result<deploy::VerifiedBundle>& done) { verified(done); });
}

void BundlePanel::verified(const Result<deploy::VerifiedBundle>& done) {
  verifying_ = false;
  emit changed();
  if (!done.ok()) {
    const bool cancelled = done.error().code == ErrorCode::kCancelled;
    return show_line(line_, cancelled ? tr("Cancelled") : window_words(done.error()), cancelled ? Tone::kMuted : Tone::kBad);
  }
  const deploy::VerifiedBundle& bundle = done.value();
  const bool wrong = bundle.has(deploy::PieceVerdict::kWrong) || bundle.has(deploy::PieceVerdict::kFailed);
  QStringList parts{
      wrong ? tr("NOT every piece matches the float64 reference") : tr("It loads, and every piece matches the float64 reference"),
      tr("opened in %1").arg(duration_text(bundle.open.count)),
      tr("launches: %1 tuned, %2 untuned, %3 baseline").arg(bundle.tuned).arg(bundle.untuned).arg(bundle.baseline)};
  for (const deploy::VerifiedRun& run : bundle.runs)
    parts << tr("%1 runs in %2").arg(text_of(run.model), duration_text(run.median.count));
  if (!bundle.other_processor.empty())
    parts << tr("measured on another CPU, %1: times are not judged").arg(text_of(bundle.other_processor));
  show_line(line_, parts.join(QStringLiteral(" · ")),
            wrong                                       ? Tone::kBad
            : bundle.has(deploy::PieceVerdict::kSlower) ? Tone::kWarning
                                                        : Tone::kGood);
  verified_->show(bundle.pieces);
  verified_table_->show();
}

}  // namespace fuselab::gui
