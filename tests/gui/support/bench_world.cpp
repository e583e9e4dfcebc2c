// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/bench_world.h"

#include <QApplication>
#include <QTest>

#include "app/engine/subject/subject.h"
#include "db/database.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab::gui::test {

BenchWorld::BenchWorld(const std::filesystem::path& folder)
    : config_(engine::config_from_environment(QCoreApplication::applicationFilePath().toStdString())) {
  config_.database = folder / "bench.db";
  config_.model_directory = folder / "models";
  config_.cache_directory = folder / "cache";
  config_.key_directory = folder / "keys";
}

Result<std::unique_ptr<BenchWorld>> BenchWorld::make(const std::filesystem::path& folder, std::int64_t trials,
                                                     const std::filesystem::path& run) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::kIo, "cannot create " + folder.string() + ": " + failed.message()};
  auto world = std::unique_ptr<BenchWorld>(new BenchWorld(folder));
  const bool copied = !run.empty() && std::filesystem::copy_file(run, world->config_.database,
                                                                 std::filesystem::copy_options::skip_existing, failed);
  if (failed) return Error{ErrorCode::kIo, "cannot copy " + run.string() + ": " + failed.message()};
  if (trials > 0) FL_TRY_VOID(world->fill(trials, copied));
  return world;
}

Status BenchWorld::fill(std::int64_t trials, bool on_top) const {
  const auto trust = std::make_shared<db::Trust>(config_.key_directory);
  FL_TRY(const auto database, db::Database::open(config_.database, db::Access::kWrite, trust));
  TrialFilter all;
  all.include_synthetic = true;
  FL_TRY(const std::int64_t stored, database->queries().count_trials(all));
  if (stored >= trials) return {};
  if (stored > 0 && !on_top)
    return Error{ErrorCode::kInvalidArgument, config_.database.string() + " holds other trials: choose another folder"};
  testing::SyntheticTrials world;
  world.count = trials;
  world.pieces = 60;
  world.synthetic_share = 0;  // the filters that a user starts with show them all
  return testing::fill_with_synthetic_trials(database->store(), world);
}

std::unique_ptr<MainWindow> BenchWorld::window(PageId page, engine::JobSpec spec) {
  settings_.push_back(std::make_unique<Settings>(scratch_.filePath(QStringLiteral("settings%1.ini").arg(windows_++))));
  MainWindow::Options options;
  options.database = QString::fromStdString(config_.database.string());
  options.default_spec = std::move(spec);
  options.subjects = engine::default_subjects();
  auto window = std::make_unique<MainWindow>([config = config_] { return engine::Engine::open(config); }, *settings_.back(),
                                             std::move(options));
  window->show_page(page);
  window->resize(1280, 800);
  return window;
}

bool wait_until_settled(const MainWindow& window) {
  constexpr int kPatience = 60'000;
  const auto calm = [&window] { return window.is_settled(); };
  if (!QTest::qWaitFor(calm, kPatience)) return false;
  QApplication::processEvents();  // what the answers caused
  return QTest::qWaitFor(calm, kPatience);
}

}  // namespace fuselab::gui::test
