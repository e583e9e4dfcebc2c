// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/gate/gate_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "core/stats/statistics.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::GateModel", text);
}

Tone tone_of(CaseState state) {
  switch (state) {
    case CaseState::kRegressed:
    case CaseState::kWrongResult:
    case CaseState::kFailed:
    case CaseState::kMisconfigured: return Tone::kBad;
    case CaseState::kNoBaseline:
    case CaseState::kUntrusted:
    case CaseState::kExpired:
    case CaseState::kRenamed:
    case CaseState::kUnfit:
    case CaseState::kInsensitive: return Tone::kWarning;
    case CaseState::kImproved: return Tone::kGood;
    default: return Tone::kMuted;
  }
}

QString percent(double share, int digits = 2) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'g', digits);
}

QString times_text(const CaseOutcome& outcome) {
  if (outcome.baseline_ns <= 0 || outcome.candidate_ns <= 0) return QStringLiteral("–");
  return duration_text(outcome.baseline_ns) + QStringLiteral(" → ") + duration_text(outcome.candidate_ns);
}

QString variance_text(const CaseOutcome& outcome) {
  const auto shares = outcome.comparison ? variance_shares(*outcome.comparison) : std::nullopt;
  if (!shares) return QStringLiteral("–");
  const auto whole = [](double share) { return QString::number(100 * share, 'f', 0); };
  if (outcome.backend == kCommandBackend)
    return tr("%1 % within blocks, %2 % between").arg(whole(shares->within_block), whole(1 - shares->within_block));
  return tr("%1 % within blocks, %2 % between, %3 % between processes")
      .arg(whole(shares->within_block), whole(shares->between_blocks), whole(shares->between_processes));
}

QString mark_text(const CaseOutcome& outcome) {
  QStringList marks;
  if (outcome.drill > 0) marks << tr("drill +%1").arg(percent(outcome.drill, 3));
  if (outcome.null_control) marks << tr("null control");
  return marks.join(QStringLiteral(", "));
}

// Beyond these a round is drawn at the edge: a stall of some milliseconds would leave all others on one line.
Interval visible_range(const CaseOutcome& outcome) {
  std::vector<double> all;
  for (const std::vector<double>& process : outcome.log_ratios) all.insert(all.end(), process.begin(), process.end());
  const Summary seen = summarize(all);
  for (double& each : all) each = std::fabs(each - seen.median);
  constexpr double kRoom = 8;
  const double reach = std::max(kRoom * summarize(all).median, 3 * std::log1p(outcome.margin));
  return {seen.median - reach, seen.median + reach};
}

QString ratio_of(const ComparisonResult& result) {
  return ratio_text(Ratio{result.ratio, result.interval});
}

}  // namespace

GateModel::GateModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Verdict"), tr("As the gate says it"), false, 110, 90},
               {tr("Case"), tr("As in fuselab.toml"), false, 190, 110},
               {tr("Device"), tr("None: a command"), false, 80, 60},
               {tr("Time"), tr("The candidate's time over the baseline's, with its 99 % interval"), true, 170, 110},
               {tr("Times"), tr("Medians of the baseline and of the candidate"), true, 150, 100, true},
               {tr("Would see"), tr("The least slowdown that would have been found 19 times in 20"), true, 90, 70},
               {tr("Variance"), tr("Where the scatter of the ratio lies"), false, 240, 110, true},
               {tr("Reason"), {}, false, 260, 100, true, true}});
}

void GateModel::set_report(CheckReportPtr report) {
  beginResetModel();
  report_ = std::move(report);
  order_ = report_ == nullptr ? std::vector<std::size_t>() : by_severity(*report_);
  endResetModel();
}

const CaseOutcome* GateModel::outcome(int row) const {
  return row >= 0 && row < rows() ? &report_->cases[order_[static_cast<std::size_t>(row)]] : nullptr;
}

TableCell GateModel::cell(int row, int column) const {
  const CaseOutcome& outcome = *this->outcome(row);
  const bool compared = outcome.comparison.has_value();
  switch (column) {
    case kVerdict: return {text_of(name_of(outcome.state)), window_words(outcome.reason), row, tone_of(outcome.state), true};
    case kCase: {
      const QString mark = mark_text(outcome);
      const QString name = text_of(outcome.name);
      return {
          mark.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, mark), text_of(outcome.subject), {}, Tone::kNeutral, true};
    }
    case kDevice: return {text_of(outcome.device.empty() ? outcome.backend : outcome.device)};
    case kRatio:
      if (!compared) return {QStringLiteral("–"), tr("Nothing was measured"), 1.0, Tone::kMuted};
      return {ratio_of(*outcome.comparison), tr("Margin %1, detect %2").arg(percent(outcome.margin, 3), percent(outcome.detect, 3)),
              outcome.comparison->ratio};
    case kTimes: return {times_text(outcome), {}, outcome.candidate_ns};
    case kSeen:
      if (!compared || !std::isfinite(outcome.comparison->minimum_detectable)) return {QStringLiteral("–"), {}, {}, Tone::kMuted};
      return {QStringLiteral("+") + percent(outcome.comparison->minimum_detectable), {}, outcome.comparison->minimum_detectable};
    case kVariance: return {variance_text(outcome), variance_text(outcome), {}, Tone::kMuted};
    default: return {window_words(outcome.reason), window_words(outcome.reason), {}, Tone::kMuted};
  }
}

