// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/profile/profile_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

#include "app/engine/profile/profile_document.h"
#include "app/engine/profile/profile_price.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/refused_field.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/profiles/code_view.h"
#include "app/gui/profiles/profile_plots.h"
#include "app/gui/profiles/span_model.h"
#include "app/gui/profiles/word_table_model.h"
#include "app/gui/tables/table_view.h"
#include "app/views/timeline_view.h"
#include "core/kernel/virtual_target.h"
#include "profiler/trace/device_spans.h"

namespace fuselab::gui {
namespace {

constexpr Named kProfileNamed{"profile."};
constexpr int kProfileShapeLeast = 110, kProfileShapeMost = 150;  // pixels
constexpr std::size_t kMostLoops = 50, kMostPlaces = 200;         // in the tables
constexpr QLatin1String kTrialKey("trial:"), kTargetKey("target:"), kChooseKey("choose:");

QString list_of(const QString& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  QString text = QStringLiteral("<p><b>%1</b></p><ul>").arg(title.toHtmlEscaped());
  for (const std::string& sentence : sentences) text += QStringLiteral("<li>%1</li>").arg(text_of(sentence).toHtmlEscaped());
  return text + QStringLiteral("</ul>");
}

QString verdict_html(const Profile& profile) {
  const BoundVerdict& verdict = profile.verdict;
  QString text;
  if (const std::string headline = engine::headline_words(profile); !headline.empty())
    text = QStringLiteral("<p style='font-size:large'><b>%1</b></p>").arg(text_of(headline).toHtmlEscaped());
  text += QStringLiteral("<p>%1</p>").arg(text_of(verdict.text).toHtmlEscaped());
  if (!profile.note.empty()) text += QStringLiteral("<p>%1</p>").arg(window_words(profile.note).toHtmlEscaped());
  text += list_of(ProfilePage::tr("What to look at"), verdict.look_at);
  std::vector<std::string> evidence;
  for (const Finding& finding : verdict.findings) evidence.insert(evidence.end(), finding.evidence.begin(), finding.evidence.end());
  text += list_of(ProfilePage::tr("Evidence"), evidence);
  text += list_of(ProfilePage::tr("Kernels, before they run"), engine::kernel_lines(profile));
  text += list_of(ProfilePage::tr("On the device's own timeline"), engine::traced_lines(profile));
  text += list_of(ProfilePage::tr("Counters over the time of the plan"), engine::series_lines(profile));
  text += list_of(ProfilePage::tr("Where warps are, and what they wait for"), engine::stall_lines(profile));
  return text + list_of(ProfilePage::tr("Collectors"), engine::collector_words(profile));
}

}  // namespace

ProfilePage::ProfilePage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kProfile, tr("Why a kernel is as fast as it is: what bounds it, and the evidence"), bench_in, parent) {
  build_header();
  build_body();
  fill_devices();
  fill_pieces();
  update_buttons();
  connect(&bench().views, &Snapshots::tables_changed, this, [this] { refresh_when_shown([this] { fill_pieces(); }); });
  connect(&bench().views, &Snapshots::devices_changed, this, &ProfilePage::fill_devices);
  connect(&bench().engine, &EngineLink::opened, this, &ProfilePage::update_buttons);
  connect(&bench().job, &JobBridge::started, this, &ProfilePage::update_buttons);
  connect(&bench().job, &JobBridge::ended, this, &ProfilePage::update_buttons);
}

ProfilePage::~ProfilePage() {
  stop_.request_stop();
}

