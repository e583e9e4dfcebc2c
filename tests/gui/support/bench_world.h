// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <memory>

#include "app/engine/job/engine.h"
#include "app/gui/link/settings.h"
#include "app/gui/shell/main_window.h"

namespace fuselab::gui::test {

// A user's world of its own: the real engine, a real database with any number of made-up trials, settings of a first start.
class BenchWorld {
 public:
  // Everything lies in `folder`; a database with as many trials that is there already is used again. 0: as it is.
  // `run`: a database that is copied there first; the made-up trials come on top of what it holds.
  static Result<std::unique_ptr<BenchWorld>> make(const std::filesystem::path& folder, std::int64_t trials,
                                                  const std::filesystem::path& run = {});

  const engine::Config& config() const { return config_; }
  // Built as the program builds it, not yet shown: page and size as on a first start.
  std::unique_ptr<MainWindow> window(PageId page, engine::JobSpec spec = {});

 private:
  explicit BenchWorld(const std::filesystem::path& folder);
  Status fill(std::int64_t trials, bool on_top) const;

  engine::Config config_;
  QTemporaryDir scratch_;
  int windows_ = 0;
  std::vector<std::unique_ptr<Settings>> settings_;
};

// Runs the event loop until the window has fetched and shown what it was going to show. False after 60 s.
bool wait_until_settled(const MainWindow& window);

}  // namespace fuselab::gui::test
