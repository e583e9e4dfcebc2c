// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/report_html.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/output/compare_text.h"
#include "app/cli/shell/reproduce.h"
#include "app/cli/shell/terminal.h"
#include "app/reports/escaping.h"
#include "app/reports/page_style.h"
#include "app/views/figure_marks.h"
#include "app/views/whole_model_words.h"
#include "core/base/units.h"

namespace fuselab::cli {
namespace {

using engine::CompareCell;
using engine::CompareRow;
using engine::CompareTable;
using reports::html_text;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Bars of one piece and device, in a drawing 1100 units wide; lengths are shares of the longest time in the chart.
class BarChart {
 public:
  explicit BarChart(const CompareTable& table) {
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) longest_ = std::max({longest_, high(cell.fused), high(cell.unfused)});
    }
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) add(row, cell);
    }
  }

  std::string svg() const {
    return "<svg role=\"img\" aria-label=\"Time per piece: unfused, fused and ideal\" viewBox=\"0 0 1100 " + number(top_) + "\">" +
           body_ + "</svg>";
  }
  bool empty() const { return body_.empty(); }

 private:
  static double high(const engine::Cell& cell) { return cell.figure ? cell.figure->interval.high : 0; }

  void add(const CompareRow& row, const CompareCell& cell) {
    if (!cell.fused.figure) return;
    body_ += label("", top_ + 13, row.name) + label("class=\"soft\" ", top_ + 28, cell.device_id);
    if (cell.is_one_plan()) {
      bar("unfused", "single operator", *cell.fused.figure);
    } else {
      if (cell.unfused.figure) bar("unfused", "unfused", *cell.unfused.figure);
      bar("fused", "fused", *cell.fused.figure);
    }
    if (cell.ideal_ns) line("ideal", *cell.ideal_ns, format_duration(Nanoseconds{*cell.ideal_ns}) + " ideal");
    top_ = std::max(top_ + 12, last_label_ + 34);
    last_label_ = top_;
  }

  // Left of the bars, never under them; the whole of it for whoever points at it.
  static std::string label(const std::string& attributes, double y, const std::string& text) {
    const std::string shown = clipped(text, static_cast<int>((kLeft - kGap) / kLetterWidth));
    const std::string whole = shown == text ? "" : "<title>" + html_text(text) + "</title>";
    return "<text " + attributes + "x=\"0\" y=\"" + number(y) + "\">" + whole + html_text(shown) + "</text>";
  }

  void bar(const char* kind, const char* words, const engine::Figure& figure) {
    const double y = top_ + 7;
    line(kind, figure.median_ns, format_duration(Nanoseconds{figure.median_ns}) + engine::disturbed_mark(figure) + " " + words);
    body_ += "<line class=\"whisker\" x1=\"" + number(at(figure.interval.low)) + "\" x2=\"" + number(at(figure.interval.high)) +
             "\" y1=\"" + number(y) + "\" y2=\"" + number(y) + "\"/>";
  }

  void line(const char* kind, double nanoseconds, const std::string& label) {
    body_ += std::string("<rect class=\"") + kind + "\" x=\"" + number(kLeft) + "\" y=\"" + number(top_ + 2) + "\" width=\"" +
             number(std::max(1.0, at(nanoseconds) - kLeft)) + "\" height=\"10\"/><text x=\"" + number(at(nanoseconds) + 12) +
             "\" y=\"" + number(top_ + 12) + "\">" + html_text(label) + "</text>";
    top_ += 14;
  }

  double at(double nanoseconds) const { return kLeft + (kRight - kLeft) * nanoseconds / longest_; }

  static constexpr double kLeft = 380, kRight = 940, kGap = 12;
  static constexpr double kLetterWidth = 6.5;  // of 12 px letters, on average
  double longest_ = 1;
  double top_ = 0;
  double last_label_ = 0;
  std::string body_;
};

std::string cells_html(const std::vector<std::string>& cells) {
  std::string html = "<tr>";
  for (std::size_t index = 0; index < cells.size(); ++index) {
    html += (index >= 2 && index != 3 ? "<td class=\"number\">" : "<td>") + html_text(cells[index]) + "</td>";
  }
  return html + "</tr>\n";
}