void ProfilePage::build_header() {
  subject_ = kProfileNamed(new QComboBox(this), "subject", tr("Model or workload"),
                           tr("A built-in model or workload, an ONNX file, or the text of a graph: its slowest piece is profiled"));
  subject_->setEditable(true);
  subject_->setInsertPolicy(QComboBox::NoInsert);
  subject_->setMinimumContentsLength(18);
  for (const std::string& name : bench().subjects) subject_->addItem(text_of(name));
  subject_->lineEdit()->setAccessibleName(tr("Model or workload"));
  binding_ =
      kProfileNamed(new QLineEdit(this), "binding", tr("Shape"), tr("Values of symbolic dimensions; empty: as it was measured"));
  binding_->setPlaceholderText(tr("as measured"));
  binding_->setMinimumWidth(kProfileShapeLeast);
  binding_->setMaximumWidth(kProfileShapeMost);
  device_ = kProfileNamed(new QComboBox(this), "device", tr("Device"), tr("Where the winner is looked for"));
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(16);
  config_ = kProfileNamed(new QLineEdit(this), "config", tr("Launch configuration"),
                          tr("KEY=VALUE,… of the target's kernel; empty: the default. Profile two to see them side by side"));
  config_->setPlaceholderText(tr("default"));
  config_->setMinimumWidth(kProfileShapeLeast);
  config_->setMaximumWidth(kProfileShapeMost);
  const auto show_config = [this] { config_->setVisible(device_->currentData().toString().startsWith(kTargetKey)); };
  connect(device_, &QComboBox::currentIndexChanged, this, show_config);
  connect(device_, &QComboBox::currentIndexChanged, this, &ProfilePage::show_price);
  show_config();
  piece_ = kProfileNamed(new QComboBox(this), "piece", tr("Piece of the model"),
                         tr("The measured pieces of the model at this shape, those with most headroom first"));
  piece_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  piece_->setMinimumContentsLength(24);
  start_ = kProfileNamed(new QPushButton(tr("Profile"), this), "start", tr("Profile the winner"), {});
  start_->setProperty("primary", true);
  cancel_ = kProfileNamed(new QPushButton(tr("Cancel"), this), "cancel", tr("Cancel profiling"), tr("Cancel the running profile"));
  save_ = kProfileNamed(new QPushButton(tr("Save…"), this), "save", tr("Save the profile as JSON"),
                        tr("The profile as one document; plots and tables are saved from their own menus"));
  save_timeline_ = kProfileNamed(new QPushButton(tr("Timeline…"), this), "save_timeline", tr("Save the timeline"),
                                 tr("For Perfetto or chrome://tracing"));
  connect(save_timeline_, &QPushButton::clicked, this, &ProfilePage::export_timeline);
  for (QWidget* widget : std::initializer_list<QWidget*>{subject_, binding_, device_, config_, start_, cancel_})
    header()->addWidget(widget);
  refused_ = new RefusedModel(subject_->lineEdit(), binding_, known_subjects());
  connect(refused_, &RefusedModel::replaced, this, &ProfilePage::profile);
  connect(start_, &QPushButton::clicked, this, &ProfilePage::profile);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  connect(save_, &QPushButton::clicked, this, &ProfilePage::export_json);
  connect(subject_, &QComboBox::currentTextChanged, this, [this] {
    for (QString* of_subject : {&trial_, &dtype_, &level_}) of_subject->clear();
    piece_->setCurrentIndex(0);
    fill_pieces();
  });
  connect(binding_, &QLineEdit::editingFinished, this, &ProfilePage::fill_pieces);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ProfilePage::profile);
  offer(save_->accessibleName(), {}, save_, [this] { export_json(); });
  offer(save_timeline_->accessibleName(), {}, save_timeline_, [this] { export_timeline(); });
  offer(tr("Profile the winner"), {}, start_, [this] { start_->click(); });
  run_by(start_);
}

TableView* ProfilePage::add_words(const QString& title, const char* name, WordTableModel*& model) {
  model = new WordTableModel(this);
  auto* const table = kProfileNamed(new TableView, name, title, {});
  table->setModel(model);
  tabs_->addTab(table, title);
  remember(table, QLatin1String(name));
  return table;
}

