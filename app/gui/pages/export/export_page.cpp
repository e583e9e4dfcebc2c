// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/export/export_page.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/gate/source/source_commit.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/look/window_words.h"
#include "app/gui/pages/export/bundle_panel.h"
#include "app/gui/pages/export/export_model.h"
#include "app/gui/pages/export/export_options.h"
#include "app/gui/parts/refused_field.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kBindingWidth = 150;  // pixels, at most
constexpr int kChooseWidth = 44;

constexpr Named kExportNamed{"export."};

}  // namespace

ExportPage::ExportPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kExport,
           tr("What goes out to production: one file with the kernels that run a model, their configurations and the evidence"),
           bench_in, parent),
      pieces_(new ExportModel(false, this)),
      bundle_(new BundlePanel(bench_in, this)) {
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
  binding_ =
      kExportNamed(new QLineEdit(this), "binding", tr("Shape"),
                   tr("Values of symbolic dimensions, e.g. batch=1; several extents in one bundle: batch=1 batch=8; empty: as the "
                      "model is measured"));
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
  fields_ = new RefusedModel(subject_->lineEdit(), binding_, known_subjects());
  connect(fields_, &RefusedModel::replaced, this, &ExportPage::load);
  connect(subject_, &QComboBox::currentTextChanged, this, &ExportPage::propose_file);
  connect(subject_, &QComboBox::textActivated, this, &ExportPage::load);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ExportPage::load);
  connect(binding_, &QLineEdit::returnPressed, this, &ExportPage::load);
  for (QLineEdit* field : {subject_->lineEdit(), binding_}) {
    connect(field, &QLineEdit::textEdited, this, &ExportPage::fields_edited);
    connect(field, &QLineEdit::editingFinished, this, [this] {
      if (is_pending()) load();
    });
  }
  connect(level_, &QComboBox::currentIndexChanged, this, &ExportPage::load);
  connect(dtype_, &QComboBox::currentIndexChanged, this, &ExportPage::load);
}

void ExportPage::build_body() {
  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("export.tabs"));
  tabs_->setAccessibleName(tr("What goes out, or what is in a bundle"));
  tabs_->addTab(build_outgoing(), tr("To export"));
  tabs_->addTab(bundle_, tr("Bundle"));
  remember(bundle_->pieces(), QStringLiteral("bundle_pieces"));
  remember(bundle_->parts(), QStringLiteral("bundle_parts"));
  offer(tr("Open a bundle that is a folder…"), {}, this, [this] { bundle_->open_folder(); });
  offer(tr("Open a bundle…"), QKeySequence::Open, this, [this] { bundle_->open_bundle(); });
  offer(tr("Verify the bundle"), {}, bundle_->verify_button(), [this] { bundle_->verify_button()->click(); });
  connect(bundle_, &BundlePanel::chosen, this, [this](const QString& file) {
    if (bench().engine.is_open()) show_bundle(file);
  });
  connect(bundle_, &BundlePanel::changed, this, &ExportPage::update_buttons);
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
  hand_over_from(table_, [this] { return chosen_piece(); });
  options_ = new ExportOptions(bench().control.default_spec().accepted);
  connect(options_, &ExportOptions::changed, this, &ExportPage::load);
  return make_column({loss_line_, table_, options_, build_target(), line_}, kPanelMargin);
}

QWidget* ExportPage::build_target() {
  format_ = kExportNamed(new QComboBox, "format", tr("Form of what is written"),
                         tr("Bundle: one file with all that runs it; folder: the same, its parts as files; C header: the launch "
                            "configurations alone"));
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
                         tr("Cancel the running export; no file is written"));
  auto* label = new QLabel(tr("Write to"));
  label->setBuddy(file_);
  choose->setMaximumWidth(kChooseWidth);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportPage::propose_file);
  connect(choose, &QPushButton::clicked, this, &ExportPage::choose_file);
  connect(export_, &QPushButton::clicked, this, &ExportPage::write);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  refused_file_ = new RefusedField(file_, RefusedField::Holds::kFile);
  connect(file_, &QLineEdit::textChanged, this, &ExportPage::update_buttons);
  offer(tr("Write the bundle"), {}, export_, [this] { export_->click(); });
  run_by(export_);
  return make_row({label, format_, file_, choose, export_, cancel_}, file_);
}

