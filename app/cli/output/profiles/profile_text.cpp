// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/profiles/profile_text.h"

#include <algorithm>
#include <set>

#include "app/views/annotated_code.h"
#include "app/views/timeline_view.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

constexpr std::size_t kUsualLoops = 6, kUsualPlaces = 8;

// Titles that stand above numbers.
bool is_number(const std::string& title) {
  static const std::set<std::string> kNumbers = {
      "ceiling", "moved or done", "allows", "share of the time", "time",      "depth",   "instr.", "vector",   "FMA",   "loads",
      "stores",  "spills",        "cycles", "a launch",          "threads",   "a byte",  "saves",  "regs v/g", "value", "seen",
      "least",   "median",        "most",   "idle before",       "registers", "samples", "of all"};
  return kNumbers.count(title) != 0;
}

std::string table_text(const engine::WordTable& table, const Terminal& terminal) {
  if (table.rows.empty()) return {};
  std::vector<Column> columns;
  for (const std::string& title : table.titles) columns.push_back({title, is_number(title) ? Align::kRight : Align::kLeft});
  std::vector<std::vector<std::string>> cells = table.rows;
  for (auto& row : cells) {
    for (std::string& cell : row) cell = plain_line(cell);
  }
  return render_table(columns, cells, terminal);
}

std::string section(const Terminal& terminal, const std::string& title, const std::string& body) {
  return body.empty() ? std::string() : "\n" + terminal.bold(title) + "\n" + body;
}

// Breaks a paragraph into lines of the terminal's width.
std::string wrapped(const std::string& text, int columns) {
  const std::size_t width = static_cast<std::size_t>(std::clamp(columns, 40, 110)) - 2;
  std::string lines, line;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    start = end + 1;
  }
  return line.empty() ? lines : lines + "  " + line + "\n";
}

std::string head_text(const engine::ProfileView& view, const Terminal& terminal) {
  const Profile& profile = view.profile;
  std::string text = terminal.bold(plain_line(profile.piece) + " on " + plain_line(profile.device_id)) + " (" +
                     plain_line(profile.device) + ")\n  " + profile.plan + ": " + plain_line(profile.config) + "\n";
  const std::string measured = engine::measured_words(profile);
  if (profile.measured_by == "trial") text += "  measured: " + measured + ", trial " + plain_line(profile.trial_id) + "\n";
  if (profile.measured_by == "counters") text += "  no trial: launches beside the counters took " + measured + "\n";
  if (!profile.note.empty()) text += wrapped(plain_line(profile.note), terminal.columns);
  return text;
}

std::string code_text(const engine::ProfileView& view, bool all, const Terminal& terminal) {
  const Profile& profile = view.profile;
  if (!profile.code.why_not.empty()) return "  " + plain_line(profile.code.why_not) + "\n";
  std::string text = table_text(engine::loop_words(profile, all ? profile.code.loops.size() : kUsualLoops), terminal);
  if (text.empty()) text = "  no loop\n";
  if (profile.counters.hits.empty() && !profile.counters.why_no_hits.empty())
    text += "  time by loop is not known: " + plain_line(profile.counters.why_no_hits) + "\n";
  if (!profile.code.why_no_lines.empty()) text += "  no lines of the source: " + plain_line(profile.code.why_no_lines) + "\n";
  if (!profile.code.why_no_prediction.empty()) text += "  no cycles: " + plain_line(profile.code.why_no_prediction) + "\n";
  return text;
}

std::string cost_text(const CodeLine& code) {
  std::string text;
  if (code.latency > 0) text = formatted("   %.2f cycles, latency %d", code.cycles, code.latency);
  if (code.hits > 0) text += "   " + std::to_string(code.hits) + " samples";
  return text;
}

std::string source_text(const engine::ProfileView& view) {
  std::string text;
  const LoopReport* const hottest = view.profile.code.hottest();
  if (hottest != nullptr && !hottest->function.empty()) text += "  in " + plain_line(hottest->function) + ":\n";
  for (const engine::AnnotatedLine& line : engine::annotated_code(view)) {
    const std::string number = line.line > 0 ? std::to_string(line.line) : "?";
    text += "  " + number + ": " + plain_line(line.source) + "\n";
    for (const CodeLine& code : line.code) {
      char address[32];
      std::snprintf(address, sizeof address, "%8llx", static_cast<unsigned long long>(code.address));
      text += std::string(code.hits > 0 ? "  *" : "   ") + address + "  " + plain_line(code.text) + cost_text(code) + "\n";
    }
  }
  return text;
}

