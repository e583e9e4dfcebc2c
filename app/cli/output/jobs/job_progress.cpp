// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/job_progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/plain_text.h"

namespace fuselab::cli {

std::string time_left(double seconds) {
  const long whole = std::max(0L, std::lround(seconds));
  char text[48];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ld h %02ld min left", whole / 3600, whole % 3600 / 60);
  } else if (whole >= 60) {
    std::snprintf(text, sizeof text, "%ld min %02ld s left", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld s left", whole);
  }
  return text;
}

std::string progress_text(const engine::JobProgress& progress) {
  std::string text = progress.phase + " " + std::to_string(static_cast<int>(100 * progress.done)) + "%";
  if (progress.seconds_left) text += ", " + time_left(*progress.seconds_left);
  return plain_line(text + ": " + progress.activity + (progress.detail.empty() ? "" : ", " + progress.detail));
}

void JobProgressPrinter::show(const engine::Event& event) {
  if (const auto* progress = std::get_if<engine::JobProgress>(&event)) show_progress(*progress);
  if (const auto* table = std::get_if<engine::TableChanged>(&event); table != nullptr && screen_) screen_->take(table->table);
  if (const auto* line = std::get_if<engine::LogLine>(&event)) {
    if (quiet_ && line->level == engine::LogLine::Level::kInfo) return;
    clear();
    std::fprintf(stderr, "%s%s\n", line->level == engine::LogLine::Level::kInfo ? "" : "warning: ", plain_text(line->text).c_str());
  }
}

void JobProgressPrinter::clear() {
  if (line_open_) std::fputs("\r\x1b[2K", stderr);
  line_open_ = false;
  if (!screen_) return;
  std::fputs(screen_->erasing().c_str(), stdout);
  std::fflush(stdout);
}

void JobProgressPrinter::repaint() {
  if (!screen_ || quiet_) return;
  std::fputs(screen_->painting(JobScreen::Clock::now()).c_str(), stdout);
  std::fflush(stdout);
}

void JobProgressPrinter::show_progress(const engine::JobProgress& progress) {
  if (quiet_ || progress.state != engine::JobState::kRunning || progress.activity.empty()) return;
  if (screen_) return screen_->take(progress);
  const std::string line = progress_text(progress);
  if (terminal_.interactive) {
    std::fprintf(stderr, "\r\x1b[2K%s", clipped(line, terminal_.columns).c_str());
    std::fflush(stderr);
    line_open_ = true;
  } else if (progress.activity != last_activity_) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  last_activity_ = progress.activity;
}

}  // namespace fuselab::cli
