// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/results/trial_detail.h"

#include <QFontDatabase>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>

#include "app/engine/maintenance.h"
#include "app/engine/profile/profile_subject.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/chart_panel.h"
#include "app/gui/plots/charts.h"
#include "app/gui/plots/plot_panel.h"

namespace fuselab::gui {
namespace {

QString line(const QString& name, const QString& value) {
  return value.isEmpty() ? QString()
                         : QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
                               .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

SampleBlock block_of(const TrialRecord& record, bool chosen) {
  QString label = time_text(record.created_unix_ms);
  if (record.retimed) label = TrialDetail::tr("%1, timed again in a fresh process").arg(label);
  return {record.result.samples, record.median_ns, label, chosen};
}

// In the order they were measured: the chosen one, and of the others those nearest to it.
std::vector<SampleBlock> blocks_around(std::vector<TrialRecord> records, const TrialRecord& chosen) {
  constexpr std::size_t kMostOthers = 11;
  const auto is_other = [&](const TrialRecord& record) { return record.id != chosen.id && !record.result.samples.empty(); };
  std::erase_if(records, [&](const TrialRecord& record) { return !is_other(record); });
  const auto distance = [&](const TrialRecord& record) { return std::abs(record.created_unix_ms - chosen.created_unix_ms); };
  std::stable_sort(records.begin(), records.end(),
                   [&](const TrialRecord& a, const TrialRecord& b) { return distance(a) < distance(b); });
  if (records.size() > kMostOthers) records.resize(kMostOthers);
  records.push_back(chosen);
  std::stable_sort(records.begin(), records.end(),
                   [](const TrialRecord& a, const TrialRecord& b) { return a.created_unix_ms < b.created_unix_ms; });
  std::vector<SampleBlock> blocks;
  for (const TrialRecord& record : records) blocks.push_back(block_of(record, record.id == chosen.id));
  return blocks;
}

}  // namespace

TrialDetail::TrialDetail(EngineLink& engine, QWidget* parent)
    : QWidget(parent),
      engine_(engine),
      title_(new QLabel(this)),
      profile_(new QPushButton(tr("Profile this trial"), this)),
      facts_(new QTextBrowser),
      stack_(new QStackedWidget(this)),
      nothing_(new QLabel),
      tabs_(new QTabWidget),
      box_(new BoxChart),
      spread_(new ChartPanel(QStringLiteral("results.spread"), box_)),
      order_(new PlotPanel(QStringLiteral("results.order"))),
      distribution_(new PlotPanel(QStringLiteral("results.distribution"))),
      source_(new QPlainTextEdit),
      stranger_line_(make_line(QStringLiteral("results.stranger"))),
      trust_(new QPushButton(tr("Trust this key…"))) {
  title_->setProperty("role", QStringLiteral("section"));
  title_->setWordWrap(true);
  // Keys and configurations have no blanks: they are broken wherever the room ends.
  facts_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  facts_->document()->setDocumentMargin(8);
  facts_->setFrameShape(QFrame::NoFrame);
  facts_->setObjectName(QStringLiteral("results.facts"));
  facts_->setAccessibleName(tr("Facts about the trial"));
  source_->setReadOnly(true);
  source_->setLineWrapMode(QPlainTextEdit::NoWrap);
  source_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  source_->setObjectName(QStringLiteral("results.source"));
  source_->setAccessibleName(tr("Kernel source"));

  auto* samples = new QSplitter(Qt::Vertical);
  samples->setChildrenCollapsible(false);
  samples->addWidget(spread_);
  samples->addWidget(order_);
  tabs_->setObjectName(QStringLiteral("results.tabs"));
  tabs_->setAccessibleName(tr("Trial details"));
  tabs_->addTab(samples, tr("Samples"));
  tabs_->addTab(distribution_, tr("Distribution"));
  tabs_->addTab(facts_, tr("Facts"));
  trust_->setObjectName(QStringLiteral("results.trust"));
  trust_->setAccessibleName(trust_->text());
  trust_->setToolTip(tr("Accept the binaries that this key signed"));
  trust_->hide();
  connect(trust_, &QPushButton::clicked, this, &TrialDetail::ask_to_trust);
  source_tab_ = make_column({make_row({stranger_line_, trust_}, stranger_line_), source_});
  tabs_->addTab(source_tab_, tr("Source"));
  profile_->setObjectName(QStringLiteral("results.profile"));
  profile_->setAccessibleName(profile_->text());
  profile_->setToolTip(tr("Why it is as fast as it is: what bounds it, its loops, its counters"));
  connect(profile_, &QPushButton::clicked, this, [this] { emit profile_wanted(id_); });
  nothing_->setText(tr("Choose a trial to see its samples, configuration and source."));
  nothing_->setProperty("role", QStringLiteral("hint"));
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  stack_->addWidget(nothing_);
  stack_->addWidget(tabs_);
  setMinimumWidth(240);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(title_);
  column->addWidget(profile_);
  column->addWidget(stack_, 1);
  show_trial({});
}

void TrialDetail::show_trial(const QString& id) {
  id_ = id;
  profile_->setVisible(!id.isEmpty());
  if (id.isEmpty()) {
    title_->clear();
    stack_->setCurrentWidget(nothing_);
    show_samples({}, {});
    facts_->clear();
    source_->clear();
    return;
  }
  using Found = Result<std::optional<TrialRecord>>;
  engine_.query(
      this, [key = id.toStdString()](engine::Engine& opened) -> Found { return opened.queries().trial(key); },
      [this, id](Found found) {
        if (id != id_) return;  // another row was chosen meanwhile
        if (!found.ok()) {
          title_->setText(window_words(found.error()));
        } else if (!found.value()) {
          title_->setText(tr("This trial is no longer stored."));
        } else {
          show_record(*found.value());
        }
      });
}

void TrialDetail::show_source() {
  tabs_->setCurrentWidget(source_tab_);
}

void TrialDetail::show_samples(const std::vector<double>& samples, const std::vector<SampleBlock>& blocks) {
  box_->set_samples(samples);
  spread_->set_figures(spread_plot(samples));
  order_->set_spec(run_order_plot(blocks));
  distribution_->set_spec(distribution_plot(blocks));
}

void TrialDetail::show_record(const TrialRecord& record) {
  stack_->setCurrentWidget(tabs_);
  const QString outcome = outcome_text(text_of(name_of(record.result.outcome)));
  const QString when =
      record.median_ns > 0
          ? tr("median %1 %2").arg(duration_text(record.median_ns), interval_text(record.low_ns, record.high_ns, record.median_ns))
          : outcome;
  const QString mode = words_ == nullptr ? QString() : words_->mode_of(record.metric_key);
  const QString plan = words_ == nullptr ? kind_text(record.kind) : words_->plan_of(record.piece_key, record.kind);
  const QString how = mode.isEmpty() ? plan : QStringLiteral("%1, %2").arg(plan, mode);
  title_->setText(tr("%1 on %2 · %3").arg(how, text_of(record.device_id), when));
  show_samples(record.result.samples, {block_of(record, true)});
  load_blocks(record);
  facts_->setHtml(facts_of(record));
  load_source(record.kernel_keys);
  if (record.median_ns > 0) load_verdict();
}

// The same kernel was often measured in other blocks, too: beside them a drift within one is told from one between them.
void TrialDetail::load_blocks(const TrialRecord& record) {
  if (record.result.samples.empty() || record.plan_key.empty()) return;
  using Found = Result<std::vector<TrialRecord>>;
  engine_.query(
      this,
      [record](engine::Engine& opened) -> Found {
        return opened.queries().find_valid(record.plan_key, record.metric_key, record.environment_key);
      },
      [this, record](Found found) {
        if (text_of(record.id) != id_ || !found.ok() || found.value().empty()) return;
        show_samples(record.result.samples, blocks_around(std::move(found).value(), record));
      });
}

QString TrialDetail::facts_of(const TrialRecord& record) const {
  const PlanResult& result = record.result;
  QString rows;
  if (words_ != nullptr) {
    rows += line(tr("Metric"), words_->metric_of(record.metric_key));
    rows += line(tr("Model"), words_->models_of(record.piece_key));
    rows += line(tr("Shape"), words_->shape_of(record.piece_key));
    rows += line(tr("Where"), words_->environment_of(record.environment_key));
  }
  rows += line(tr("Outcome"), outcome_text(text_of(name_of(result.outcome))));
  rows += line(tr("Reason"), window_words(result.reason));
  rows += line(tr("Configuration"), text_of(record.config));
  rows += line(tr("Kernels"), QString::number(record.kernel_keys.size()));
  if (record.median_ns > 0) {
    rows += line(tr("Median"), duration_text(record.median_ns));
    rows += line(tr("95 % interval"), interval_text(record.low_ns, record.high_ns, record.median_ns));
    rows += line(tr("Samples"), tr("%1, each of %2 runs").arg(result.samples.size()).arg(result.inner_repetitions));
  }
  if (result.verification.checked > 0) {
    rows += line(tr("Verified"), tr("%1 outputs, worst error %2 of its tolerance")
                                     .arg(count_text(result.verification.checked), percent_text(result.verification.worst_ratio)));
  }
  rows += line(tr("Verification"), text_of(result.verification.detail));
  if (result.first_launch.count > 0) rows += line(tr("First launch"), duration_text(result.first_launch.count));
  if (record.compile_time.count > 0) rows += line(tr("Compile time"), duration_text(record.compile_time.count));
  rows += line(tr("Clock"), text_of(name_of(result.source)));
  if (record.conditions) {
    rows += line(tr("Timer"), text_of(timer_text(record.conditions->timer)));
    rows += line(tr("Short samples"), text_of(too_short_for_timer(record.conditions->timer, result)));
    rows += line(tr("Sensors"), text_of(states_text(record.conditions->device)));
  }
  rows += line(tr("Confirmed"), record.retimed ? tr("re-timed in a fresh process") : QString());
  rows += line(tr("Worker"), text_of(record.process_id));
  rows += line(tr("Measured"), time_text(record.created_unix_ms));
  rows += line(tr("Piece key"), text_of(record.piece_key));
  rows += line(tr("Metric key"), text_of(record.metric_key));
  rows += line(tr("Environment key"), text_of(record.environment_key));
  rows += line(tr("Run id"), text_of(record.run_id));
  rows += line(tr("Trial id"), text_of(record.id));
  return QStringLiteral("<table>%1</table>").arg(rows);
}

// Uses the words of `fuselab select --advice` about a winner.
void TrialDetail::load_verdict() {
  using Found = Result<std::optional<engine::ProfileView>>;
  engine_.query(
      this, [key = id_.toStdString()](engine::Engine& opened) -> Found { return engine::stored_profile(opened, key); },
      [this, id = id_](const Found& found) {
        if (id != id_ || !found.ok()) return;
        QString why = tr("Not known yet: \"%1\" finds out.").arg(profile_->text());
        if (const auto& view = found.value()) why = text_of(view->profile.verdict.text);
        facts_->append(QStringLiteral("<p><b>%1</b> %2</p>").arg(tr("Why it is as fast as it is:"), why.toHtmlEscaped()));
        facts_->moveCursor(QTextCursor::Start);
      });
}

void TrialDetail::load_source(const std::vector<std::string>& kernel_keys) {
  kernel_keys_ = kernel_keys;
  stranger_.clear();
  trust_->hide();
  show_line(stranger_line_, {});
  if (kernel_keys.empty()) {
    source_->setPlainText(tr("No kernel was generated for this trial."));
    return;
  }
  source_->setPlainText(kPendingText);
  engine_.query(
      this,
      [kernel_keys](engine::Engine& opened) {
        StoredSource all;
        for (const std::string& key : kernel_keys) {
          const auto kernel = opened.queries().source(key);
          if (!kernel.ok()) {
            all.text += window_words(kernel.error()).toStdString() + "\n";
          } else if (kernel.value()) {
            all.text += kernel.value()->text + "\n";
            if (!kernel.value()->stranger.empty()) all.stranger = kernel.value()->stranger;
          }
        }
        return all;
      },
      [this, id = id_](const StoredSource& all) {
        if (id != id_) return;
        source_->setPlainText(all.text.empty() ? tr("The source of this kernel is not stored.") : text_of(all.text));
        stranger_ = text_of(all.stranger);
        trust_->setVisible(!stranger_.isEmpty());
        if (!stranger_.isEmpty())
          show_line(stranger_line_,
                    tr("Its binary was signed by %1, a key that you do not trust: it is not run here.").arg(stranger_.left(12)),
                    Tone::kWarning);
      });
}

// What a key signs runs here, so trust is asked for, with what it means.
void TrialDetail::ask_to_trust() {
  auto* const question = new QMessageBox(
      QMessageBox::Question, tr("Trust this key"),
      tr("Binaries that %1 signed will run here, with your rights. Trust keys of people you know alone.").arg(stranger_),
      QMessageBox::Cancel, this);
  question->setObjectName(QStringLiteral("results.trust_question"));
  question->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* const yes = question->addButton(tr("Trust this key"), QMessageBox::AcceptRole);
  question->setDefaultButton(QMessageBox::Cancel);
  connect(yes, &QPushButton::clicked, this, [this, key = stranger_] {
    engine_.query(
        this,
        [key = key.toStdString()](engine::Engine& opened) { return engine::trust(opened.config(), "fuselab-ed25519 " + key); },
        [this](const Result<engine::TrustedSigner>& added) {
          if (!added.ok()) return show_line(stranger_line_, window_words(added.error()), Tone::kBad);
          load_source(std::vector<std::string>(kernel_keys_));
          emit trusted();
        });
  });
  question->open();
}

}  // namespace fuselab::gui
