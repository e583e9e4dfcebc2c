// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/job_questions.h"

#include <QMessageBox>
#include <QPushButton>

#include "app/engine/planned_job.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

struct Questions {
  Q_DECLARE_TR_FUNCTIONS(fuselab::gui::Questions)
};

QPushButton* add_button(QMessageBox* box, const QString& text, QMessageBox::ButtonRole role, const char* name) {
  auto* const button = box->addButton(text, role);
  button->setObjectName(QLatin1String(name));
  return button;
}

}  // namespace

void ask_for_main_job(EngineLink& engine, JobControl& control, QWidget* window) {
  const engine::JobSpec& spec = control.default_spec();
  auto* const box = new QMessageBox(QMessageBox::Question, window->windowTitle(),
                                    Questions::tr("Measure and tune every piece of %1?").arg(control.main_subjects()),
                                    QMessageBox::Cancel, window);
  const QString after = Questions::tr(" It can be paused and cancelled; what was measured stays. The Tuning page measures less.");
  box->setInformativeText(Questions::tr("It has a budget of %1. How long it takes is being estimated…")
                              .arg(text_of(engine::about_text(spec.budget_seconds))) +
                          after);
  box->setObjectName(QStringLiteral("run.ask"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* const start = add_button(box, Questions::tr("Measure"), QMessageBox::AcceptRole, "run.start");
  QObject::connect(start, &QAbstractButton::clicked, &control, &JobControl::start_default);
  const std::stop_source stop;
  QObject::connect(box, &QDialog::finished, [stop]() mutable { stop.request_stop(); });
  engine.query(
      box, stop, [spec](engine::Engine& opened, const std::stop_token& ended) { return engine::plan_job(opened, spec, ended); },
      [box, after](const Result<engine::JobEstimate>& plan) {
        if (!plan.ok()) return box->setInformativeText(window_words(plan.error()));
        const QString devices = counted_text(std::ssize(plan.value().devices), Questions::tr("device"), Questions::tr("devices"));
        const QString pieces = counted_text(plan.value().pieces, Questions::tr("piece"), Questions::tr("pieces"));
        box->setInformativeText(Questions::tr("%1 on %2: %3.").arg(pieces, devices, text_of(plan.value().text())) + after);
      });
  box->open();
}

void ask_to_stop(JobBridge& job, QWidget* window, const std::function<void()>& stop_and_close) {
  const QString name = QStringLiteral("close.ask");
  if (auto* const open = window->findChild<QMessageBox*>(name)) {
    open->raise();
    return open->activateWindow();
  }
  auto* const box = new QMessageBox(QMessageBox::Question, window->windowTitle(),
                                    Questions::tr("A job is running. Stop it and close?"), QMessageBox::NoButton, window);
  box->setObjectName(name);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(Questions::tr("What was measured is stored and stays. The same job continues from there."));
  auto* const keep = add_button(box, Questions::tr("Keep running"), QMessageBox::RejectRole, "close.keep");
  auto* const stop = add_button(box, Questions::tr("Stop and close"), QMessageBox::DestructiveRole, "close.stop");
  box->setDefaultButton(keep);
  box->setEscapeButton(keep);
  QObject::connect(stop, &QAbstractButton::clicked, window, stop_and_close);
  QObject::connect(&job, &JobBridge::ended, box, &QWidget::close);
  box->setModal(false);
  box->show();
}

}  // namespace fuselab::gui
