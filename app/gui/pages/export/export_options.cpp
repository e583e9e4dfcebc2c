// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/export/export_options.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "app/gui/look/figures.h"
#include "app/gui/parts/arrangement.h"

namespace fuselab::gui {
namespace {

constexpr Named kOptionNamed{"export."};
constexpr int kTargetsWidth = 150;  // pixels, of two names

}  // namespace

ExportOptions::ExportOptions(const engine::Accepted& first, QWidget* parent) : QWidget(parent) {
  unconfirmed_ = kOptionNamed(new QCheckBox(tr("Allow unconfirmed")), "unconfirmed", tr("Allow unconfirmed"),
                              tr("Take figures that no fresh process confirmed, and mark them in the bundle"));
  complete_ = kOptionNamed(new QCheckBox(tr("Require complete")), "complete", tr("Require complete"),
                           tr("Refuse a piece that was never measured, instead of building its default configuration"));
  invent_ = kOptionNamed(new QCheckBox(tr("Invent weights")), "invent", tr("Invent weights"),
                         tr("Pack random numbers for weights that a model's file declares and has no numbers for"));
  baselines_ = kOptionNamed(new QCheckBox(tr("Baseline builds")), "baselines", tr("Baseline builds"),
                            tr("Besides each kernel a build for CPUs without this one's instructions"));
  baselines_->setChecked(true);
  loss_ = kOptionNamed(new QDoubleSpinBox, "loss", tr("Most that leaving libraries behind may cost"),
                       tr("Refuse a model that is slower than this without libraries' plans"));
  loss_->setRange(0, 100'000);
  loss_->setDecimals(1);
  loss_->setPrefix(tr("at most "));
  loss_->setSuffix(tr(" % slower"));
  loss_->setValue(deploy::ExportSpec().most_loss_percent);
  gpu_targets_ =
      kOptionNamed(new QLineEdit, "gpu_targets", tr("GPUs to add kernels for"),
                   tr("Also put kernels of Triton for these GPUs into the bundle, e.g. sm_80, sm_90a; they need not be here"));
  gpu_targets_->setPlaceholderText(tr("none"));
  gpu_targets_->setMaximumWidth(kTargetsWidth);
  for (QCheckBox* box : {unconfirmed_, complete_, invent_, baselines_})
    connect(box, &QCheckBox::toggled, this, &ExportOptions::changed);
  connect(loss_, &QDoubleSpinBox::valueChanged, this, &ExportOptions::changed);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(
      make_row({unconfirmed_, complete_, invent_, baselines_, loss_, new QLabel(tr("Kernels for GPUs")), gpu_targets_}));
  layout->addWidget(build_accepted(first));
}

// A box for each drawback that `--accept` knows.
QWidget* ExportOptions::build_accepted(const engine::Accepted& first) {
  auto* const row = new QWidget;
  auto* const boxes = new QHBoxLayout(row);
  boxes->setContentsMargins(0, 0, 0, 0);
  boxes->addWidget(new QLabel(tr("Accept a kernel that")));
  for (const DrawbackInfo& info : kDrawbacks) {
    const QString verb = text_of(info.verb);
    auto* box = new QCheckBox(verb);
    box->setObjectName(QStringLiteral("export.accept_") + text_of(info.name));
    box->setAccessibleName(tr("Accept a kernel that %1").arg(verb));
    box->setToolTip(tr("Such a kernel %1").arg(text_of(info.meaning)));
    box->setChecked(first.has(info.drawback));
    connect(box, &QCheckBox::toggled, this, &ExportOptions::changed);
    accepted_.emplace_back(info.drawback, box);
    boxes->addWidget(box);
  }
  boxes->addStretch(1);
  return row;
}

void ExportOptions::fill(deploy::ExportSpec& spec) const {
  for (const auto& [drawback, box] : accepted_) {
    if (box->isChecked()) spec.accepted.add(drawback);
  }
  spec.allow_unconfirmed = unconfirmed_->isChecked();
  spec.require_complete = complete_->isChecked();
  spec.invent_weights = invent_->isChecked();
  spec.baselines = baselines_->isChecked();
  spec.most_loss_percent = loss_->value();
  for (const QString& target : gpu_targets_->text().split(QRegularExpression(QStringLiteral("[,\\s]+")), Qt::SkipEmptyParts))
    spec.gpu_targets.push_back(target.toStdString());
}

}  // namespace fuselab::gui
