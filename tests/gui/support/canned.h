// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/store/result_store.h"

// Made-up views for tests of the windows: every state a cell, a trial or a backend can be in. Deterministic.
namespace fuselab::gui::test {

inline constexpr const char* kWarmMetric = "metric-warm";
inline constexpr const char* kColdMetric = "metric-cold";

std::vector<BackendReport> canned_backends();
// Two devices; pieces that win, lose, show no difference, are pending and have failed.
engine::CompareTable canned_table();
// The same with a withheld figure, disturbed ones, a gain of several processes and a total that is completed elsewhere.
engine::CompareTable canned_doubtful_table();
engine::CompareCell unmeasured_cell(const std::string& device);
Catalog canned_catalog();
// Trial number `index`, counted from the newest; the same index always gives the same row.
TrialRow canned_row(std::int64_t index);
TrialRecord canned_record(const TrialRow& row);
// A model of `blocks` residual blocks, fused in groups, with reasons on the edges between them.
engine::GraphView canned_graph(int blocks);

}  // namespace fuselab::gui::test
