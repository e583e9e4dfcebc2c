// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "app/views/snapshots.h"

namespace fuselab::cli {

inline constexpr int kMostSummaryLines = 40;

// Returns the total of the model's best mix; null while it has no piece.
const engine::ModelTotal* best_mix(const engine::CompareTable& table);

// Returns whether each piece that can be measured has a figure on some device, or failed on all.
bool is_whole(const engine::CompareTable& table);

// Returns a line per model: "resnet50 (batch=1), f32, O2: 27 pieces, best mix 12.3 ms (cpu:0 20, onednn:0 7)".
std::string models_text(const std::vector<engine::CompareTable>& tables, const Terminal& terminal);

// Returns a heading for the tables that a job has early, and models_text(). The heading says whether anything is tuned yet: a
// second job begins with what the first one stored.
std::string early_text(const std::vector<engine::CompareTable>& tables, const Terminal& terminal);

// The words of a command line that those which follow it repeat, so that they ask for the same figures.
struct Typed {
  std::vector<std::string> subjects;
  bool with_shape = false;  // then the shape of each model is named
  std::string question;     // " --dtype f16 --level O0"
  std::string mode;         // " --mode cold"; for verbs that take it
  std::string where;        // " --db results.db"
};

// Returns the end of a run in at most kMostSummaryLines lines. Per model it says how the best mix compares with each device that
// runs all of the model, the three largest gains that are certain, the largest headroom, and then what may be typed next. Many
// models have a line each, or are counted.
std::string run_summary(const std::vector<engine::CompareTable>& tables, const Typed& typed, const Terminal& terminal);

}  // namespace fuselab::cli