deploy::ExportFormat ExportPage::format() const {
  return static_cast<deploy::ExportFormat>(format_->currentData().toInt());
}

deploy::ExportSpec ExportPage::spec() const {
  deploy::ExportSpec spec;
  spec.subjects = {subject_->currentText().trimmed().toStdString()};
  for (const QString& extents : binding_->text().split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts))
    spec.bindings.push_back(extents.toStdString());
  spec.level = level_->currentText().toStdString();
  spec.dtype = dtype_->currentText().toStdString();
  spec.format = format();
  spec.commit = engine::source_commit();
  options_->fill(spec);
  if (spec.format == deploy::ExportFormat::kHeader) spec.gpu_targets.clear();  // it has no kernels in it
  spec.file = file_->text().trimmed().toStdString();
  return spec;
}

void ExportPage::take_model(const ModelChoice& choice) {
  if (choice.subject == subject_->currentText().trimmed() && choice.binding == binding_->text().trimmed()) return;
  subject_->setCurrentText(choice.subject);
  binding_->setText(choice.binding);
  load();
}

// A piece goes out by its name: what else is known of it stands in the tables of what was measured.
Handed ExportPage::chosen_piece() const {
  Handed handed;
  handed.model = subject_->currentText().trimmed();
  handed.binding = binding_->text().trimmed();
  handed.dtype = dtype_->currentText();
  const std::string name = pieces_->name(table_->currentIndex().row());
  for (const auto& table : bench().views.tables()) {
    if (bench().model.subject_of(text_of(table->model)) != handed.model) continue;
    for (const engine::CompareRow& row : table->rows) {
      if (row.name != name || !handed.piece_key.isEmpty()) continue;
      handed.piece_key = text_of(row.piece_key);
      handed.piece = text_of(row.name);
      handed.graph = text_of(row.graph);
    }
  }
  return handed;
}

// An export is for one CPU whatever the window measures on: of the scope it takes the type.
void ExportPage::take_scope(const WorkScope& scope) {
  if (!scope.dtype.isEmpty()) dtype_->setCurrentText(scope.dtype);
}

void ExportPage::receive(const Handed& handed) {
  tabs_->setCurrentIndex(0);
  if (!handed.dtype.isEmpty()) dtype_->setCurrentText(handed.dtype);
  if (!handed.level.isEmpty()) level_->setCurrentText(handed.level);
  take_model({handed.model.isEmpty() ? handed.graph : handed.model, handed.binding});
}

std::string ExportPage::own_command() const {
  const deploy::ExportSpec asked = spec(), usual;
  if (asked.subjects.front().empty() || asked.file.empty()) return {};
  CommandText command(bench().config, "export");
  command.words(asked.subjects).option("to", asked.file.string()).options("shape", asked.bindings);
  if (asked.format != deploy::ExportFormat::kBundle)
    command.option("format", asked.format == deploy::ExportFormat::kFolder ? "folder" : "header");
  command.options("target", asked.gpu_targets).option("device", asked.device, usual.device);
  command.option("dtype", asked.dtype, usual.dtype).option("level", asked.level, usual.level).accepted(asked.accepted);
  command.flag("no-measure", !asked.confirms).flag("allow-unconfirmed", asked.allow_unconfirmed);
  command.flag("require-complete", asked.require_complete).flag("invent-weights", asked.invent_weights);
  command.flag("no-baseline", !asked.baselines).number("max-loss", asked.most_loss_percent, usual.most_loss_percent);
  return command.text();
}

bool ExportPage::is_pending() const {
  return !asked_for_.isEmpty() && asked_for_ != named();
}

// The model and its extents, as the fields name them.
QString ExportPage::named() const {
  return QStringList{subject_->currentText().trimmed(), binding_->text().trimmed()}.join(u' ').trimmed();
}

// Figures of another model or shape are no figures of this one.
void ExportPage::fields_edited() {
  const bool pending = is_pending();
  table_->setEnabled(!pending);
  if (pending) {
    set_subtitle(tr("Press Enter for the figures of %1").arg(named()));
    show_line(loss_line_, tr("These figures are those of %1.").arg(asked_for_), Tone::kWarning);
  } else if (!asked_for_.isEmpty()) {
    load();
  }
  update_buttons();
}

