// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/doctor_dialog.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

QString mark_of(engine::Health health) {
  switch (health) {
    case engine::Health::kGood: return QStringLiteral("✓");
    case engine::Health::kDoubtful: return QStringLiteral("~");
    case engine::Health::kBad: return QStringLiteral("✕");
  }
  return {};
}

Tone tone_of(engine::Health health) {
  switch (health) {
    case engine::Health::kGood: return Tone::kGood;
    case engine::Health::kDoubtful: return Tone::kWarning;
    case engine::Health::kBad: return Tone::kBad;
  }
  return Tone::kNeutral;
}

}  // namespace

FindingModel::FindingModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Subject"), {}, false, 150}, {tr("Found"), {}, false, 380, 0, false, true}, {tr("What to do"), {}, false, 320}});
}

void FindingModel::set_findings(std::vector<engine::Finding> findings) {
  beginResetModel();
  findings_ = std::move(findings);
  endResetModel();
}

TableCell FindingModel::cell(int row, int column) const {
  const engine::Finding& finding = findings_[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {mark_of(finding.health) + QLatin1Char(' ') + text_of(finding.subject), {}, {}, tone_of(finding.health)};
    case 1: return {text_of(finding.found), text_of(finding.found)};
    default: return {text_of(finding.advice), text_of(finding.advice)};
  }
}

DoctorDialog::DoctorDialog(engine::Config config, QWidget* parent)
    : QDialog(parent),
      config_(std::move(config)),
      model_(new FindingModel(this)),
      verdict_(new QLabel(this)),
      again_(new QPushButton(tr("Examine again"), this)),
      background_(1) {
  setObjectName(QStringLiteral("doctor"));
  setWindowTitle(tr("Doctor: what measuring depends on"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* table = new TableView(this);
  table->setObjectName(QStringLiteral("doctor.table"));
  table->setAccessibleName(windowTitle());
  table->setModel(model_);
  verdict_->setObjectName(QStringLiteral("doctor.verdict"));
  verdict_->setWordWrap(true);
  again_->setObjectName(QStringLiteral("doctor.again"));
  again_->setAccessibleName(again_->text());
  connect(again_, &QPushButton::clicked, this, &DoctorDialog::examine);
  auto* column = new QVBoxLayout(this);
  column->addWidget(verdict_);
  column->addWidget(table, 1);
  column->addWidget(again_, 0, Qt::AlignRight);
  resize(880, 460);
  examine();
}

void DoctorDialog::examine() {
  again_->setEnabled(false);
  verdict_->setText(tr("Examining…"));
  background_.run(
      this, [config = config_] { return engine::examine(config); },
      [this](std::vector<engine::Finding> findings) { take(std::move(findings)); });
}

void DoctorDialog::take(std::vector<engine::Finding> findings) {
  const auto count = [&](engine::Health health) {
    return std::count_if(findings.begin(), findings.end(), [&](const auto& finding) { return finding.health == health; });
  };
  const auto bad = count(engine::Health::kBad), doubtful = count(engine::Health::kDoubtful);
  verdict_->setText(bad > 0 ? tr("Not fit to measure: %1 must be mended.").arg(counted_text(bad, tr("finding"), tr("findings")))
                    : doubtful > 0
                        ? tr("Fit to measure, with %1 to look at.").arg(counted_text(doubtful, tr("finding"), tr("findings")))
                        : tr("Fit to measure."));
  model_->set_findings(std::move(findings));
  again_->setEnabled(true);
}

}  // namespace fuselab::gui
