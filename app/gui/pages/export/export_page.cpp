// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/export/export_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/gate/source/source_commit.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/pages/export/export_model.h"
#include "app/gui/tables/fact_view.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kBindingWidth = 150;  // pixels, at most
constexpr int kChooseWidth = 44;
constexpr int kExportMargin = 8;  // inside a tab

constexpr Named kExportNamed{"export."};

}  // namespace

ExportPage::ExportPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kExport,
           tr("What goes out to production: one file with the kernels that run a model, their configurations and the evidence"),
           bench_in, parent),
      pieces_(new ExportModel(false, this)),
      bundle_pieces_(new ExportModel(true, this)),
      bundle_(new BundleModel(this)),
      verified_(new VerifyModel(this)) {
  build_header();
  build_body();
  propose_file();
  update_buttons();
  connect(&bench().engine, &EngineLink::opened, this, &ExportPage::load);
  connect(&bench().job, &JobBridge::started, this, &ExportPage::update_buttons);
  connect(&bench().job, &JobBridge::ended, this, [this] {
    update_buttons();
    if (stale_ && isVisible()) load();
  });
  connect(&bench().views, &Snapshots::tables_changed, this, [this] {
    stale_ = true;
    if (isVisible() && !bench().job.active()) load();
  });
}

ExportPage::~ExportPage() {
  stop_.request_stop();
}

void ExportPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  if (stale_ && !bench().job.active()) load();
}

void ExportPage::build_header() {
  subject_ = kExportNamed(new QComboBox(this), "subject", tr("Model or workload"),
                          tr("A built-in model or workload, an ONNX file, or the text of a graph"));
  subject_->setEditable(true);
  subject_->setInsertPolicy(QComboBox::NoInsert);
  subject_->setMinimumContentsLength(20);
  for (const std::string& name : bench().subjects) subject_->addItem(text_of(name));
  subject_->lineEdit()->setAccessibleName(tr("Model or workload"));
  const engine::JobSpec& job = bench().control.default_spec();
  if (!job.subjects.empty()) subject_->setCurrentText(text_of(job.subjects.front()));
  binding_ = kExportNamed(new QLineEdit(this), "binding", tr("Shape"),
                          tr("Values of symbolic dimensions; empty: as the model is measured"));
  binding_->setPlaceholderText(tr("as the model says"));
  binding_->setMaximumWidth(kBindingWidth);
  level_ = kExportNamed(new QComboBox(this), "level", tr("Optimisation level"),
                        tr("O0: no fusion · O1: strict · O2: balanced · O3: aggressive"));
  for (const char* level : {"O0", "O1", "O2", "O3"}) level_->addItem(QLatin1String(level));
  level_->setCurrentText(text_of(job.level));
  dtype_ = kExportNamed(new QComboBox(this), "dtype", tr("Element type"),
                        tr("Type of every floating-point tensor of built-in models and workloads; a model's file has its own"));
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) dtype_->addItem(QLatin1String(dtype));
  dtype_->setCurrentText(text_of(job.dtype));
  for (QWidget* widget : std::initializer_list<QWidget*>{subject_, binding_, level_, dtype_}) header()->addWidget(widget);
  connect(subject_, &QComboBox::currentTextChanged, this, &ExportPage::propose_file);
  connect(subject_, &QComboBox::textActivated, this, &ExportPage::load);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ExportPage::load);
  connect(binding_, &QLineEdit::returnPressed, this, &ExportPage::load);
  connect(level_, &QComboBox::currentIndexChanged, this, &ExportPage::load);
  connect(dtype_, &QComboBox::currentIndexChanged, this, &ExportPage::load);
}

void ExportPage::build_body() {
  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("export.tabs"));
  tabs_->setAccessibleName(tr("What goes out, or what is in a bundle"));
  tabs_->addTab(build_outgoing(), tr("Goes out"));
  tabs_->addTab(build_bundle(), tr("Bundle"));
  empty_ = new EmptyState(tr("Choose a model"), tr("A built-in model or workload from the list, or an ONNX file."), nullptr);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(tabs_);
  body()->addWidget(stack_, 1);
}

