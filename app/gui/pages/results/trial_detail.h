// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>

#include "app/gui/link/engine_link.h"
#include "app/gui/look/catalog_words.h"
#include "app/gui/plots/run_plots.h"
#include "core/store/trial_record.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTextBrowser;

namespace fuselab::gui {

class BoxChart;
class ChartPanel;
class PlotPanel;

// Everything stored of one trial: its samples as box plot, in run order beside those of the same kernel's other blocks, and as
// distribution; configuration, verification, reason, kernel source.
class TrialDetail : public QWidget {
  Q_OBJECT

 public:
  explicit TrialDetail(EngineLink& engine, QWidget* parent = nullptr);
  void show_trial(const QString& id);  // empty: nothing is chosen
  void show_source();                  // brings its tab forward
  void set_words(WordsPtr words) { words_ = std::move(words); }

 signals:
  void profile_wanted(const QString& trial);
  void trusted();  // another key is accepted from now on

 private:
  void show_samples(const std::vector<double>& samples, const std::vector<SampleBlock>& blocks);
  void load_blocks(const TrialRecord& record);
  void show_record(const TrialRecord& record);
  void load_source(const std::vector<std::string>& kernel_keys);
  void ask_to_trust();
  void load_verdict();
  QString facts_of(const TrialRecord& record) const;

  EngineLink& engine_;
  QString id_;
  WordsPtr words_;
  QLabel* title_;
  QPushButton* profile_;
  QTextBrowser* facts_;
  QStackedWidget* stack_;
  QLabel* nothing_;
  QTabWidget* tabs_;
  BoxChart* box_;
  ChartPanel* spread_;  // around it
  PlotPanel* order_;
  PlotPanel* distribution_;
  QPlainTextEdit* source_;
  QWidget* source_tab_;
  QLabel* stranger_line_;
  QPushButton* trust_;
  QString stranger_;  // whose key signed the binary beside the text, and is not trusted
  std::vector<std::string> kernel_keys_;
};

}  // namespace fuselab::gui
