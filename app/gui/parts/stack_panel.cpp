// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/stack_panel.h"

#include <QLabel>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/engine/stacks/stack_installer.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr Named kStackNamed{"devices.stacks."};
constexpr int kStackMargin = 8;  // inside a tab

QString progress_words(const engine::StackProgress& progress) {
  if (progress.step == engine::StackProgress::Step::kUnpacking) return StackPanel::tr("Unpacking and checking every byte…");
  return StackPanel::tr("Fetching %1 of %2…").arg(text_of(format_bytes(progress.done)), text_of(format_bytes(progress.all)));
}

}  // namespace

StackPanel::StackPanel(EngineLink& engine, JobBridge& job, QWidget* parent)
    : QWidget(parent), engine_(engine), job_(job), stacks_(new StackModel(this)) {
  table_ = kStackNamed(new TableView, "table", tr("Libraries that can be fetched"), {});
  table_->setModel(stacks_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  install_ =
      kStackNamed(new QPushButton(tr("Install")), "install", tr("Install the chosen library"),
                  tr("Fetch it into your own data folder, hold every byte against the manifest, and look for devices again"));
  remove_ = kStackNamed(new QPushButton(tr("Remove")), "remove", tr("Remove the chosen library"),
                        tr("Delete it from your own data folder, and look for devices again"));
  cancel_ = kStackNamed(new QPushButton(tr("Cancel")), "cancel", tr("Cancel the installation"), tr("Nothing of it is kept"));
  line_ = make_line(QStringLiteral("devices.stacks.line"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kStackMargin, kStackMargin, kStackMargin, kStackMargin);
  column->addWidget(table_, 1);
  column->addWidget(make_row({install_, remove_, cancel_, line_}, line_));
  connect(install_, &QPushButton::clicked, this, &StackPanel::install);
  connect(remove_, &QPushButton::clicked, this, &StackPanel::remove);
  connect(cancel_, &QPushButton::clicked, this, [this] { stop_.request_stop(); });
  connect(table_, &TableView::row_chosen, this, &StackPanel::update_buttons);
  connect(&engine_, &EngineLink::opened, this, &StackPanel::reload);
  connect(&job_, &JobBridge::started, this, &StackPanel::update_buttons);
  connect(&job_, &JobBridge::ended, this, &StackPanel::update_buttons);
  reload();
  update_buttons();
}

StackPanel::~StackPanel() {
  stop_.request_stop();
}

void StackPanel::reload() {
  if (!engine_.is_open()) return;
  engine_.query(
      this,
      [](engine::Engine& engine) {
        std::vector<engine::StackState> states;
        for (const InstallableStack& stack : installable_stacks())
          states.push_back(engine::stack_state(engine.config().data_directory, stack, engine::StackCheck::kSizes));
        return states;
      },
      [this](std::vector<engine::StackState> states) {
        const int row = std::max(0, table_->currentIndex().row());
        stacks_->show(std::move(states));
        table_->select_row(row);
        update_buttons();
      });
}

bool StackPanel::accepts(const InstallableStack& stack) {
  if (stack.licence_class == LicenceClass::kFree) return true;
  return QMessageBox::question(
             this, tr("Accept the licence?"),
             tr("%1 %2 is published by %3 under the %4. It is proprietary: it is fetched for you alone, and never "
                "goes into an export. Do you accept its licence?")
                 .arg(text_of(stack.wheels.front().package), text_of(stack.version), text_of(stack.publisher),
                      text_of(stack.licence))) == QMessageBox::Yes;
}

void StackPanel::install() {
  const engine::StackState* const state = stacks_->state(table_->currentIndex().row());
  if (state == nullptr || busy_ || !engine_.is_open() || !accepts(*state->stack)) return;
  const InstallableStack& stack = *state->stack;
  const auto told = [panel = QPointer(this)](const engine::StackProgress& progress) {
    // The pointer is looked at on the GUI thread alone, where the panel dies.
    QMetaObject::invokeMethod(
        qApp,
        [panel, words = progress_words(progress)] {
          if (panel) panel->tell(words);
        },
        Qt::QueuedConnection);
  };
  begin(
      tr("Fetching %1…").arg(text_of(stack.id)),
      [&stack, told](const engine::Config& config, const std::stop_token& stop) {
        return engine::install_stack(config.data_directory, stack, told, stop);
      },
      tr("%1 %2 is installed").arg(text_of(stack.id), text_of(stack.version)));
}

void StackPanel::remove() {
  const engine::StackState* const state = stacks_->state(table_->currentIndex().row());
  if (state == nullptr || busy_ || !engine_.is_open()) return;
  const InstallableStack& stack = *state->stack;
  begin(
      tr("Removing %1…").arg(text_of(stack.id)),
      [&stack](const engine::Config& config, const std::stop_token&) -> Status {
        const auto removed = engine::remove_stack(config.data_directory, stack);
        return removed.ok() ? Status() : removed.error();
      },
      tr("%1 is removed").arg(text_of(stack.id)));
}

void StackPanel::begin(const QString& what, Act act, const QString& done) {
  busy_ = true;
  stop_ = std::stop_source();
  show_line(line_, what);
  update_buttons();
  engine_.query(
      this, stop_,
      [act = std::move(act)](engine::Engine& engine, const std::stop_token& stop) { return act(engine.config(), stop); },
      [this, done](const Status& ended) {
        busy_ = false;
        show_line(line_, ended.ok() ? done : window_words(ended.error()), ended.ok() ? Tone::kGood : Tone::kBad);
        reload();
        update_buttons();
        if (ended.ok()) emit changed();
      });
}

void StackPanel::tell(const QString& text) {
  if (busy_) show_line(line_, text);
}

void StackPanel::update_buttons() {
  const engine::StackState* const state = stacks_->state(table_->currentIndex().row());
  const bool looks_only = engine_.is_open() && engine_.engine()->config().read_only;
  const bool chosen = state != nullptr && !busy_ && !looks_only && !job_.active();  // a job's timings would be disturbed
  if (looks_only) show_line(line_, tr("Opened to look only: nothing is installed or removed."), Tone::kMuted);
  install_->setEnabled(chosen && state->kind != engine::StackState::Kind::kInstalled);
  remove_->setEnabled(chosen && state->kind != engine::StackState::Kind::kAbsent);
  cancel_->setEnabled(busy_);
}

}  // namespace fuselab::gui
