// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/target_panel.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/parts/target_survey_model.h"
#include "app/gui/tables/table_view.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::gui {
namespace {

constexpr Named kTargetNamed{"devices.targets."};
constexpr int kTargetMargin = 8;  // inside a tab

QString totals_words(const engine::TargetSurveyReport& report) {
  int pieces = 0, written = 0, compiled = 0, matched = 0;
  for (const engine::TargetSurvey& survey : report.models) {
    const engine::TargetTotals totals = survey.totals();
    pieces += totals.pieces;
    written += totals.written;
    compiled += totals.compiled;
    matched += totals.matched;
  }
  return TargetPanel::tr("%1 of %2 pieces written, %3 compiled, %4 matched").arg(written).arg(pieces).arg(compiled).arg(matched);
}

}  // namespace

TargetPanel::TargetPanel(EngineLink& engine, JobBridge& job, const std::vector<std::string>& subjects, QWidget* parent)
    : QWidget(parent), engine_(engine), job_(job), pieces_(new TargetSurveyModel(this)) {
  subject_ = kTargetNamed(new QComboBox, "subject", tr("Model to compile"), tr("A built-in model or workload, or a file"));
  subject_->setEditable(true);
  subject_->lineEdit()->setAccessibleName(tr("Model to compile"));
  for (const std::string& subject : subjects) subject_->addItem(text_of(subject));
  target_ = kTargetNamed(new QComboBox, "target", tr("Target to compile for"), tr("A device of it need not be here"));
  compile_ = kTargetNamed(new QPushButton(tr("Compile")), "compile", tr("Compile for this target"),
                          tr("Write and compile each piece; nothing is measured or stored"));
  cancel_ =
      kTargetNamed(new QPushButton(tr("Cancel")), "cancel", tr("Cancel compiling"), tr("What is compiled stays in the table"));
  table_ = kTargetNamed(new TableView, "table", tr("Pieces on a target without a device"), {});
  table_->setModel(pieces_);
  line_ = make_line(QStringLiteral("devices.targets.line"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kTargetMargin, kTargetMargin, kTargetMargin, kTargetMargin);
  column->addWidget(make_row({subject_, target_, compile_, cancel_}));
  column->addWidget(table_, 1);
  column->addWidget(line_);
  connect(compile_, &QPushButton::clicked, this, &TargetPanel::compile);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  connect(subject_, &QComboBox::currentTextChanged, this, &TargetPanel::update_buttons);
  connect(&engine_, &EngineLink::opened, this, &TargetPanel::update_buttons);
  connect(&job_, &JobBridge::started, this, &TargetPanel::update_buttons);
  connect(&job_, &JobBridge::ended, this, &TargetPanel::update_buttons);
  show_backend({});
}

TargetPanel::~TargetPanel() {
  stop_.request_stop();
}

void TargetPanel::show_backend(const std::string& backend, const std::map<std::string, std::string>& reached) {
  if (backend == backend_ && target_->count() > 0) return;  // what is told of the last survey stays
  backend_ = backend;
  const QString chosen = target_->currentText();
  target_->clear();
  for (const std::string& id : virtual_target_ids()) {
    const auto target = virtual_target(id);
    if (backend.empty() || target.value().backend == backend || reached.contains(id)) target_->addItem(text_of(id));
  }
  target_->setCurrentIndex(std::max(target_->findText(chosen), target_->count() > 0 ? 0 : -1));
  if (!busy_ && target_->count() == 0) {
    show_line(line_, tr("%1 compiles nothing without a device").arg(text_of(backend)));
  } else if (!busy_) {
    show_line(line_, {});
  }
  update_buttons();
}

void TargetPanel::compile() {
  if (busy_ || !engine_.is_open()) return;
  engine::TargetSurveySpec spec;
  spec.subjects = {subject_->currentText().trimmed().toStdString()};
  spec.targets = {target_->currentText().toStdString()};
  spec.backends = {backend_};
  busy_ = true;
  stop_ = std::stop_source();
  show_line(line_, tr("Compiling for %1…").arg(target_->currentText()));
  update_buttons();
  const auto progress = [panel = QPointer(this)](int done, int all, const std::string& piece) {
    // The pointer is looked at on the GUI thread alone, where the panel dies.
    QMetaObject::invokeMethod(
        qApp,
        [panel, words = tr("%1 of %2: %3").arg(done).arg(all).arg(text_of(piece))] {
          if (panel) panel->tell(words);
        },
        Qt::QueuedConnection);
  };
  engine_.query(
      this, stop_,
      [spec, progress](engine::Engine& engine, const std::stop_token& stop) {
        return engine::survey_targets(engine.config(), spec, progress, stop);
      },
      [this](const Result<engine::TargetSurveyReport>& ended) { finish(ended); });
}

void TargetPanel::finish(const Result<engine::TargetSurveyReport>& ended) {
  busy_ = false;
  if (ended.ok()) {
    const Status outcome = ended.value().outcome();
    pieces_->show(ended.value());
    const QString words = ended.value().models.empty() ? QString() : totals_words(ended.value());
    if (outcome.ok()) {
      show_line(line_, words, Tone::kGood);
    } else {
      show_line(line_, words + (words.isEmpty() ? QString() : QStringLiteral(". ")) + window_words(outcome.error()), Tone::kBad);
    }
  } else {
    show_line(line_, window_words(ended.error()), Tone::kBad);
  }
  update_buttons();
}

void TargetPanel::tell(const QString& text) {
  if (busy_) show_line(line_, text);
}

void TargetPanel::update_buttons() {
  const bool chosen = target_->count() > 0 && !subject_->currentText().trimmed().isEmpty();
  compile_->setEnabled(chosen && engine_.is_open() && !busy_ && !job_.active());  // a job's timings would be disturbed
  cancel_->setEnabled(busy_);
}

}  // namespace fuselab::gui