std::string table_html(const CompareTable& table) {
  std::string html = "<div class=\"scroll\"><table><tr>";
  const auto columns = compare_columns(table, Detail::kAll);
  for (std::size_t index = 0; index < columns.size(); ++index) {
    html += (index >= 2 && index != 3 ? "<th class=\"number\">" : "<th>") + html_text(columns[index].title) + "</th>";
  }
  html += "</tr>\n";
  for (const auto& row : compare_rows(table, Detail::kAll)) html += cells_html(row);
  return html + "</table></div>\n";
}

std::string reproduce_html(const std::string& command) {
  return command.empty() ? "" : "<br><code>" + html_text(command) + "</code>";
}

std::string recommendations_html(const CompareTable& table) {
  std::string html =
      "<h3>Recommended default</h3><div class=\"scroll\"><table><tr><th>piece</th><th>device</th><th>why, and how to measure it "
      "again</th></tr>\n";
  for (const CompareRow& row : table.rows) {
    html += "<tr><td>" + html_text(row.name) + "</td><td>" +
            html_text(!row.recommended_device.empty() ? row.recommended_device
                      : row.graph.empty()             ? "none"
                                                      : "none yet") +
            "</td><td class=\"reason\">" + html_text(row.reason) + reproduce_html(reproducing_command(table, row)) + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

std::string covered_text(const CompareTable& table) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f%% of the operators read", 100 * table.covered_share);
  return text;
}

std::string drawbacks_html(Drawbacks drawbacks) {
  return drawbacks.empty() ? "" : html_text(drawback_note(drawbacks)) + "<br>";
}

// The lines of a note, one below the other.
std::string note_html(const std::string& note) {
  std::string html;
  for (std::size_t begin = 0; begin < note.size();) {
    const std::size_t end = std::min(note.find('\n', begin), note.size());
    html += html_text(note.substr(begin, end - begin)) + "<br>";
    begin = end + 1;
  }
  return html;
}

std::string model_html(const CompareTable& table) {
  std::string html = "<h2>" + html_text(title_text(table)) + "</h2>\n";
  if (!table.unchecked.empty()) html += "<p>" + html_text(unchecked_text(table)) + "</p>\n";
  if (table.covered_share < 1) html += "<p>" + html_text(covered_text(table)) + "; the rest is not measured.</p>\n";
  const std::string counts = engine::counts_words(engine::count_figures(table));
  if (!counts.empty()) html += "<p>" + html_text(counts) + "</p>\n";
  const BarChart chart(table);
  if (!chart.empty()) html += chart.svg();
  html += table_html(table) + "<p>" + drawbacks_html(shown_drawbacks(table)) +
          note_html(disturbed_note(table) + gain_note(table) + withheld_note(table));
  for (const auto& total : table.totals) html += html_text(total_text(total)) + "<br>";
  if (!table.whole_models.empty()) html += "</p>\n<p>" + html_text(engine::whole_models_title(table)) + "<br>";
  for (const auto& whole : table.whole_models) html += html_text(whole_model_text(whole)) + "<br>";
  return html + "</p>\n" + recommendations_html(table);
}

}  // namespace

std::string report_html(const ReportHeading& heading, const std::vector<CompareTable>& tables) {
  std::string html = std::string(kReportStart) + "<title>Fuselab report</title><style>\n";
  html += reports::page_style();
  html += "</style></head><body>\n<h1>Fuselab report</h1>\n<p class=\"facts\">" + html_text(heading.when) + "<br>Database " +
          html_text(heading.database) + "<br>Mode: " + html_text(heading.mode);
  for (const std::string& device : heading.devices) html += "<br>" + html_text(device);
  html += "</p>\n";
  if (tables.empty()) html += "<p>Nothing was measured yet; <code>fuselab run</code> measures.</p>\n";
  for (const CompareTable& table : tables) html += model_html(table);
  return html + "</body></html>\n";
}

}  // namespace fuselab::cli