void ExportPage::load() {
  if (!bench().engine.is_open() || subject_->currentText().trimmed().isEmpty()) return;
  stale_ = false;
  const int asked = ++asked_;
  bench().engine.query(
      this, [spec = spec()](engine::Engine& engine) { return deploy::preview_export(engine, spec); },
      [this, asked, of = named()](Result<std::vector<deploy::ExportPreview>> previews) {
        if (asked != asked_) return;
        asked_for_ = of;
        take(std::move(previews));
      });
  table_->setEnabled(!is_pending());
  update_buttons();
}

void ExportPage::take(Result<std::vector<deploy::ExportPreview>> previews) {
  if (!previews.ok()) {
    const QString reason = window_words(previews.error());
    fields_->refuse(reason);
    empty_->show_problem(tr("This cannot be exported"), reason);
    set_subtitle(tr("%1 cannot be exported").arg(QFileInfo(subject_->currentText().trimmed()).fileName()));
    refused_ = reason;
    stack_->setCurrentIndex(0);
    update_buttons();
    return;
  }
  std::vector<deploy::OutgoingPiece> pieces;
  QStringList losses;
  refused_.clear();
  for (deploy::ExportPreview& preview : previews.value()) {
    for (const std::string& line : preview.loss.lines) losses << window_words(line);
    if (refused_.isEmpty()) refused_ = window_words(preview.refused);
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
  if (previews.value().size() > 1) parts << tr("%1 extents").arg(previews.value().size());
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
  table_->setEnabled(!is_pending());
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
  export_->setEnabled(!exporting_ && !bundle_->verifying() && !measuring && refused_.isEmpty() && !is_pending() &&
                      !file_->text().trimmed().isEmpty());
  export_->setToolTip(measuring            ? tr("A job is measuring, which an export would disturb")
                      : is_pending()       ? tr("The figures are those of %1: press Enter first").arg(asked_for_)
                      : refused_.isEmpty() ? tr("Make what is not kept, and write the bundle, signed with your key")
                                           : refused_);
  cancel_->setEnabled(exporting_);
  bundle_->update_buttons(exporting_ || measuring);
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

// A folder that cannot be made is named without the file.
bool ExportPage::is_about_file(const QString& reason) const {
  const QFileInfo file(file_->text().trimmed());
  return reason.contains(u'\'' + file.path() + u'\'') || reason.contains(file.filePath());
}

void ExportPage::written(Result<deploy::ExportedBundle> done, bool was_header) {
  exporting_ = false;
  update_buttons();
  if (!done.ok()) {
    const bool cancelled = done.error().code == ErrorCode::kCancelled;
    const QString reason = window_words(done.error());
    show_line(line_,
              cancelled               ? tr("Cancelled: nothing was written")
              : is_about_file(reason) ? tr("Not written: %1. Choose another file in Write to.").arg(reason)
                                      : reason,
              cancelled ? Tone::kMuted : Tone::kBad);
    if (!cancelled && is_about_file(reason)) refused_file_->refuse(reason);
    return;
  }
  const deploy::ExportedBundle& bundle = done.value();
  const QString file = file_->text().trimmed();
  show_line(line_,
            tr("%1: %2, %3 tuned, %4 unconfirmed, %5 not measured at this size")
                .arg(file, text_of(format_bytes(bundle.size)), counted_text(bundle.tuned, tr("piece"), tr("pieces")))
                .arg(bundle.unconfirmed)
                .arg(bundle.defaults),
            Tone::kGood);
  QStringList notes;
  for (const auto* const lines : {&bundle.of_nearest_size, &bundle.without_gpu_kernel}) {
    for (const std::string& line : *lines) notes << window_words(line);
  }
  line_->setToolTip(notes.join(u'\n'));
  if (!was_header) show_bundle(file);
}

void ExportPage::show_bundle(const QString& file) {
  stack_->setCurrentIndex(1);
  tabs_->setCurrentIndex(1);
  bundle_->inspect(file);
}

void ExportPage::go_to(const QString& key) {
  if (key.endsWith(QLatin1String(".fuselab")) || QFileInfo::exists(key + QStringLiteral("/manifest.json"))) return show_bundle(key);
  subject_->setCurrentText(key);
  load();
}

Page* make_export_page(const Workbench& bench) {
  return new ExportPage(bench);
}

}  // namespace fuselab::gui
