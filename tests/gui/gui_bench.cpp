// SPDX-License-Identifier: Apache-2.0
// gui_bench [--json]: how long a user waits, on the offscreen platform and a fake session with a million trials. Figures for
// people and for the release notes, never for ctest.
#include <QApplication>
#include <QElapsedTimer>
#include <QPushButton>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "app/gui/main_window.h"
#include "app/gui/pages/table_view.h"
#include "app/gui/plots/plot_canvas.h"
#include "tests/gui/support/fake_session.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;

constexpr int kRounds = 7;
constexpr std::int64_t kTrials = 1'000'000;

struct Figure {
  const char* name;
  double milliseconds;
  double target;
};

double median_of(const std::function<double()>& once) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) times.push_back(once());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double milliseconds_since(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

struct Bench {
  Bench() { script->trials = kTrials; }
  std::unique_ptr<MainWindow> make() {
    return std::make_unique<MainWindow>(test::fake_factory(script), settings, MainWindow::Options());
  }
  std::unique_ptr<MainWindow> open(PageId page) {
    auto window = make();
    window->show_page(page);
    window->resize(1280, 800);
    window->show();
    if (!QTest::qWaitFor([&window] { return window->is_settled(); }, 20000))
      std::fprintf(stderr, "the window did not come to rest\n");
    QApplication::processEvents();
    return window;
  }

  std::shared_ptr<test::SessionScript> script = std::make_shared<test::SessionScript>();
  QTemporaryDir folder;
  Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
};

double first_window() {
  Bench bench;
  QElapsedTimer clock;
  clock.start();
  auto const window = bench.make();
  window->show_page(PageId::kCompare);
  window->resize(1280, 800);
  window->show();
  window->repaint();
  return milliseconds_since(clock);
}

double open_results() {
  Bench bench;
  auto const window = bench.open(PageId::kCompare);
  QElapsedTimer clock;
  clock.start();
  window->show_page(PageId::kResults);
  auto const* table = window->findChild<TableView*>(QStringLiteral("results.table"));
  bool const filled = QTest::qWaitFor(
      [table] {
        return table->model()->rowCount() == kTrials && table->model()->index(0, 0).data().toString() != QStringLiteral("…");
      },
      20000);
  return filled ? milliseconds_since(clock) : -1;
}

double scroll_frame() {
  Bench bench;
  auto const window = bench.open(PageId::kResults);
  auto* table = window->findChild<TableView*>(QStringLiteral("results.table"));
  constexpr int kFrames = 120;
  QElapsedTimer clock;
  clock.start();
  for (int frame = 0; frame < kFrames; ++frame) {
    table->verticalScrollBar()->setValue(frame * 8191 % table->verticalScrollBar()->maximum());
    table->viewport()->repaint();
    QApplication::processEvents();
  }
  return milliseconds_since(clock) / kFrames;
}

double cancel_latency() {
  Bench bench;
  auto const window = bench.open(PageId::kTuning);
  window->bench().control.start_default();
  if (!QTest::qWaitFor([&window] { return window->bench().job.active(); }, 20000)) return -1;
  auto* cancel = window->findChild<QPushButton*>(QStringLiteral("tuning.cancel"));
  auto const pressed = std::chrono::steady_clock::now();
  QTest::mouseClick(cancel, Qt::LeftButton);
  return std::chrono::duration<double, std::milli>(bench.script->job->cancelled_at - pressed).count();
}

double paint_points(Mark mark) {
  PlotSpec spec;
  Series series{QStringLiteral("points"), mark, 0, {}, false, true};
  for (int i = 0; i < 100'000; ++i) series.points.push_back({double(i), double((i * 7919LL) % 10007), kNoValue, kNoValue, {}, {}});
  spec.series.push_back(std::move(series));
  PlotCanvas canvas;
  canvas.resize(1200, 800);
  canvas.set_spec(std::move(spec));
  canvas.show();
  QApplication::processEvents();
  QElapsedTimer clock;
  clock.start();
  canvas.pan({1, 0});
  canvas.repaint();
  return milliseconds_since(clock);
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  apply_theme(application, ThemeChoice::kLight);
  bool const json = QCoreApplication::arguments().contains(QStringLiteral("--json"));
  const Figure figures[] = {{"first_window", median_of(first_window), 500},
                            {"open_million_trials", median_of(open_results), 1000},
                            {"scroll_frame", median_of(scroll_frame), 16},
                            {"cancel", median_of(cancel_latency), 100},
                            {"paint_100k_points", median_of([] { return paint_points(Mark::kPoints); }), 16},
                            {"paint_100k_line", median_of([] { return paint_points(Mark::kLine); }), 16}};
  if (json) std::puts("[");
  for (const Figure& figure : figures) {
    bool const last = &figure == std::end(figures) - 1;
    if (json) {
      std::printf("  {\"name\": \"%s\", \"milliseconds\": %.3f, \"target\": %.0f, \"rounds\": %d}%s\n", figure.name,
                  figure.milliseconds, figure.target, kRounds, last ? "" : ",");
    } else {
      std::printf("%-22s %9.3f ms   (target %.0f ms)\n", figure.name, figure.milliseconds, figure.target);
    }
  }
  if (json) std::puts("]");
  return 0;
}
