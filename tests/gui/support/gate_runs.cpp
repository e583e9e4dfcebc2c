// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/gate_runs.h"

#include <QFile>
#include <cmath>
#include <cstdio>

#include "app/reports/check_lines.h"
#include "core/base/random.h"

namespace fuselab::gui::test {
namespace {

constexpr int kRuns = 40, kSlowFrom = 25, kOutlier = 7;

CaseOutcome outcome_of(const char* name, double ratio) {
  CaseOutcome outcome;
  outcome.name = name;
  outcome.subject = std::string("w5-") + name + " rows=128,cols=1024 f32";
  outcome.device = "cpu:0";
  outcome.backend = "cpu";
  outcome.device_uuid = "5c0ffee0";
  outcome.state = CaseState::kEquivalent;
  outcome.baseline = BaselineUsed{"paired", "main.baseline", "0123456789abcdef", "5c0ffee0", false};
  ComparisonResult result;
  result.verdict = Verdict::kEquivalent;
  result.ratio = ratio;
  result.interval = {ratio * 0.99, ratio * 1.01};
  result.minimum_detectable = 0.02;
  result.processes = 6;
  result.pairs = 60;
  result.between_deviation = 0.006;
  result.within_deviation = 0.02;
  outcome.comparison = result;
  outcome.baseline_ns = 40'000;
  outcome.candidate_ns = 40'000 * ratio;
  return outcome;
}

}  // namespace

QString write_gate_runs(const QString& folder) {
  SeededRandom random(3);
  std::string text;
  for (int run = 0; run < kRuns; ++run) {
    const auto noise = [&random] { return 0.008 * (random.unit() + random.unit() - 1); };
    CheckReport report;
    report.tool_version = "0.1.0";
    char words[64];
    std::snprintf(words, sizeof words, "c%011d%028d", run, 0);
    report.commit = words;
    std::snprintf(words, sizeof words, "2026-%02d-%02dT12:00:00Z", 9 + run / 28, 1 + run % 28);
    report.started_at = words;
    report.environment = {{"cpu", "EPYC"}, {"driver", run < kSlowFrom ? "1" : "2"}};
    report.cases.push_back(outcome_of("gelu", 1 + noise()));
    report.cases.push_back(outcome_of("softmax", run == kOutlier ? 3.0 : (run < kSlowFrom ? 1.0 : 1.1) * (1 + noise())));
    text += reports::check_lines_of(report);
  }
  QFile file(folder + QStringLiteral("/runs.jsonl"));
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(text.data(), static_cast<qint64>(text.size()));
  return file.fileName();
}

}  // namespace fuselab::gui::test
