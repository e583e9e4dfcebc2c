// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/job_screen.h"

#include <algorithm>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/jobs/job_progress.h"
#include "app/cli/output/jobs/run_summary.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"

namespace fuselab::cli {
namespace {

using engine::CompareTable;
using engine::ModelTotal;

constexpr std::chrono::milliseconds kBetweenPaintings{200};
constexpr int kLeastModels = 1;

// The device with figures of most pieces, and among equals the fastest.
const ModelTotal* best_device(const CompareTable& table) {
  const ModelTotal* best = nullptr;
  for (const ModelTotal& total : table.totals) {
    if (total.device_id == engine::kBestMix || total.measured_pieces == 0 || total.fused_ns <= 0) continue;
    const bool covers_more = best == nullptr || total.measured_pieces > best->measured_pieces;
    const bool is_faster = best != nullptr && total.measured_pieces == best->measured_pieces && total.fused_ns < best->fused_ns;
    if (covers_more || is_faster) best = &total;
  }
  return best;
}

std::vector<std::string> row_of(const CompareTable& table, int columns) {
  const ModelTotal* const mix = best_mix(table);
  const ModelTotal* const device = best_device(table);
  const std::string pieces = formatted("%d/%zu", mix == nullptr ? 0 : mix->measured_pieces, table.rows.size());
  const bool timed = mix != nullptr && mix->fused_ns > 0;
  return {clipped(title_text(table), std::max(12, columns / 3)),
          pieces,
          device == nullptr ? "…" : plain_line(device->device_id),
          timed ? format_duration({mix->fused_ns}) : "…",
          timed && mix->unfused_ns > 0 ? formatted("%.2fx", mix->unfused_ns / mix->fused_ns) : "…",
          timed && mix->ideal_ns > 0 ? formatted("%.0f%%", 100 * mix->ideal_ns / mix->fused_ns) : "…"};
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Returns the heading and a line for each of the first `most` models.
std::vector<std::string> model_lines(const std::vector<CompareTable>& tables, std::size_t most, int columns) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t index = 0; index < std::min(tables.size(), most); ++index) rows.push_back(row_of(tables[index], columns));
  if (rows.empty()) return {};
  const std::vector<Column> titles = {{"model"},
                                      {"pieces", Align::kRight},
                                      {"best device"},
                                      {"best mix", Align::kRight},
                                      {"gain", Align::kRight},
                                      {"of ceiling", Align::kRight}};
  std::vector<std::string> lines = split_lines(render_table(titles, rows, Terminal()));
  lines.erase(lines.begin() + 1);  // the rule costs a line
  if (tables.size() > most) lines.push_back(formatted("and %zu more", tables.size() - most));
  return lines;
}

}  // namespace

void keep_newest(std::vector<CompareTable>& tables, const CompareTable& changed) {
  const auto known = std::find_if(tables.begin(), tables.end(), [&](const CompareTable& table) {
    return table.model == changed.model && table.question() == changed.question();
  });
  if (known == tables.end())
    tables.push_back(changed);
  else
    *known = changed;
}

std::vector<std::string> screen_lines(const std::vector<CompareTable>& tables, const std::vector<std::string>& doing,
                                      const Terminal& terminal) {
  // Besides models: the heading, the line of those left out, and the line that the cursor is in.
  const int room = std::max(kLeastModels, terminal.rows - 3 - static_cast<int>(doing.size()));
  std::vector<std::string> lines = model_lines(tables, static_cast<std::size_t>(room), terminal.columns);
  lines.insert(lines.end(), doing.begin(), doing.end());
  for (std::string& line : lines) line = clipped(line, terminal.columns);
  return lines;
}

void JobScreen::take(const CompareTable& table) {
  keep_newest(tables_, table);
}

void JobScreen::take(const engine::JobProgress& progress) {
  if (progress.state == engine::JobState::kRunning && !progress.activity.empty()) progress_ = progress;
}

std::vector<std::string> JobScreen::doing(Clock::time_point now) const {
  if (progress_.activity.empty()) return {};
  std::vector<std::string> lines = {progress_text(progress_)};
  if (!budget_seconds_) return lines;
  const double left = *budget_seconds_ - std::chrono::duration<double>(now - started_).count();
  lines.push_back("whole job: " + (left > 0 ? "about " + time_left(left) : "its time is over, it ends with this") +
                  "; Ctrl-C keeps what was measured");
  return lines;
}

std::string JobScreen::painting(Clock::time_point now) {
  if (painted_ && now - *painted_ < kBetweenPaintings) return "";
  const Terminal terminal = terminal_();
  const std::vector<std::string> lines = screen_lines(tables_, doing(now), terminal);
  if (lines.empty() || (lines == lines_ && columns_ == terminal.columns)) return "";
  // After a change of width the old lines are broken elsewhere, so nobody knows where they begin.
  std::string text = columns_ == terminal.columns ? "" : "\r\x1b[J";
  if (text.empty() && !lines_.empty()) text = formatted("\x1b[%zuA", lines_.size());
  for (const std::string& line : lines) text += "\r\x1b[2K" + line + "\n";
  if (lines.size() < lines_.size()) text += "\x1b[J";
  lines_ = lines;
  columns_ = terminal.columns;
  painted_ = now;
  return text;
}

std::string JobScreen::erasing() {
  if (lines_.empty()) return "";
  const std::string text = formatted("\x1b[%zuA\r\x1b[J", lines_.size());
  lines_.clear();
  return text;
}

}  // namespace fuselab::cli