PlotSpec gate_plot(const CaseOutcome& outcome) {
  PlotSpec spec;
  spec.title = tr("%1: every round in run order")
                   .arg(text_of(outcome.device.empty() ? outcome.name : outcome.name + " on " + outcome.device));
  spec.brief_title = text_of(outcome.name);
  spec.x.title = tr("round");
  spec.x.whole = true;
  spec.y.title = tr("time over the baseline's");
  spec.y.text = [](double value) { return QStringLiteral("%1×").arg(value, 0, 'f', 3); };
  spec.empty_text = tr("Of this case no samples are kept.");
  const bool command = outcome.backend == kCommandBackend;
  Series rounds{tr("one round"), Mark::kPoints, 0, {}, false, true};
  Series outliers{tr("stalled round, at the edge"), Mark::kPoints, 3, {}, false, true};
  Series medians{command ? tr("median of a block") : tr("median of a process"), Mark::kSteps, 1, {}, false, true};
  const Interval visible = visible_range(outcome);
  std::size_t x = 0;
  for (std::size_t process = 0; process < outcome.log_ratios.size(); ++process) {
    const std::vector<double>& ratios = outcome.log_ratios[process];
    const QString label = (command ? tr("block %1") : tr("process %1")).arg(process + 1);
    for (const double ratio : ratios) {
      const double drawn = std::clamp(ratio, visible.low, visible.high);
      const QString told = drawn == ratio ? label : tr("%1: %2×").arg(label).arg(std::exp(ratio), 0, 'f', 3);
      (drawn == ratio ? rounds : outliers)
          .points.push_back({static_cast<double>(++x), std::exp(drawn), kNoValue, kNoValue, told, {}});
    }
    if (ratios.empty()) continue;
    const double median = std::exp(summarize(ratios).median);
    medians.points.push_back({static_cast<double>(x - ratios.size()) + 0.5, median, kNoValue, kNoValue, label, {}});
    medians.points.push_back({static_cast<double>(x) + 0.5, median, kNoValue, kNoValue, label, {}});
  }
  if (x == 0) return spec;
  spec.series = {std::move(rounds), std::move(medians)};
  if (!outliers.points.empty()) spec.series.push_back(std::move(outliers));
  for (const double limit : {1 + outcome.margin, 1 / (1 + outcome.margin)}) {
    Series line{tr("margin"), Mark::kLine, 3, {}, true, limit > 1};
    for (const double end : {0.5, static_cast<double>(x) + 0.5})
      line.points.push_back({end, limit, kNoValue, kNoValue, tr("margin"), {}});
    spec.series.push_back(std::move(line));
  }
  return spec;
}

QString gate_facts(const CaseOutcome& outcome) {
  QStringList lines;
  const auto add = [&](const QString& name, const QString& text) {
    if (!text.isEmpty()) lines << QStringLiteral("%1: %2").arg(name, text);
  };
  add(tr("Verdict"),
      text_of(name_of(outcome.state)) + (outcome.reason.empty() ? QString() : QStringLiteral(", ") + window_words(outcome.reason)));
  if (outcome.confirmation)
    add(tr("Measured again"), tr("%1 in %2 processes of its own, q %3")
                                  .arg(ratio_of(*outcome.confirmation))
                                  .arg(outcome.confirmation->processes)
                                  .arg(outcome.q_value, 0, 'g', 2));
  add(tr("Configuration"), text_of(outcome.configuration));
  if (outcome.baseline) {
    const BaselineUsed& used = *outcome.baseline;
    QStringList parts{text_of(used.kind), text_of(used.origin)};
    for (const std::string& part : {used.commit, used.configuration, used.note}) {
      if (!part.empty()) parts << text_of(part);
    }
    add(tr("Baseline"), parts.join(QStringLiteral(", ")));
  }
  if (!outcome.where.file.empty())
    add(tr("Written in"), QStringLiteral("%1:%2").arg(text_of(outcome.where.file)).arg(outcome.where.line));
  if (!outcome.output.empty()) add(tr("Output"), QStringLiteral("\n") + text_of(outcome.output));
  add(tr("Again"), text_of(outcome.reproduce));
  return lines.join(QLatin1Char('\n'));
}

QString gate_summary(const CheckReport& report) {
  std::map<CaseState, int> counts;
  for (const CaseOutcome& outcome : report.cases) ++counts[outcome.state];
  QStringList states;
  for (const auto& [state, count] : counts) states << QStringLiteral("%1 %2").arg(count).arg(text_of(name_of(state)));
  QStringList parts{
      QStringLiteral("%1: %2").arg(counted_text(static_cast<std::int64_t>(report.cases.size()), tr("case"), tr("cases")),
                                   states.join(QStringLiteral(", "))),
      tr("exit code %1").arg(report.exit_code)};
  if (!report.started_at.empty()) parts << text_of(report.started_at);
  if (!report.commit.empty()) parts << text_of(report.commit.substr(0, 12));
  return parts.join(QStringLiteral(" · "));
}

}  // namespace fuselab::gui
