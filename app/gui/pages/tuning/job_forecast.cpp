// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/tuning/job_forecast.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/engine/planned_job.h"
#include "app/engine/prior_file.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

constexpr int kSoon = 400;  // milliseconds after the last change

QString joined_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  QStringList all;
  for (const std::string& name : names) {
    if (all.size() < static_cast<qsizetype>(kMost)) all << text_of(name);
  }
  const QString more = names.size() > kMost ? JobForecast::tr(" and %1 more").arg(names.size() - kMost) : QString();
  return all.join(QStringLiteral(", ")) + more;
}

QString phases_of(const engine::JobEstimate& estimate) {
  QStringList lines;
  for (const engine::PhaseEstimate& each : estimate.phases)
    lines << JobForecast::tr("%1: %2 (%3)").arg(text_of(each.name), text_of(engine::about_text(each.seconds))).arg(each.steps);
  lines << (estimate.trials_behind > 0
                ? JobForecast::tr("It rests on %1 that this machine has stored.")
                      .arg(counted_text(estimate.trials_behind, JobForecast::tr("trial"), JobForecast::tr("trials")))
                : JobForecast::tr("It rests on usual values: nothing stored shows a rate of this machine yet."));
  return lines.join(QLatin1Char('\n'));
}

Result<engine::JobEstimate> planned(engine::Engine& opened, engine::JobSpec spec, const std::string& prior,
                                    const std::stop_token& stop) {
  if (!prior.empty()) {
    auto read = engine::read_prior(prior);
    if (!read.ok()) return read.error().within("Begin with");
    spec.prior = std::move(read).value();
  }
  return engine::plan_job(opened, spec, stop);
}

}  // namespace

JobForecast::JobForecast(const Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      spec_(engine::JobSpec()),
      could_start_(bench.control.can_start()),
      headline_(make_line(QStringLiteral("tuning.estimate"))),
      details_(make_line(QStringLiteral("tuning.phases"))),
      fit_(make_line(QStringLiteral("tuning.fit"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(details_);
  column->addWidget(fit_);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoon);
  connect(&soon_, &QTimer::timeout, this, &JobForecast::estimate);
  connect(&bench_.control, &JobControl::changed, this, &JobForecast::follow_job);
}

void JobForecast::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  examine();
  estimate();
}

void JobForecast::ask(Result<engine::JobSpec> spec, const QString& prior) {
  spec_ = std::move(spec);
  prior_ = prior;
  soon_.start();
}

// Both ask the backends, which would disturb what a job times.
bool JobForecast::may_ask() const {
  return isVisible() && bench_.control.can_start();
}

// Asks again once a job may start: the database was opened, a job has ended, or one could not begin.
void JobForecast::follow_job() {
  const bool can = bench_.control.can_start();
  if (can == std::exchange(could_start_, can)) return;
  if (!can) {
    stop_.request_stop();
    return;
  }
  examine();
  estimate();
}

std::stop_source JobForecast::until_a_job() {
  if (stop_.stop_requested()) stop_ = std::stop_source();
  return stop_;
}

void JobForecast::estimate() {
  if (!spec_.ok()) return show_estimate(spec_.error());
  if (!may_ask()) return;
  if (std::exchange(asked_, true)) {
    stale_ = true;
    return;
  }
  const std::stop_source stop = until_a_job();
  bench_.engine.query(
      this, stop,
      [spec = spec_.value(), prior = prior_.toStdString()](engine::Engine& opened, const std::stop_token& ended) {
        return planned(opened, spec, prior, ended);
      },
      [this, stop](const Result<engine::JobEstimate>& made) {
        asked_ = false;
        const bool ended = stop.stop_requested();
        if (std::exchange(stale_, false) || ended) return estimate();
        if (spec_.ok()) show_estimate(made);
      });
}

void JobForecast::show_estimate(const Result<engine::JobEstimate>& made) {
  if (!made.ok()) {
    headline_->setToolTip({});
    show_line(details_, {});
    return show_line(headline_, window_words(made.error()), Tone::kWarning);
  }
  const engine::JobEstimate& estimate = made.value();
  const QString on = joined_names(estimate.devices);
  headline_->setToolTip(phases_of(estimate));
  show_line(headline_, estimate.phases.empty() ? tr("Nothing is left to measure on %1").arg(on)
                                               : tr("About %1 on %2").arg(text_of(engine::about_text(estimate.seconds())), on));
  QString text = counted_text(estimate.pieces, tr("piece"), tr("pieces"));
  if (estimate.stored_pairs > 0)
    text += tr(", %1 of %2 pairs of piece and device measured already").arg(estimate.stored_pairs).arg(estimate.pairs);
  for (std::size_t index = 0; index < estimate.phases.size(); ++index) {
    const engine::PhaseEstimate& each = estimate.phases[index];
    text +=
        (index == 0 ? QStringLiteral(": ") : QStringLiteral(", ")) + text_of(each.name + " " + engine::about_text(each.seconds));
  }
  show_line(details_, text, Tone::kMuted);
}

void JobForecast::examine() {
  if (!may_ask()) return;
  const engine::Config config = bench_.engine.engine()->config();
  if (config.worker_program.empty() || std::exchange(examines_, true)) return;
  const std::stop_source stop = until_a_job();
  bench_.engine.query(
      this, stop, [config](engine::Engine&, const std::stop_token& ended) { return engine::examine(config, ended); },
      [this, stop](const std::vector<engine::Finding>& findings) {
        examines_ = false;
        if (stop.stop_requested()) return examine();
        show_findings(findings);
      });
}

void JobForecast::show_findings(const std::vector<engine::Finding>& findings) {
  QStringList all;
  const engine::Finding* worst = nullptr;
  for (const engine::Finding& each : findings) {
    if (each.health == engine::Health::kGood) continue;
    all << tr("%1: %2 – %3").arg(text_of(each.subject), text_of(each.found), window_words(each.advice));
    if (worst == nullptr || each.health > worst->health) worst = &each;
  }
  fit_->setToolTip(all.join(QLatin1Char('\n')));
  if (worst == nullptr) return show_line(fit_, tr("✓ This machine is fit to measure."), Tone::kGood);
  const bool bad = worst->health == engine::Health::kBad;
  QString text = tr("%1 %2: %3 – %4")
                     .arg(bad ? tr("✕ Not fit to measure,") : tr("~ Fit to measure, but"), text_of(worst->subject),
                          text_of(worst->found), window_words(worst->advice));
  if (all.size() > 1) text += tr(". %1 more: Tools, Doctor").arg(all.size() - 1);
  show_line(fit_, text, bad ? Tone::kBad : Tone::kWarning);
}

}  // namespace fuselab::gui
