// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QStringList>
#include <optional>

#include "app/engine/job/engine.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "core/base/result.h"

namespace fuselab::gui {

// What the program was asked on its command line.
struct Options {
  QString database;  // empty: the user's own
  bool run = false;
  bool read_only = false;
  bool synthetic = false;
  bool check_display = false;  // say whether a window can be shown, and exit
  std::optional<PageId> page;
  std::optional<ThemeChoice> theme;
  QStringList history_files;    // runs of the gate for History
  QStringList other_databases;  // whose runs Diff offers, too
  QString screenshot;           // render a page to this PNG and exit
  QSize size{1280, 800};
  bool size_given = false;  // else a window opens as it was closed
  engine::JobSpec job;      // of the main job: the same options as `fuselab run` takes
  QString information;      // --help or --version: print and exit
};

// With which code the program ends when its database could not be opened: as `fuselab compare` does on the same.
int exit_code_of_unopened(ErrorCode code);

// Whether the job could be about its subjects at their extents; reads files, measures nothing. What devices there are is not known
// yet.
Status check_subjects(const engine::JobSpec& job);

// A picture shows what is stored: it makes no database, and one that is not there is a failure. Pages whose row says so need none.
bool shows_stored(const Options& options, PageId page);

// kInvalidArgument with a sentence for the user; `arguments` begin with the program.
Result<Options> parse_options(const QStringList& arguments);

}  // namespace fuselab::gui
