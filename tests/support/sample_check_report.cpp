// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample_check_report.h"

#include <cmath>

namespace fuselab::test {
namespace {

ComparisonResult measured(Verdict verdict, double ratio, double reach, int processes) {
  ComparisonResult result;
  result.verdict = verdict;
  result.ratio = ratio;
  result.interval = {ratio * std::exp(-reach), ratio * std::exp(reach)};
  result.minimum_detectable = 0.01 + 2 * reach;
  result.p_regressed = verdict == Verdict::kRegressed ? 0.0004 : 1;
  result.p_improved = verdict == Verdict::kImproved ? 0.0007 : 1;
  result.processes = processes;
  result.pairs = 10 * processes;
  result.within_deviation = 0.02;
  result.between_deviation = 0.004;
  result.spent = {2.5e8 * processes};
  return result;
}

// Log-ratios that lie around the case's ratio, more so within a process than between them.
std::vector<std::vector<double>> scattered(double ratio, int processes) {
  std::vector<std::vector<double>> all;
  for (int process = 0; process < processes; ++process) {
    std::vector<double>& one = all.emplace_back();
    const double shift = 0.004 * ((process * 7) % 5 - 2);
    for (int pair = 0; pair < 10; ++pair) one.push_back(std::log(ratio) + shift + 0.003 * ((pair * 3) % 7 - 3));
  }
  return all;
}

CaseOutcome outcome(const char* name, CaseState state, int line) {
  CaseOutcome one;
  one.name = name;
  one.subject = "w5-softmax rows=128,cols=1024 f32";
  one.device = "cpu:0";
  one.backend = "cpu";
  one.device_uuid = "5c0ffee0-cpu";
  one.configuration = "tuned: threads=2,vector=16";
  one.where = {"bench/fuselab.toml", line};
  one.detect = 0.05;
  one.state = state;
  one.wall_seconds = 3.25;
  one.reproduce = std::string("fuselab check --case ") + name + " --device cpu:0";
  one.baseline = BaselineUsed{"paired", "baseline.fuselab of 2026-11-20", "1a2b3c4d5e6f", "5c0ffee0-cpu", false};
  one.baseline->configuration = "threads=1,vector=16";
  return one;
}

CaseOutcome compared(const char* name, CaseState state, int line, Verdict verdict, double ratio, double reach, int processes) {
  CaseOutcome one = outcome(name, state, line);
  one.comparison = measured(verdict, ratio, reach, processes);
  one.baseline_ns = 41'200;
  one.candidate_ns = 41'200 * ratio;
  one.reference = "w4-rmsnorm rows=128,cols=1024 f32";
  one.reference_ns = 25'000;
  one.log_ratios = scattered(ratio, processes);
  return one;
}

CaseOutcome without_figures(const char* name, CaseState state, int line, const char* reason) {
  CaseOutcome one = outcome(name, state, line);
  one.reason = reason;
  return one;
}

}  // namespace

CheckReport sample_check_report() {
  CheckReport report;
  report.tool_version = "0.1.0";
  report.commit = "9f8e7d6c5b4a";
  report.started_at = "2026-11-22T17:05:00Z";
  report.environment = {{"cpu", "AMD EPYC"}, {"governor", "performance"}, {"driver", ""}};
  report.false_alarms = ErrorRate{1, 2000};
  report.kernel_seconds = 16.5;
  report.wall_seconds = 61.25;
  report.exit_code = 1;
  report.reproduce = "fuselab check --baseline baseline.fuselab";

  CaseOutcome regressed = compared("softmax", CaseState::kRegressed, 4, Verdict::kRegressed, 1.043, 0.011, 12);
  regressed.confirmation = measured(Verdict::kRegressed, 1.041, 0.012, 10);
  regressed.q_value = 0.003;
  regressed.disturbed = 2;
  CaseOutcome worse = compared("layernorm", CaseState::kRegressed, 9, Verdict::kRegressed, 1.31, 0.02, 5);
  worse.confirmation = measured(Verdict::kRegressed, 1.305, 0.02, 5);
  worse.q_value = 0.001;
  worse.device = "cuda:0";
  worse.backend = "cuda";
  worse.baseline->recompiled = true;
  CaseOutcome improved = compared("swiglu", CaseState::kImproved, 14, Verdict::kImproved, 0.88, 0.01, 5);
  improved.confirmation = measured(Verdict::kImproved, 0.882, 0.01, 5);
  improved.q_value = 0.002;
  CaseOutcome unconfirmed = compared("rope", CaseState::kUnconfirmed, 19, Verdict::kRegressed, 1.021, 0.006, 8);
  unconfirmed.confirmation = measured(Verdict::kEquivalent, 1.002, 0.006, 8);
  unconfirmed.q_value = 0.008;
  CaseOutcome inconclusive = compared("matmul", CaseState::kInconclusive, 24, Verdict::kInconclusive, 1.008, 0.021, 40);
  inconclusive.reason = "changes below 5.2 % cannot be told from noise within the budget of 2 s";
  CaseOutcome equivalent = compared("gelu", CaseState::kEquivalent, 29, Verdict::kEquivalent, 0.999, 0.004, 6);
  CaseOutcome same = outcome("rmsnorm", CaseState::kSame, 34);
  same.wall_seconds = 0.02;
  CaseOutcome no_baseline = without_figures("adam", CaseState::kNoBaseline, 39, "baseline.fuselab has no case 'adam'");
  no_baseline.baseline.reset();
  CaseOutcome unfit = without_figures("dequant", CaseState::kUnfit, 44, "31 of 40 processes were disturbed by other load");
  unfit.disturbed = 31;
  CaseOutcome wrong = without_figures("attention", CaseState::kWrongResult, 49, "element 7 is 0.5, the reference says 0.25");
  CaseOutcome failed = without_figures("conv", CaseState::kFailed, 54, "the kernel crashed: SIGSEGV");
  CaseOutcome misconfigured = without_figures("typo", CaseState::kMisconfigured, 59, "'rows' is given twice");
  misconfigured.baseline.reset();
  report.cases = {regressed, worse,       improved, unconfirmed, inconclusive, equivalent,
                  same,      no_baseline, unfit,    wrong,       failed,       misconfigured};
  return report;
}

std::vector<std::string> hostile_texts() {
  return {
      "two\nlines\r\nand\rmore",
      "::error file=x::planted",
      "a%0Ab,c:d%3A",
      "<script>alert('x')</script>&amp;\"'",
      "]]><failure/><![CDATA[",
      "| a | `b` | **c** | <!-- [d](http://e) @all #1",
      "```\n# heading\n```",
      "\x1b[31mred\x1b[0m\a\b\t\v\f",
      std::string("a\0b\x01\x7f", 5),
      "\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80",
      "\xc2\x85 \xe2\x80\xa8 \xe2\x80\xae \xef\xbf\xbe \xef\xbf\xbf \xef\xbb\xbf",
      "{\"a\":\"\\u0000\"}\\",
      std::string(5000, '`'),
      std::string(20'000, 'x'),
      "\xf0\x9f\x98\x80 grüße",
      "",
  };
}

CheckReport check_report_saying(const std::string& text) {
  CheckReport report = sample_check_report();
  report.tool_version = report.commit = report.started_at = report.reproduce = text;
  report.environment = {{text, text}, {"cpu", text}};
  report.selftest = SelftestNote{text, {{0.02, {48, 50}}}};
  for (CaseOutcome& one : report.cases) {
    one.name = one.subject = one.configuration = one.device = one.backend = one.where.file = one.reason = one.reproduce =
        one.device_uuid = one.reference = text;
    if (one.baseline) *one.baseline = BaselineUsed{text, text, text, text, true, "", false, text};
  }
  return report;
}

}  // namespace fuselab::test