std::string split_text(const engine::ProfileView& view, const Terminal& terminal) {
  const SpeedupSplit& split = view.profile.split;
  if (!split.why_not.empty()) return "  " + plain_line(split.why_not) + "\n";
  return wrapped(plain_line(split.text), terminal.columns) + table_text(engine::split_words(view.profile), terminal);
}

std::string list_text(const std::vector<std::string>& lines, const Terminal& terminal) {
  std::string text;
  for (const std::string& line : lines) text += wrapped("- " + plain_line(line), terminal.columns);
  return text;
}

}  // namespace

std::string profile_text(const engine::ProfileView& view, bool all, const Terminal& terminal) {
  const Profile& profile = view.profile;
  std::string text = head_text(view, terminal);
  const std::string headline = engine::headline_words(profile);
  text += section(
      terminal, "Verdict",
      (headline.empty() ? "" : wrapped(headline, terminal.columns)) + wrapped(plain_line(profile.verdict.text), terminal.columns));
  std::string standing = table_text(engine::standing_words(profile), terminal);
  if (!profile.standing.why_no_levels.empty()) standing += "  " + plain_line(profile.standing.why_no_levels) + "\n";
  text += section(terminal, "Where it stands", standing);
  text += section(terminal, "Machine code", code_text(view, all, terminal));
  text += section(terminal, "Kernels, before they run",
                  table_text(engine::kernel_words(profile), terminal) + list_text(engine::kernel_lines(profile), terminal));
  if (all) text += section(terminal, "The hottest loop, line by line", source_text(view));
  std::string counters = profile.counters.rung.empty() ? std::string() : "  ladder: " + profile.counters.rung + "\n";
  for (const std::string& rung : profile.counters.passed_over) counters += "  not " + plain_line(rung) + "\n";
  text += section(
      terminal, "Counters",
      counters + table_text(engine::metric_words(profile), terminal) + list_text(engine::uncounted_words(profile), terminal));
  text += section(terminal, "On the device's own timeline",
                  table_text(engine::traced_words(profile), terminal) + list_text(engine::traced_lines(profile), terminal));
  text += section(terminal, "Counters over the time of a launch",
                  table_text(engine::series_words(profile), terminal) + list_text(engine::series_lines(profile), terminal));
  text += section(terminal, "Where warps are, and what they wait for",
                  table_text(engine::stall_words(profile, all ? profile.samples.places.size() : kUsualPlaces), terminal) +
                      list_text(engine::stall_lines(profile), terminal));
  text += section(terminal, "The same at other sizes and threads",
                  profile.sweep.why_not.empty() ? table_text(engine::sweep_words(profile), terminal)
                                                : "  " + plain_line(profile.sweep.why_not) + "\n");
  text += section(terminal, "What fusion gains, and why", split_text(view, terminal));
  text += section(terminal, "What to look at", list_text(profile.verdict.look_at, terminal));
  text += section(terminal, "Collectors", list_text(engine::collector_words(profile), terminal));
  if (!view.not_stored.empty()) text += "  not stored: " + plain_line(view.not_stored) + "\n";
  return text;
}

std::string profiles_text(const engine::ProfileView& a, const engine::ProfileView& b, const Terminal& terminal) {
  std::string text =
      head_text(a, terminal) + head_text(b, terminal) + "\n" + table_text(engine::compared_words(a.profile, b.profile), terminal);
  if (!a.profile.code.why_not.empty()) text += "  no machine code: " + plain_line(a.profile.code.why_not) + "\n";
  if (a.profile.trial_id.empty()) return text;  // compiled for a target: nothing ran
  text += section(terminal, "Verdict on " + a.profile.trial_id.substr(0, 8),
                  wrapped(plain_line(a.profile.verdict.text), terminal.columns));
  text += section(terminal, "Verdict on " + b.profile.trial_id.substr(0, 8),
                  wrapped(plain_line(b.profile.verdict.text), terminal.columns));
  return text;
}

}  // namespace fuselab::cli