QWidget* ExportPage::build_outgoing() {
  loss_line_ = make_line(QStringLiteral("export.loss_line"));
  line_ = make_line(QStringLiteral("export.line"));
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("export.pieces"));
  table_->setAccessibleName(tr("Pieces as they go out"));
  table_->setModel(pieces_);
  remember(table_, QStringLiteral("pieces"));
  return make_column({loss_line_, table_, build_options(), build_accepted(), build_target(), line_}, kExportMargin);
}

QWidget* ExportPage::build_target() {
  format_ = kExportNamed(new QComboBox, "format", tr("Form of what is written"),
                         tr("Bundle: one file with all that runs it; folder: the same, its parts as files; C header: the launch "
                            "configurations alone (--format)"));
  format_->addItem(tr("Bundle"), static_cast<int>(deploy::ExportFormat::kBundle));
  format_->addItem(tr("Folder"), static_cast<int>(deploy::ExportFormat::kFolder));
  format_->addItem(tr("C header"), static_cast<int>(deploy::ExportFormat::kHeader));
  file_ = kExportNamed(new QLineEdit, "file", tr("File of the bundle"),
                       tr("A bundle that is there is replaced; no other file or folder is"));
  auto* choose =
      kExportNamed(new QPushButton(tr("…")), "choose", tr("Choose the file of the bundle"), tr("Choose the file of the bundle"));
  export_ = kExportNamed(new QPushButton(tr("Export")), "write", tr("Write the bundle"), {});
  export_->setProperty("primary", true);
  cancel_ = kExportNamed(new QPushButton(tr("Cancel")), "cancel", tr("Cancel the export"),
                         tr("End the export that goes on; no file is written"));
  auto* label = new QLabel(tr("Write to"));
  label->setBuddy(file_);
  choose->setMaximumWidth(kChooseWidth);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportPage::propose_file);
  connect(choose, &QPushButton::clicked, this, &ExportPage::choose_file);
  connect(export_, &QPushButton::clicked, this, &ExportPage::write);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  connect(file_, &QLineEdit::textChanged, this, &ExportPage::update_buttons);
  offer(tr("Write the bundle"), {}, export_, [this] { export_->click(); });
  return make_row({label, format_, file_, choose, export_, cancel_}, file_);
}

// A box for each drawback that `--accept` knows.
QWidget* ExportPage::build_accepted() {
  auto* const row = new QWidget;
  auto* const boxes = new QHBoxLayout(row);
  boxes->setContentsMargins(0, 0, 0, 0);
  boxes->addWidget(new QLabel(tr("Accept a kernel that")));
  const engine::Accepted first = bench().control.default_spec().accepted;
  for (const DrawbackInfo& info : kDrawbacks) {
    const QString verb = text_of(info.verb);
    auto* box = new QCheckBox(verb);
    box->setObjectName(QStringLiteral("export.accept_") + text_of(info.name));
    box->setAccessibleName(tr("Accept a kernel that %1").arg(verb));
    box->setToolTip(tr("Such a kernel %1 (%2)").arg(text_of(info.meaning), text_of(accepting({info.drawback}))));
    box->setChecked(first.has(info.drawback));
    connect(box, &QCheckBox::toggled, this, &ExportPage::load);
    accepted_.emplace_back(info.drawback, box);
    boxes->addWidget(box);
  }
  boxes->addStretch(1);
  return row;
}