void ProfilePage::build_body() {
  line_ = make_line(QStringLiteral("profile.line"));
  verdict_ = kProfileNamed(new QTextBrowser, "verdict", tr("Verdict and evidence"), {});
  verdict_->setFrameShape(QFrame::NoFrame);
  verdict_->document()->setDocumentMargin(8);
  tabs_ = kProfileNamed(new QTabWidget, "tabs", tr("Parts of the profile"), {});
  tabs_->setCornerWidget(make_row({save_, save_timeline_}));
  roofline_ = new PlotPanel(QStringLiteral("profile.roofline"));
  tabs_->addTab(roofline_, tr("Roofline"));
  add_words(tr("Levels"), "levels", standing_);
  add_words(tr("Loops"), "loops", loops_);
  code_ = kProfileNamed(new CodeView(QStringLiteral("profile.code")), "code", tr("Source beside machine code"), {});
  tabs_->addTab(code_, tr("Code"));
  kernels_table_ = add_words(tr("Kernels"), "kernels", kernels_);
  add_words(tr("Counters"), "counters", counters_);
  sweep_ = new PlotPanel(QStringLiteral("profile.sweep"));
  tabs_->addTab(sweep_, tr("Sizes"));
  add_words(tr("Fusion"), "split", split_);
  beside_table_ = add_words(tr("Beside the last one"), "beside", beside_);
  spans_ = new SpanModel(this);
  auto* const timeline = kProfileNamed(new TableView, "timeline", tr("Timeline of the profile's processes"), {});
  timeline->setModel(spans_);
  timeline_ = new PlotPanel(QStringLiteral("profile.lanes"));
  auto* const lanes = make_splitter(Qt::Vertical, {timeline_, timeline}, {220, 210});
  tabs_->addTab(lanes, tr("Timeline"));
  remember(lanes, QStringLiteral("lanes"));
  remember(timeline, QStringLiteral("timeline"));
  device_lanes_ = new PlotPanel(QStringLiteral("profile.device_lanes"));
  series_ = new PlotPanel(QStringLiteral("profile.series"));
  device_page_ = make_splitter(Qt::Horizontal, {device_lanes_, series_}, {420, 420});
  tabs_->addTab(device_page_, tr("On the device"));
  remember(device_page_, QStringLiteral("device_parts"));
  traced_table_ = add_words(tr("Its kernels"), "traced", traced_);
  stalls_table_ = add_words(tr("Stalls"), "stalls", stalls_);
  auto* const parts = make_splitter(Qt::Vertical, {verdict_, tabs_}, {250, 430});
  remember(parts, QStringLiteral("parts"));
  remember(code_->source_table(), QStringLiteral("source"));
  remember(code_->code_table(), QStringLiteral("code"));
  remember(code_, QStringLiteral("code_parts"));
  empty_ = new EmptyState(
      tr("Nothing profiled yet"),
      tr("Choose a model or workload and press Profile, or come here from a trial in Results or a piece in Compare. What "
         "collectors found is kept in the database with its trial, and is shown again at once when that trial is profiled."),
      nullptr);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(parts);
  auto* const of_model = new QLabel(tr("Piece"), this);
  of_model->setBuddy(piece_);
  of_model->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  body()->addWidget(make_row({of_model, piece_, line_}, line_));
  body()->addWidget(stack_, 1);
  const auto shown = [this] { return shown_plan(); };
  for (TableView* table : tabs_->findChildren<TableView*>()) hand_over_from(table, shown);
  for (const PlotPanel* panel : {roofline_, sweep_, timeline_, device_lanes_, series_}) hand_over_from(panel->canvas(), shown);
}

// The measured pieces of the model that is typed, at its shape. What is chosen stays, be it measured or not.
void ProfilePage::fill_pieces() {
  const QString chosen = piece_->currentData().toString(), chosen_name = piece_->currentText();
  const std::string binding = binding_->text().trimmed().toStdString();
  const std::string level = level_.isEmpty() ? engine::JobSpec().level : level_.toStdString();
  piece_->clear();
  piece_->addItem(tr("the slowest piece"), QString());
  const QString subject = subject_->currentText().trimmed();
  for (const auto& table : bench().views.tables()) {
    if (bench().model.subject_of(text_of(table->model)) != subject && text_of(table->model) != subject) continue;
    if ((!binding.empty() && table->binding != binding) || (!table->level.empty() && table->level != level)) continue;
    QStringList names;
    for (const engine::CompareRow& row : table->rows) names << text_of(row.name);
    names = shortest_names(names);
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
      const QString key = text_of(table->rows[i].piece_key);
      const bool measured = std::ranges::any_of(table->rows[i].cells, [](const engine::CompareCell& cell) {
        return cell.fused.figure.has_value() || cell.unfused.figure.has_value();
      });
      if (measured && piece_->findData(key) < 0) piece_->addItem(names[static_cast<qsizetype>(i)], key);
    }
  }
  piece_->setEnabled(piece_->count() > 1);
  choose_piece(chosen, chosen_name);
}

