// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/gui/plots/drawing/plot_spec.h"
#include "app/gui/tables/table_model_base.h"
#include "core/gate/check_report.h"

namespace fuselab::gui {

using CheckReportPtr = std::shared_ptr<const CheckReport>;

// The cases of one run of the gate, the worst first.
class GateModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kVerdict, kCase, kDevice, kRatio, kTimes, kSeen, kVariance, kReason, kColumns };

  explicit GateModel(QObject* parent = nullptr);
  void set_report(CheckReportPtr report);
  const CheckReport* report() const { return report_.get(); }
  const CaseOutcome* outcome(int row) const;  // nullptr: no such row

 protected:
  int rows() const override { return static_cast<int>(order_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  CheckReportPtr report_;
  std::vector<std::size_t> order_;  // of the report's cases
};

// Plots every round of a case in run order, process after process, with the margin.
PlotSpec gate_plot(const CaseOutcome& outcome);

// Returns the facts of a case, a line each: reason, figures, baseline, where it is written, and the command that repeats it.
QString gate_facts(const CaseOutcome& outcome);

// Returns "5 cases: 1 regressed, 4 same · exit code 1".
QString gate_summary(const CheckReport& report);

}  // namespace fuselab::gui