QWidget* ExportPage::build_options() {
  unconfirmed_ =
      kExportNamed(new QCheckBox(tr("Allow unconfirmed")), "unconfirmed", tr("Allow unconfirmed"),
                   tr("Take figures that no fresh process confirmed, and mark them in the bundle (--allow-unconfirmed)"));
  complete_ = kExportNamed(
      new QCheckBox(tr("Require complete")), "complete", tr("Require complete"),
      tr("Refuse a piece that was never measured, instead of building its default configuration (--require-complete)"));
  invent_ =
      kExportNamed(new QCheckBox(tr("Invent weights")), "invent", tr("Invent weights"),
                   tr("Pack random numbers for weights that a model's file declares and has no numbers for (--invent-weights)"));
  baselines_ = kExportNamed(
      new QCheckBox(tr("Baseline builds")), "baselines", tr("Baseline builds"),
      tr("Besides each kernel a build for processors without this one's instructions (--no-baseline leaves them out)"));
  baselines_->setChecked(true);
  loss_ = kExportNamed(new QDoubleSpinBox, "loss", tr("Most that leaving libraries behind may cost"),
                       tr("Refuse a model that is slower than this without libraries' plans (--max-loss)"));
  loss_->setRange(0, 100'000);
  loss_->setDecimals(1);
  loss_->setPrefix(tr("at most "));
  loss_->setSuffix(tr(" % slower"));
  loss_->setValue(deploy::ExportSpec().most_loss_percent);
  for (QCheckBox* box : {unconfirmed_, complete_, invent_, baselines_}) connect(box, &QCheckBox::toggled, this, &ExportPage::load);
  connect(loss_, &QDoubleSpinBox::valueChanged, this, &ExportPage::load);
  return make_row({unconfirmed_, complete_, invent_, baselines_, loss_});
}

QWidget* ExportPage::build_bundle() {
  auto* open_folder = kExportNamed(new QPushButton(tr("Open folder…")), "open_folder", tr("Open a bundle that is a folder"),
                                   tr("Show what is in a bundle that was written as a folder, as `fuselab inspect` does"));
  connect(open_folder, &QPushButton::clicked, this, &ExportPage::open_folder);
  offer(tr("Open a bundle that is a folder…"), {}, this, [this] { this->open_folder(); });
  auto* open = kExportNamed(new QPushButton(tr("Open bundle…")), "open", tr("Open a bundle"),
                            tr("Show what is in a bundle that was written, as `fuselab inspect` does (Ctrl+O)"));
  open->setShortcut(QKeySequence::Open);
  connect(open, &QPushButton::clicked, this, &ExportPage::open_bundle);
  offer(tr("Open a bundle…"), QKeySequence::Open, this, [this] { open_bundle(); });
  bundle_line_ = make_line(QStringLiteral("export.bundle_line"));
  auto* facts = new FactView;
  facts->setObjectName(QStringLiteral("export.bundle"));
  facts->setAccessibleName(tr("Facts of the bundle"));
  facts->setModel(bundle_);
  auto* pieces = new TableView;
  pieces->setObjectName(QStringLiteral("export.bundle_pieces"));
  pieces->setAccessibleName(tr("Pieces in the bundle"));
  pieces->setModel(bundle_pieces_);
  remember(pieces, QStringLiteral("bundle_pieces"));
  verified_table_ = new TableView;
  verified_table_->setObjectName(QStringLiteral("export.verified"));
  verified_table_->setAccessibleName(tr("What verifying found out about each piece"));
  verified_table_->setModel(verified_);
  verified_table_->hide();
  verify_ = kExportNamed(new QPushButton(tr("Verify")), "verify", tr("Verify the bundle"), {});
  stop_verifying_ =
      kExportNamed(new QPushButton(tr("Cancel")), "cancel_verify", tr("Cancel verifying"), tr("End the verifying that goes on"));
  connect(verify_, &QPushButton::clicked, this, &ExportPage::verify);
  connect(stop_verifying_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  offer(tr("Verify the bundle"), {}, verify_, [this] { verify_->click(); });
  auto* both = make_splitter(Qt::Vertical, {pieces, verified_table_}, {300, 300});
  auto* parts = make_splitter(Qt::Horizontal, {facts, both}, {400, 700});
  remember(parts, QStringLiteral("bundle_parts"));
  bundle_stack_ = new QStackedWidget;
  bundle_stack_->addWidget(
      new EmptyState(tr("No bundle is open"), tr("Export writes one and shows it here; Open bundle… shows any other."), nullptr));
  bundle_stack_->addWidget(parts);
  return make_column({make_row({open, open_folder, verify_, stop_verifying_, bundle_line_}, bundle_line_), bundle_stack_},
                     kExportMargin);
}

deploy::ExportFormat ExportPage::format() const {
  return static_cast<deploy::ExportFormat>(format_->currentData().toInt());
}

deploy::ExportSpec ExportPage::spec() const {
  deploy::ExportSpec spec;
  spec.subjects = {subject_->currentText().trimmed().toStdString()};
  spec.binding = binding_->text().toStdString();
  spec.level = level_->currentText().toStdString();
  spec.dtype = dtype_->currentText().toStdString();
  for (const auto& [drawback, box] : accepted_) {
    if (box->isChecked()) spec.accepted.add(drawback);
  }
  spec.format = format();
  spec.commit = engine::source_commit();
  spec.allow_unconfirmed = unconfirmed_->isChecked();
  spec.require_complete = complete_->isChecked();
  spec.invent_weights = invent_->isChecked();
  spec.baselines = baselines_->isChecked();
  spec.most_loss_percent = loss_->value();
  spec.file = file_->text().trimmed().toStdString();
  return spec;
}

void ExportPage::load() {
  if (!bench().engine.is_open() || subject_->currentText().trimmed().isEmpty()) return;
  stale_ = false;
  const int asked = ++asked_;
  bench().engine.query(
      this, [spec = spec()](engine::Engine& engine) { return deploy::preview_export(engine, spec); },
      [this, asked](Result<std::vector<deploy::ExportPreview>> previews) {
        if (asked == asked_) take(std::move(previews));
      });
}

void ExportPage::take(Result<std::vector<deploy::ExportPreview>> previews) {
  if (!previews.ok()) {
    empty_->set_text(tr("This cannot be exported"), text_of(previews.error().message));
    set_subtitle(tr("What goes out to production"));
    stack_->setCurrentIndex(0);
    return;
  }
  std::vector<deploy::OutgoingPiece> pieces;
  QStringList losses;
  refused_.clear();
  for (deploy::ExportPreview& preview : previews.value()) {
    for (const std::string& line : preview.loss.lines) losses << text_of(line);
    if (refused_.isEmpty()) refused_ = text_of(preview.refused);
    std::move(preview.pieces.begin(), preview.pieces.end(), std::back_inserter(pieces));
  }
  int tuned = 0, unconfirmed = 0, untuned = 0, behind = 0;
  for (const deploy::OutgoingPiece& piece : pieces)
    ++(piece.configured == deploy::kTuned         ? tuned
       : piece.configured == deploy::kUnconfirmed ? unconfirmed
       : piece.configured.empty()                 ? behind
                                                  : untuned);
  const deploy::ExportPreview& first = previews.value().front();
  QStringList parts{text_of(first.model), counted_text(static_cast<std::int64_t>(pieces.size()), tr("piece"), tr("pieces")),
                    tr("%1 tuned, %2 unconfirmed, %3 never measured").arg(tuned).arg(unconfirmed).arg(untuned)};
  if (behind > 0) parts << tr("%1 cannot go out").arg(behind);
  parts << tr("for %1 (%2), %3").arg(text_of(first.target), text_of(first.device), text_of(first.processor));
  set_subtitle(parts.join(QStringLiteral(" · ")));
  const double percent = first.loss.percent();
  if (!losses.isEmpty()) {
    show_line(loss_line_,
              tr("Leaving libraries behind costs %1 %: %2")
                  .arg(percent, 0, 'f', 1)
                  .arg(losses.size() == 1 ? losses.front() : tr("%1 pieces are faster in one").arg(losses.size())),
              Tone::kWarning);
  } else {
    show_line(loss_line_,
              tuned + unconfirmed == 0 ? tr("Nothing of this was measured: what leaving libraries behind costs is not known.")
                                       : tr("Leaving libraries behind costs nothing: none that was measured is faster."),
              Tone::kMuted);
  }
  loss_line_->setToolTip(losses.join(u'\n'));
  show_line(line_, refused_.isEmpty() ? QString() : tr("Not with these options: %1").arg(refused_), Tone::kBad);
  pieces_->show(std::move(pieces));
  stack_->setCurrentIndex(1);
  update_buttons();
}

// The user's own choice stays.
void ExportPage::propose_file() {
  if (file_->text() != proposed_) return;
  QString name = QFileInfo(subject_->currentText().trimmed()).completeBaseName();
  if (name.isEmpty() || name.contains(u'(')) name = QStringLiteral("model");
  name += format() == deploy::ExportFormat::kBundle   ? QStringLiteral(".fuselab")
          : format() == deploy::ExportFormat::kFolder ? QStringLiteral("-fuselab/")
                                                      : QStringLiteral(".h");
  proposed_ = QDir::home().filePath(name);
  file_->setText(proposed_);
}

void ExportPage::choose_file() {
  const QString kinds =
      format() == deploy::ExportFormat::kHeader ? tr("C headers (*.h);;All files (*)") : tr("Bundles (*.fuselab);;All files (*)");
  const QString title = tr("Write the bundle to");
  const QString file = format() == deploy::ExportFormat::kFolder ? QFileDialog::getExistingDirectory(this, title)
                                                                 : QFileDialog::getSaveFileName(this, title, file_->text(), kinds);
  if (!file.isEmpty()) file_->setText(file);
}

void ExportPage::update_buttons() {
  const bool measuring = bench().job.active();
  export_->setEnabled(!exporting_ && !verifying_ && !measuring && refused_.isEmpty() && !file_->text().trimmed().isEmpty());
  export_->setToolTip(measuring            ? tr("A job is measuring, which an export would disturb")
                      : refused_.isEmpty() ? tr("Make what is not kept, and write the bundle, signed with your key")
                                           : refused_);
  cancel_->setEnabled(exporting_);
  verify_->setEnabled(!exporting_ && !verifying_ && !measuring && !shown_.isEmpty());
  verify_->setToolTip(
      measuring ? tr("A job is measuring, which this would disturb")
                : tr("Load and run it as production does, compare each piece with the float64 reference, and time it in fresh "
                     "processes, as `fuselab export --verify` does"));
  stop_verifying_->setEnabled(verifying_);
}

void ExportPage::write() {
  if (exporting_ || !bench().engine.is_open()) return;
  exporting_ = true;
  stop_ = std::stop_source();
  show_line(line_, tr("Exporting…"), Tone::kNeutral);
  update_buttons();
  bench().engine.query(
      this, stop_,
      [spec = spec()](engine::Engine& engine, const std::stop_token& stop) { return deploy::export_subjects(engine, spec, stop); },
      [this, header = format() == deploy::ExportFormat::kHeader](Result<deploy::ExportedBundle> done) {
        written(std::move(done), header);
      });
}

void ExportPage::written(Result<deploy::ExportedBundle> done, bool was_header) {
  exporting_ = false;
  update_buttons();
  if (!done.ok()) {
    const bool cancelled = done.error().code == ErrorCode::kCancelled;
    show_line(line_, cancelled ? tr("Cancelled: nothing was written") : text_of(done.error().message),
              cancelled ? Tone::kMuted : Tone::kBad);
    return;
  }
  const deploy::ExportedBundle& bundle = done.value();
  const QString file = file_->text().trimmed();
  show_line(line_,
            tr("%1: %2, %3 tuned, %4 unconfirmed, %5 in the default configuration")
                .arg(file, text_of(format_bytes(bundle.size)), counted_text(bundle.tuned, tr("piece"), tr("pieces")))
                .arg(bundle.unconfirmed)
                .arg(bundle.defaults),
            Tone::kGood);
  if (was_header) return;
  tabs_->setCurrentIndex(1);
  inspect(file);
}

void ExportPage::open_bundle() {
  show_bundle(QFileDialog::getOpenFileName(this, tr("Open a bundle"), {}, tr("Bundles (*.fuselab);;All files (*)")));
}

void ExportPage::open_folder() {
  show_bundle(QFileDialog::getExistingDirectory(this, tr("Open a bundle that is a folder")));
}

void ExportPage::show_bundle(const QString& file) {
  if (file.isEmpty() || !bench().engine.is_open()) return;
  stack_->setCurrentIndex(1);
  tabs_->setCurrentIndex(1);
  inspect(file);
}

void ExportPage::inspect(const QString& file) {
  show_line(bundle_line_, tr("Reading %1…").arg(file), Tone::kMuted);
  bench().engine.query(
      this, [file = file.toStdString()](engine::Engine& engine) { return deploy::inspect_bundle(engine.config(), file); },
      [this, file](const Result<deploy::InspectedBundle>& read) {
        if (!read.ok()) return show_line(bundle_line_, text_of(read.error().message), Tone::kBad);
        shown_ = file;
        verified_table_->hide();
        update_buttons();
        bundle_stack_->setCurrentIndex(1);
        bundle_->show(file, read.value());
        bundle_pieces_->show(deploy::pieces_of(read.value().manifest));
        show_line(bundle_line_,
                  tr("%1 is whole: kernels and weights are those that its manifest names.")
                      .arg(QFileInfo(QDir::cleanPath(file)).fileName()),
                  Tone::kNeutral);
      });
}

void ExportPage::verify() {
  if (verifying_ || !bench().engine.is_open()) return;
  verifying_ = true;
  stop_ = std::stop_source();
  show_line(bundle_line_, tr("Verifying…"));
  update_buttons();
  deploy::VerifySpec spec;
  spec.file = shown_.toStdString();
  bench().engine.query(
      this, stop_,
      [spec](engine::Engine& engine, const std::stop_token& stop) { return deploy::verify_bundle(engine, spec, stop); },
      [this](const Result<deploy::VerifiedBundle>& done) { verified(done); });
}

void ExportPage::verified(const Result<deploy::VerifiedBundle>& done) {
  verifying_ = false;
  update_buttons();
  if (!done.ok()) {
    const bool cancelled = done.error().code == ErrorCode::kCancelled;
    return show_line(bundle_line_, cancelled ? tr("Cancelled") : text_of(done.error().message),
                     cancelled ? Tone::kMuted : Tone::kBad);
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
    parts << tr("measured on another processor, %1: times are not judged").arg(text_of(bundle.other_processor));
  show_line(bundle_line_, parts.join(QStringLiteral(" · ")),
            wrong                                       ? Tone::kBad
            : bundle.has(deploy::PieceVerdict::kSlower) ? Tone::kWarning
                                                        : Tone::kGood);
  verified_->show(bundle.pieces);
  verified_table_->show();
}

void ExportPage::go_to(const QString& key) {
  if (key.endsWith(QLatin1String(".fuselab")) || QFileInfo::exists(key + QStringLiteral("/manifest.json"))) {
    stack_->setCurrentIndex(1);
    tabs_->setCurrentIndex(1);
    return inspect(key);
  }
  subject_->setCurrentText(key);
  load();
}

Page* make_export_page(const Workbench& bench) {
  return new ExportPage(bench);
}

}  // namespace fuselab::gui
