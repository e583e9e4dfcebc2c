// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "app/gui/link/current_model.h"
#include "app/gui/pages/page_id.h"

class QMenu;

namespace fuselab::gui {

class Snapshots;

// What a mark of a page stands for: a row, a dot, a bar, a case. What it does not know is empty.
struct Handed {
  QString model, binding;  // as a job takes them: "resnet50", "batch=8"
  QString dtype;           // of a built-in model
  QString piece_key, piece;
  QString graph;        // the piece as a text, which is a subject by itself
  QString device;       // "cpu:0": of a mark that belongs to one device
  QString trial;        // the id of a stored trial
  QString run;          // the id of a stored run
  QString level;        // "O3": of a model that was cut at that level
  bool source = false;  // the page is to show the source of the trial

  bool operator==(const Handed&) const = default;
};

// One way on from a mark: a page with what it is to show there, and the command that does the same.
struct WayOn {
  QString name;  // of its action: "tune-piece"
  QString text;
  PageId page = PageId::kCompare;
  Handed handed;
  std::string command;  // empty: no command does the same
};

// Returns the ways on that make sense for a mark of the page `from`.
std::vector<WayOn> ways_on(const Handed& handed, PageId from, const engine::Config& config);

// Adds the ways on to a menu, then "Copy as command", which has an entry for each that has a command. `own_command` is what the
// page itself does; empty: nothing. Actions are named "handover.<name>" and "copy.<name>".
void add_ways_on(QMenu& menu, const std::vector<WayOn>& ways, const std::string& own_command,
                 const std::function<void(const WayOn&)>& go, const std::function<void(const std::string&)>& copy);

// Returns what is stored of a piece: its name, its graph and a model that has it.
Handed stored_piece(const Snapshots& views, const CurrentModel& models, const std::string& piece_key);

// Returns what a case of the gate measures, "w5-softmax rows=128,cols=1024 f32".
Handed gated_subject(const std::string& subject, const std::string& device);

}  // namespace fuselab::gui
