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

// The options given on the command line.
struct Options {
  QString database;  // empty: the user's own
  bool run = false;
  bool read_only = false;
  bool synthetic = false;
  bool check_display = false;  // report whether a window can be shown, and exit
  std::optional<PageId> page;
  std::optional<ThemeChoice> theme;
  QStringList history_files;    // runs of the gate for History
  QStringList other_databases;  // databases whose runs Diff offers, too
  QString screenshot;           // render a page to this PNG and exit
  QSize size{1280, 800};
  bool size_given = false;  // if not, a window opens as it was closed
  engine::JobSpec job;      // of the main job: the same options as `fuselab run` takes
  QString information;      // --help or --version: print and exit
};

// Returns the exit code for a database that could not be opened, the same as that of `fuselab compare`.
int exit_code_of_unopened(ErrorCode code);

// Checks the job's subjects with their extents; reads files, measures nothing. The devices are not checked, since they are not
// known yet.
Status check_subjects(const engine::JobSpec& job);

// Returns whether the picture of a page shows stored results, and so needs an existing database. Pages whose row says so need none.
bool shows_stored(const Options& options, PageId page);

// Returns the key that the page is opened with: the first subject, where the page shows one; empty elsewhere.
QString key_of_subject(const Options& options, PageId page);

// Parses the arguments, which begin with the program. Fails with kInvalidArgument and a sentence for the user.
Result<Options> parse_options(const QStringList& arguments);

}  // namespace fuselab::gui
