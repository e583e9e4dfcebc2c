// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "app/gui/link/current_model.h"
#include "app/gui/link/job_bridge.h"
#include "app/views/snapshots.h"

// What the page takes from a table while the user has not chosen: pieces, device, cell. Pure functions.
namespace fuselab::gui {

// Returns "bert-layer (batch=1,seq=128), f32, O2".
QString title_of_table(const engine::CompareTable& table);

// Returns the place of the choice's table; -1: nothing is stored of that model. A file stands in the list by its name. What was
// measured of the model at other extents is better than another model's figures.
int table_of(const TableList& tables, const ModelChoice& choice);

// Returns the pieces that the bars show while nothing is chosen: those with most to be won, as many as stay readable, without
// those too small to see.
std::vector<std::string> weighty_pieces(const engine::CompareTable& table);

// Returns whether the device has a figure of any piece.
bool has_figure(const engine::CompareTable& table, const std::string& device);

// Returns the device that the bars open on: where the piece is best run that weighs most; else one that was measured.
std::string device_to_show(const engine::CompareTable& table, const std::vector<std::string>& devices);

// Returns the cell that decides about a piece: the one on its recommended device, else the one that says most.
const engine::CompareCell* decisive_cell(const engine::CompareRow& row);

// Counts each piece of a table once, by its outcome.
struct PieceCounts {
  int wins = 0, losses = 0, even = 0, single = 0, open = 0, failed = 0, excluded = 0;

  void add(const engine::CompareCell* cell);
};

}  // namespace fuselab::gui
