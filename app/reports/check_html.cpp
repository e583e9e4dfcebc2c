// SPDX-License-Identifier: Apache-2.0
#include "app/reports/check_html.h"

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"
#include "app/reports/page_style.h"
#include "app/reports/ratio_chart.h"

namespace fuselab::reports {
namespace {

std::string_view class_of(CaseState state) {
  switch (attention_for(state)) {
    case Attention::kError: return "error";
    case Attention::kWarning: return "warning";
    case Attention::kNotice: return "notice";
    case Attention::kNone: return "calm";
  }
  return "error";
}

std::string code_html(const std::string& text) {
  return text.empty() ? "" : "<code>" + html_text(text) + "</code>";
}

// A page may be looked at where other pages' scripts may do much: this one runs none and fetches nothing.
constexpr std::string_view kPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">";

std::string heading_html(const CheckReport& report) {
  return "<h1>Fuselab check</h1>\n<p><strong>" + html_text(totals_of(report)) + "</strong></p>\n<p class=\"facts\">" +
         html_text(spent_text(report)) + "<br>" + html_text(false_alarms_text(report)) + "<br>" + html_text(origin_text(report)) +
         (report.reproduce.empty() ? "" : "<br>" + code_html(report.reproduce)) + "</p>\n";
}

std::string environment_html(const CheckReport& report) {
  if (report.environment.empty()) return "";
  std::string html = "<h2>Environment</h2>\n<div class=\"scroll\"><table>\n";
  for (const auto& [name, value] : report.environment)
    html += "<tr><th>" + html_text(name) + "</th><td>" + html_text(value) + "</td></tr>\n";
  return html + "</table></div>\n";
}

std::string row_html(const CaseOutcome& one, std::size_t anchor) {
  const bool drawn = !one.log_ratios.empty();
  const std::string title = html_text(one.name);
  std::string html = "<tr><td class=\"" + std::string(class_of(one.state)) + "\">" + std::string(name_of(one.state)) + "</td><td>";
  html += drawn ? "<a href=\"#case" + std::to_string(anchor) + "\">" + title + "</a>" : title;
  html += "</td><td>" + html_text(one.device) + "</td><td class=\"number\">";
  html += (one.comparison ? ratio_text(*one.comparison) : "") + "</td><td class=\"number\">" + percent_text(one.margin) +
          "</td><td class=\"reason\">" + html_text(finding_of(one)) +
          (one.output.empty() ? "" : "<pre>" + html_text(one.output) + "</pre>") + "</td></tr>\n";
  return html;
}

std::string case_html(const CaseOutcome& one, std::size_t anchor) {
  const std::string chart = ratio_chart(one);
  if (chart.empty()) return "";
  return "<h3 id=\"case" + std::to_string(anchor) + "\"><span class=\"" + std::string(class_of(one.state)) + "\">" +
         std::string(name_of(one.state)) + "</span>: " + html_text(title_of(one)) + "</h3>\n<p class=\"facts\">" +
         html_text(one.subject) + "<br>" + html_text(finding_of(one)) + "<br>" + code_html(one.reproduce) + "</p>\n" + chart;
}

}  // namespace

std::string check_html_of(const CheckReport& report) {
  std::string html = std::string(kCheckPageStart) + std::string(kPolicy) + "<title>Fuselab check</title><style>\n";
  html += page_style();
  html += "</style></head><body>\n" + heading_html(report);
  html +=
      "<h2>Cases</h2>\n<div class=\"scroll\"><table><tr><th>verdict</th><th>case</th><th>device</th><th class=\"number\">time over "
      "the baseline's</th><th class=\"number\">margin</th><th>more</th></tr>\n";
  const auto order = by_severity(report);
  for (const std::size_t index : order) html += row_html(report.cases[index], index);
  html += "</table></div>\n" + environment_html(report) + "<h2>Samples</h2>\n";
  for (const std::size_t index : order) html += case_html(report.cases[index], index);
  return html + "</body></html>\n";
}

}  // namespace fuselab::reports