void ProfilePage::choose_piece(const QString& key, const QString& name) {
  if (key.isEmpty()) return piece_->setCurrentIndex(0);
  if (piece_->findData(key) < 0) piece_->addItem(name.isEmpty() ? key.left(12) : name, key);
  piece_->setCurrentIndex(piece_->findData(key));
  piece_->setEnabled(true);
}

void ProfilePage::fill_devices() {
  const QVariant chosen = device_->currentData();
  device_->clear();
  device_->addItem(tr("The fastest device"), QString());
  const auto& reports = bench().views.devices();
  if (reports != nullptr) {
    for (const BackendReport& report : *reports) {
      for (const DeviceInfo& each : report.devices) device_->addItem(text_of(each.id), text_of(each.id));
    }
  }
  device_->insertSeparator(device_->count());
  for (const std::string& target : virtual_target_ids())
    device_->addItem(tr("compile only: %1").arg(text_of(target)), kTargetKey + text_of(target));
  // A separator has no data, as nothing chosen has none.
  device_->setCurrentIndex(chosen.isValid() ? std::max(0, device_->findData(chosen)) : 0);
}

// Says what a profile will run on the chosen device before it does.
void ProfilePage::show_price() {
  if (busy_) return;
  QString price;
  if (const auto& reports = bench().views.devices()) {
    for (const BackendReport& report : *reports) {
      for (const DeviceInfo& each : report.devices) {
        if (text_of(each.id) == device_->currentData().toString()) price = text_of(engine::price_of_profile(each));
      }
    }
  }
  if (!level_.isEmpty() && level_.toStdString() != engine::JobSpec().level)
    price = QStringList{price, tr("of the model at level %1").arg(level_)}.join(QStringLiteral(" · "));
  start_->setToolTip(price);
  show_line(line_, price, Tone::kMuted);
}

void ProfilePage::take_model(const ModelChoice& choice) {
  subject_->setCurrentText(choice.subject);
  binding_->setText(choice.binding);
}

void ProfilePage::take_scope(const WorkScope& scope) {
  if (scope.dtype != scope_dtype_) dtype_.clear();  // the bar's choice is newer than what was handed over
  scope_dtype_ = scope.dtype;
  if (const int at = device_->findData(scope.devices.value(0)); scope.devices.size() == 1 && at >= 0) device_->setCurrentIndex(at);
}

// A trial is one plan already; a piece is named by its model, or is a subject by its graph.
void ProfilePage::receive(const Handed& handed) {
  if (!handed.trial.isEmpty()) return go_to(kTrialKey + handed.trial);
  subject_->setCurrentText(handed.model.isEmpty() ? handed.graph : handed.model);
  binding_->setText(handed.binding);
  if (!handed.model.isEmpty()) {
    dtype_ = handed.dtype;
    level_ = handed.level;
    fill_pieces();
    choose_piece(handed.piece_key, handed.piece);
  }
  if (const int at = device_->findData(handed.device); at >= 0 && !handed.device.isEmpty()) device_->setCurrentIndex(at);
  profile();
}

engine::ProfileSpec ProfilePage::spec() const {
  engine::ProfileSpec spec;
  if (trial_.isEmpty()) {
    spec.subject = subject_->currentText().trimmed().toStdString();
    spec.binding = binding_->text().trimmed().toStdString();
    spec.piece = piece_->currentData().toString().toStdString();
  } else {
    spec.trial = trial_.toStdString();
  }
  const QString device = device_->currentData().toString();
  if (device.startsWith(kTargetKey)) {
    spec.target = device.mid(kTargetKey.size()).toStdString();
  } else {
    spec.devices.only = device.isEmpty() ? bench().model.scope().only() : std::vector<std::string>{device.toStdString()};
  }
  if (spec.trial.empty()) spec.dtype = (dtype_.isEmpty() ? bench().model.scope().dtype : dtype_).toStdString();
  spec.level = level_.toStdString();
  return spec;
}

