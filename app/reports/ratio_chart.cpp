// SPDX-License-Identifier: Apache-2.0
#include "app/reports/ratio_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"

namespace fuselab::reports {
namespace {

constexpr double kWidth = 1100, kTop = 10, kBottom = 170, kLeft = 70, kRight = 930;
constexpr double kIntervals[] = {980, 1050};  // where the comparison and its confirmation stand
constexpr std::size_t kMostPoints = 4000;
constexpr double kFarOut = 0.02;  // of the points on either side do not widen the drawing

double percent_of(double log_ratio) {
  return 100 * std::expm1(log_ratio);
}

std::string coordinate(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::isfinite(value) ? value : 0.0);
  return text.data();
}

// One process: its changes in percent, in run order.
using Series = std::vector<double>;

std::vector<Series> series_of(const CaseOutcome& outcome) {
  std::size_t pairs = 0;
  for (const auto& process : outcome.log_ratios) pairs += process.size();
  const std::size_t stride = 1 + pairs / kMostPoints;
  std::vector<Series> all;
  for (const auto& process : outcome.log_ratios) {
    Series one;
    for (std::size_t i = 0; i < process.size(); i += stride) {
      const double percent = percent_of(process[i]);
      if (std::isfinite(percent)) one.push_back(percent);
    }
    if (!one.empty()) all.push_back(std::move(one));
  }
  return all;
}

double median_of(Series values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Drawing {
 public:
  Drawing(const CaseOutcome& outcome, const std::vector<Series>& processes)
      : has_pairs_(!outcome.comparison || outcome.comparison->pairs > 0) {
    std::vector<double> all;
    for (const Series& one : processes) all.insert(all.end(), one.begin(), one.end());
    std::sort(all.begin(), all.end());
    const auto far = static_cast<std::size_t>(kFarOut * static_cast<double>(all.size()));
    const double margin = 100 * outcome.margin;
    include(all[far]);
    include(all[all.size() - 1 - far]);
    include(margin);
    include(-margin);
    if (outcome.comparison) include(*outcome.comparison);
    if (outcome.confirmation) include(*outcome.confirmation);
    const double air = std::max(0.05 * (high_ - low_), 0.05);
    low_ -= air;
    high_ += air;
    band(margin);
    points(processes, all.size());
    if (outcome.comparison) interval(*outcome.comparison, kIntervals[0], "first");
    if (outcome.confirmation) interval(*outcome.confirmation, kIntervals[1], "confirmed");
  }
  const std::string& body() const { return body_; }

 private:
  void include(double percent) {
    if (!std::isfinite(percent)) return;
    low_ = std::min(low_, percent);
    high_ = std::max(high_, percent);
  }
  void include(const ComparisonResult& comparison) {
    if (!std::isfinite(comparison.interval.high)) return;  // it holds everything, and would press the points flat
    include(100 * (comparison.interval.low - 1));
    include(100 * (comparison.interval.high - 1));
  }
  double y_of(double percent) const {
    const double share = (std::clamp(percent, low_, high_) - low_) / (high_ - low_);
    return kBottom - share * (kBottom - kTop);
  }
  void line(const char* kind, double x1, double y1, double x2, double y2) {
    body_ += std::string("<line class=\"") + kind + "\" x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" +
             coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>";
  }
  void words(double x, double y, const char* anchor, const std::string& text) {
    body_ += "<text class=\"soft\" text-anchor=\"" + std::string(anchor) + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) +
             "\">" + html_text(text) + "</text>";
  }
  void level(double percent) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%+.2g %%", percent);
    words(kLeft - 8, y_of(percent) + 4, "end", percent == 0 ? "0 %" : text.data());
  }
  void band(double margin) {
    body_ += "<rect class=\"margin\" x=\"" + coordinate(kLeft) + "\" width=\"" + coordinate(kWidth - kLeft) + "\" y=\"" +
             coordinate(y_of(margin)) + "\" height=\"" + coordinate(std::max(1.0, y_of(-margin) - y_of(margin))) + "\"/>";
    line("zero", kLeft, y_of(0), kWidth, y_of(0));
    level(0);
    for (const double end : {low_, high_}) {
      if (std::abs(y_of(end) - y_of(0)) > 16) level(end);
    }
  }
  void points(const std::vector<Series>& processes, std::size_t count) {
    const double step = (kRight - kLeft) / static_cast<double>(count);
    double x = kLeft;
    for (const Series& process : processes) {
      const double start = x;
      std::string path;
      for (const double percent : process) {
        path += "M" + coordinate(x + step / 2) + " " + coordinate(y_of(percent)) + "h0";
        x += step;
      }
      body_ += "<path class=\"pairs\" d=\"" + path + "\"/>";
      const double median = y_of(median_of(process));
      line("median", start, median, x, median);
      if (x + step < kRight) line("edge", x, kTop, x, kBottom);
    }
    words((kLeft + kRight) / 2, kBottom + 18, "middle",
          has_pairs_ ? "pairs of rounds in run order, by process"
                     : "samples in run order, by process, over the earlier sessions' time");
  }
  void interval(const ComparisonResult& comparison, double x, const char* name) {
    const double low = y_of(100 * (comparison.interval.low - 1)), high = y_of(100 * (comparison.interval.high - 1));
    const double middle = y_of(100 * (comparison.ratio - 1));
    line("whisker", x, low, x, high);
    for (const double end : {low, high}) line("whisker", x - 6, end, x + 6, end);
    body_ += "<circle class=\"fused\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(middle) + "\" r=\"4\"/>";
    words(x, kBottom + 18, "middle", name);
  }

  double low_ = 0, high_ = 0;
  bool has_pairs_;  // else the baseline did not run beside it
  std::string body_;
};

}  // namespace

std::string ratio_chart(const CaseOutcome& outcome) {
  const std::vector<Series> processes = series_of(outcome);
  if (processes.empty()) return "";
  const std::string said = "Change of " + title_of(outcome) + (outcome.comparison ? ": " + ratio_text(*outcome.comparison) : "");
  return "<svg role=\"img\" aria-label=\"" + html_text(said) + "\" viewBox=\"0 0 " + coordinate(kWidth) + " 195\">" +
         Drawing(outcome, processes).body() + "</svg>\n";
}

}  // namespace fuselab::reports
