// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/devices/devices_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/models/ceiling_model.h"
#include "app/gui/pages/devices/device_model.h"
#include "app/gui/parts/stack_panel.h"
#include "app/gui/parts/target_panel.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/tables/fact_view.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {

DevicesPage::DevicesPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kDevices, tr("What can run fused pieces on this machine, and what it gives at most"), bench_in, parent),
      devices_(new DeviceModel(this)),
      facts_(new FactModel(this)),
      ceilings_(new CeilingModel(this)) {
  build();
  connect(&bench().views, &Snapshots::devices_changed, this, &DevicesPage::refresh);
  connect(&bench().views, &Snapshots::catalog_changed, this, [this] { show_row(table_->currentIndex().row()); });
  connect(table_, &TableView::row_chosen, this, &DevicesPage::show_row);
  refresh();
}

void DevicesPage::build() {
  auto* probe = new QPushButton(tr("Probe again"), this);
  probe->setObjectName(QStringLiteral("devices.probe"));
  probe->setAccessibleName(probe->text());
  probe->setToolTip(tr("Look for backends and devices again, each in a process of its own"));
  connect(probe, &QPushButton::clicked, this, [this] {
    if (bench().engine.is_open()) bench().views.reload_devices(true);
  });
  header()->addWidget(probe);
  offer(probe->text(), {}, probe, [probe] { probe->click(); });

  table_ = new TableView;
  table_->setObjectName(QStringLiteral("devices.table"));
  table_->setAccessibleName(tr("Backends and devices"));
  table_->setModel(devices_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  fact_table_ = new FactView;
  fact_table_->setObjectName(QStringLiteral("devices.facts"));
  fact_table_->setAccessibleName(tr("Facts about the chosen device"));
  fact_table_->setModel(facts_);
  auto* ceiling_table = new TableView;
  ceiling_table->setObjectName(QStringLiteral("devices.ceilings"));
  ceiling_table->setAccessibleName(tr("Measured ceilings of the chosen device"));
  ceiling_table->setModel(ceilings_);
  plot_ = new PlotPanel(QStringLiteral("devices.plot"));

  auto* tabs = new QTabWidget;
  tabs->setObjectName(QStringLiteral("devices.tabs"));
  tabs->setAccessibleName(tr("Ceilings as plot or table, targets without a device, and libraries to fetch"));
  tabs->addTab(plot_, tr("Bandwidth"));
  tabs->addTab(ceiling_table, tr("All ceilings"));
  targets_ = new TargetPanel(bench().engine, bench().job, bench().subjects);
  tabs->addTab(targets_, tr("Targets"));
  offer(tr("Compile for a target without a device…"), {}, tabs, [tabs, this] { tabs->setCurrentWidget(targets_); });
  stacks_ = new StackPanel(bench().engine, bench().job);
  connect(stacks_, &StackPanel::changed, this, [this] { bench().views.reload_devices(true); });
  tabs->addTab(stacks_, tr("Install"));
  offer(tr("Install a backend's library…"), {}, tabs, [tabs, this] { tabs->setCurrentWidget(stacks_); });
  auto* lower = make_splitter(Qt::Horizontal, {fact_table_, tabs}, {420, 660});
  auto* all = make_splitter(Qt::Vertical, {table_, lower}, {380, 330});
  stack_ = new QStackedWidget(this);
  auto* empty =
      new EmptyState(tr("Looking for devices…"), tr("Every backend is probed in a short-lived process of its own."), nullptr);
  stack_->addWidget(empty);
  explain_when_unopened(empty);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  hand_over_from(table_, [this] { return chosen_device(); });
  remember(lower, QStringLiteral("lower"));
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("table"));
  remember(ceiling_table, QStringLiteral("ceilings"));
  remember(targets_->table(), QStringLiteral("targets"));
  remember(stacks_->table(), QStringLiteral("stacks"));
}

void DevicesPage::refresh() {
  const auto& reports = bench().views.devices();
  if (reports == nullptr) return;
  const int row = std::max(0, table_->currentIndex().row());
  devices_->set_reports(reports);
  const auto scripted = std::count_if(reports->begin(), reports->end(), is_scripted);
  const auto usable = std::count_if(reports->begin(), reports->end(),
                                    [](const BackendReport& report) { return report.availability.usable && !is_scripted(report); });
  QString text = tr("%1 of %2 backends usable on this machine").arg(usable).arg(std::ssize(*reports) - scripted);
  if (scripted > 0) text += tr(" · %1 scripted, which is no hardware").arg(scripted);
  set_subtitle(text);
  stack_->setCurrentIndex(1);
  table_->select_row(row);
  show_row(row);
}

void DevicesPage::show_row(int row) {
  const BackendReport* report = devices_->report(row);
  const DeviceInfo* device = devices_->device(row);
  facts_->show(report, device);
  if (report != nullptr) {
    targets_->show_backend(report->id, report->capabilities.foreign_targets);
  } else {
    targets_->show_backend({});
  }
  ceilings_->set_ceilings(device != nullptr ? bench().views.ceilings_of(*device) : CeilingTable());
  PlotSpec spec = ceiling_plot(ceilings_->ceilings(), device != nullptr ? text_of(device->id) : QString());
  if (device == nullptr && report != nullptr) {
    spec.empty_text =
        tr("%1 has no device here.\n%2").arg(text_of(report->display_name), window_words(report->availability.reason));
  }
  plot_->set_spec(std::move(spec));
}

Handed DevicesPage::chosen_device() const {
  Handed handed;
  const DeviceInfo* const device = devices_->device(table_->currentIndex().row());
  if (device == nullptr) return handed;
  const QString& subject = bench().model.choice().subject;
  (subject.contains(u'(') ? handed.graph : handed.model) = subject;
  handed.binding = bench().model.choice().binding;
  handed.dtype = bench().model.scope().dtype;
  handed.device = text_of(device->id);
  return handed;
}

std::string DevicesPage::own_command() const {
  return CommandText(bench().config, "devices").text();
}

void DevicesPage::go_to(const QString& key) {
  table_->select_row(devices_->row_of_device(key.toStdString()));
}

Page* make_devices_page(const Workbench& bench) {
  return new DevicesPage(bench);
}

}  // namespace fuselab::gui