std::string ProfilePage::own_command() const {
  const engine::ProfileSpec asked = spec();
  if (asked.subject.empty() && asked.trial.empty()) return {};
  CommandText command(bench().config, "profile");
  if (!asked.subject.empty()) command.word(asked.subject);
  command.option("shape", asked.binding).devices(asked.devices).option("dtype", asked.dtype);
  command.option("level", asked.level, engine::JobSpec().level).option("piece", asked.piece).option("trial", asked.trial);
  if (!asked.target.empty()) command.option("target", asked.target).option("config", config_->text().trimmed().toStdString());
  return command.text();
}

Handed ProfilePage::shown_plan() const {
  Handed handed;
  if (shown_ == nullptr) return handed;
  const Profile& profile = shown_->profile;
  handed = stored_piece(bench().views, bench().model, profile.piece_key);
  handed.piece = text_of(profile.piece);
  handed.graph = text_of(profile.graph);
  handed.device = text_of(profile.device_id);
  handed.trial = text_of(profile.trial_id);
  if (shown_->model.empty()) return handed;
  handed.model = bench().model.subject_of(text_of(shown_->model));
  handed.binding = text_of(shown_->binding);
  return handed;
}

void ProfilePage::profile() {
  if (busy_ || !bench().engine.is_open() || bench().job.active()) return;
  engine::ProfileSpec spec = this->spec();
  if (spec.subject.empty() && spec.trial.empty()) return;
  if (spec.trial.empty()) bench().model.choose({subject_->currentText().trimmed(), binding_->text().trimmed()});
  if (!spec.target.empty()) {
    auto config = LaunchConfig::parse(config_->text().trimmed().toStdString());
    if (!config.ok()) return show_line(line_, window_words(config.error()), Tone::kBad);
    spec.config = std::move(config).value();
  }
  busy_ = true;
  trace_ = std::make_shared<TraceRecorder>();
  spec.trace = trace_;
  stop_ = std::stop_source();
  const QString now = tr("Profiling: machine code, launches under counters, other sizes…");
  show_line(line_, shown_ == nullptr ? QString() : now);
  if (shown_ == nullptr) empty_->show_problem(tr("Profiling %1").arg(subject_->currentText().trimmed()), now);
  update_buttons();
  bench().engine.query(
      this, stop_,
      [spec](engine::Engine& engine, const std::stop_token& stop) { return engine::profile_subject(engine, spec, stop); },
      [this](Result<engine::ProfileView> made) { take(std::move(made)); });
}

void ProfilePage::take(Result<engine::ProfileView> made) {
  busy_ = false;
  if (!made.ok()) {
    const bool cancelled = made.error().code == ErrorCode::kCancelled;
    const QString reason = window_words(made.error());
    if (!cancelled) refused_->refuse(reason);
    show_line(line_, cancelled ? tr("Cancelled") : reason, cancelled ? Tone::kMuted : Tone::kBad);
    if (shown_ == nullptr)
      empty_->show_problem(cancelled ? tr("Nothing profiled yet") : tr("This cannot be profiled"),
                           cancelled ? tr("Choose a model or workload and press Profile.") : reason);
  } else {
    show_profile(std::move(made).value(), trace_);
  }
  update_buttons();
}

void ProfilePage::show_profile(engine::ProfileView view, std::shared_ptr<TraceRecorder> trace) {
  trace_ = std::move(trace);
  before_ = std::move(shown_);
  shown_ = std::make_shared<engine::ProfileView>(std::move(view));
  show_view(*shown_);
  update_buttons();
}

void ProfilePage::show_view(const engine::ProfileView& view) {
  const Profile& profile = view.profile;
  QStringList parts;
  if (!view.model.empty()) parts << text_of(view.model);
  parts << text_of(profile.piece) << text_of(profile.device_id) << text_of(profile.plan) << text_of(profile.config);
  if (const std::string measured = engine::measured_words(profile); !measured.empty()) parts << text_of(measured);
  set_subtitle(parts.join(QStringLiteral(" · ")));
  show_line(line_, view.not_stored.empty() ? QString() : tr("Not stored: %1").arg(text_of(view.not_stored)), Tone::kWarning);
  verdict_->setHtml(verdict_html(profile));
  roofline_->set_spec(profile_roofline(profile));
  sweep_->set_spec(sweep_plot(profile));
  standing_->show(engine::standing_words(profile));
  loops_->show(engine::loop_words(profile, kMostLoops));
  counters_->show(engine::metric_words(profile));
  split_->show(engine::split_words(profile));
  kernels_->show(engine::kernel_words(profile));
  tabs_->setTabVisible(tabs_->indexOf(kernels_table_), !profile.kernels.empty());
  if (before_ != nullptr) beside_->show(engine::compared_words(before_->profile, profile));
  tabs_->setTabVisible(tabs_->indexOf(beside_table_), before_ != nullptr);
  code_->show_code(view);
  const std::vector<TraceSpan> spans = trace_ == nullptr ? std::vector<TraceSpan>() : trace_->spans();
  timeline_->set_spec(timeline_plot(spans));
  spans_->show(spans);
  show_device(profile);
  stack_->setCurrentIndex(1);
}

// On the device's own clock: its spans are too short to be seen among those of the processes.
void ProfilePage::show_device(const Profile& profile) {
  std::vector<TraceSpan> spans = profile::spans_of(profile.trace, profile.device_id, profile.trial_id);
  for (TraceSpan& span : spans) span.track.process = profile.device_id;  // whose clock it is, the tab says
  device_lanes_->set_spec(timeline_plot(spans));
  series_->set_spec(series_plot(profile.series));
  traced_->show(engine::traced_words(profile));
  stalls_->show(engine::stall_words(profile, kMostPlaces));
  tabs_->setTabVisible(tabs_->indexOf(device_page_), !profile.trace.spans.empty() || !profile.series.rows.empty());
  tabs_->setTabVisible(tabs_->indexOf(traced_table_), !profile.trace.spans.empty());
  tabs_->setTabVisible(tabs_->indexOf(stalls_table_), !profile.samples.places.empty());
}

void ProfilePage::export_json() {
  if (shown_ == nullptr) return;
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save the profile"), QStringLiteral("profile.json"), tr("JSON (*.json)"));
  if (file.isEmpty()) return;
  const Status written = engine::write_profile(*shown_, file.toStdString());
  show_line(line_, written.ok() ? tr("Saved: %1").arg(file) : window_words(written.error()),
            written.ok() ? Tone::kGood : Tone::kBad);
}

void ProfilePage::export_timeline() {
  if (shown_ == nullptr) return;
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save the timeline"), QStringLiteral("timeline.json"), tr("JSON (*.json)"));
  if (file.isEmpty()) return;
  const Status written = engine::write_timeline(*trace_, file.toStdString());
  show_line(line_, written.ok() ? tr("Saved: %1").arg(file) : window_words(written.error()),
            written.ok() ? Tone::kGood : Tone::kBad);
}

void ProfilePage::update_buttons() {
  const bool measuring = bench().job.active();
  start_->setEnabled(!busy_ && !measuring && bench().engine.is_open());
  start_->setToolTip(measuring ? tr("A job is measuring, which this would disturb")
                               : tr("Read the winner's machine code, launch it under counters and at other sizes"));
  cancel_->setEnabled(busy_);
  save_->setEnabled(shown_ != nullptr);
  save_timeline_->setEnabled(shown_ != nullptr && trace_ != nullptr && !busy_);
}

void ProfilePage::go_to(const QString& key) {
  if (key.startsWith(kChooseKey)) return subject_->setCurrentText(key.mid(kChooseKey.size()));
  if (key.startsWith(kTrialKey)) {
    const QString trial = key.mid(kTrialKey.size());
    subject_->setCurrentText(tr("trial %1").arg(trial.left(12)));
    trial_ = trial;
  } else {
    subject_->setCurrentText(key);
  }
  profile();
}

Page* make_profile_page(const Workbench& bench) {
  return new ProfilePage(bench);
}

}  // namespace fuselab::gui
