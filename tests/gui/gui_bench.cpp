// SPDX-License-Identifier: Apache-2.0
// gui_bench [--json] [--folder DIR] [--db FILE] [--trials N] [--rounds N] [--only NAME]… [--causes]: how long a user waits, on the
// real engine and a database of a million trials, on the offscreen platform. Figures for people and for the release notes, never
// for ctest. With --folder the database is kept there and used again; 60 to 90 s to fill otherwise. --db names a database of
// `fuselab run`, which is copied, and whose comparison is shown beside the made-up trials; --trials 0 adds none. --only measures
// these alone. --causes says which events the long frames of a search were spent on.
#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QThread>
#include <cstdio>
#include <functional>

#include "app/gui/look/figures.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/pages/results/results_page.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "core/base/random.h"
#include "core/base/version.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"
#include "core/stats/statistics.h"
#include "tests/gui/support/bench_world.h"
#include "tests/gui/support/frame_causes.h"

namespace {

using namespace fuselab;
using namespace fuselab::gui;
using test::BenchWorld;
using test::FrameCauses;

using Samples = std::vector<double>;  // milliseconds

struct Measurement {
  const char* name;
  const char* what;
  double target;
  // What must hold the target: the median of repeated waits, the slowest hundredth of frames.
  bool frames = false;
  Samples samples;
  QJsonObject more;

  double judged() const {
    const Summary summary = summarize(samples);
    return frames ? summary.p99 : summary.median;
  }
};

double milliseconds_since(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

// --- First window: in a process of its own, from the moment before it is started to the end of its first painting. ---

constexpr const char* kChildFlag = "--first-window-of";

int first_window_child(const QString& folder) {
  auto world = BenchWorld::make(folder.toStdString(), 0);
  if (!world.ok()) return 1;
  const auto window = world.value()->window(PageId::kCompare);
  window->show();
  window->repaint();
  std::printf("%.0f\n", platform::monotonic_now().count);
  return 0;
}

double first_window(const QString& folder) {
  QProcess child;
  const double before = platform::monotonic_now().count;
  child.start(QCoreApplication::applicationFilePath(), {QLatin1String(kChildFlag), folder});
  if (!child.waitForFinished(60'000)) return -1;
  return (child.readAllStandardOutput().trimmed().toDouble() - before) * 1e-6;
}

// --- A million trials ---

bool shows_figures(const TableView& table) {
  return table.model()->rowCount() > 0 && table.model()->index(0, 0).data().toString() != kPendingText;
}

double open_results(BenchWorld& world) {
  const auto window = world.window(PageId::kCompare);
  window->show();
  if (!test::wait_until_settled(*window)) return -1;
  QElapsedTimer clock;
  clock.start();
  window->show_page(PageId::kResults);
  const auto* table = window->findChild<TableView*>(QStringLiteral("results.table"));
  if (!QTest::qWaitFor([table] { return shows_figures(*table); }, 60'000)) return -1;
  table->viewport()->repaint();
  return milliseconds_since(clock);
}

// From building the window to the first figures of Compare.
double fill_compare(BenchWorld& world) {
  QElapsedTimer clock;
  clock.start();
  const auto window = world.window(PageId::kCompare);
  window->show();
  const auto* table = window->findChild<TableView*>(QStringLiteral("compare.table"));
  if (!QTest::qWaitFor([table] { return table->isVisible() && shows_figures(*table); }, 60'000)) return -1;
  table->viewport()->repaint();
  return milliseconds_since(clock);
}

// From choosing a page that was shown before to its painting.
Samples switch_pages(BenchWorld& world, int rounds) {
  const auto window = world.window(PageId::kCompare);
  window->show();
  Samples waits;
  for (int round = 0; round <= rounds; ++round) {
    for (const PageId page : kAllPages) {
      QElapsedTimer clock;
      clock.start();
      window->show_page(page);
      QApplication::processEvents();
      if (round > 0) waits.push_back(milliseconds_since(clock));
      if (!test::wait_until_settled(*window)) return {};
    }
  }
  return waits;
}

class PaintCounter : public QObject {
 public:
  explicit PaintCounter(QObject* widget) { widget->installEventFilter(this); }
  int count() const { return count_; }

 protected:
  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++count_;
    return false;
  }

 private:
  int count_ = 0;
};

// One frame every 16.7 ms, as a display asks for them. The time of a frame is all that the GUI's thread works for it: moving,
// painting, taking in the pages that arrived since the frame before.
struct Scroll {
  Samples frames;
  int pending = 0;  // frames with at least one row that had not arrived
  int paints = 0;
  std::int64_t pages = 0;
};

Scroll scroll(BenchWorld& world, int frames, const std::function<int(int frame, int last)>& position) {
  constexpr double kFrame = 1000.0 / 60;
  const auto window = world.window(PageId::kResults);
  window->show();
  auto* table = window->findChild<TableView*>(QStringLiteral("results.table"));
  Scroll result;
  if (!QTest::qWaitFor([table] { return shows_figures(*table); }, 60'000) || !test::wait_until_settled(*window)) return result;
  const ResultModel* model = static_cast<ResultsPage*>(window->page(PageId::kResults))->model();
  QScrollBar* bar = table->verticalScrollBar();
  const std::int64_t pages_before = model->pages_requested();
  const PaintCounter painted(table->viewport());
  for (int frame = 0; frame < frames; ++frame) {
    QElapsedTimer clock;
    clock.start();
    bar->setValue(position(frame, bar->maximum()));
    QApplication::processEvents();  // takes in the pages that arrived, and paints
    result.frames.push_back(milliseconds_since(clock));
    if (model->row(table->rowAt(0)) == nullptr || model->row(bar->value() + bar->pageStep() - 1) == nullptr) ++result.pending;
    const double left = kFrame - milliseconds_since(clock);
    if (left > 0) QThread::usleep(static_cast<unsigned long>(left * 1000));
  }
  result.paints = painted.count();
  result.pages = model->pages_requested() - pages_before;
  return result;
}

Measurement scroll_measurement(const char* name, const char* what, BenchWorld& world, int frames,
                               const std::function<int(int, int)>& position) {
  Scroll scrolled = scroll(world, frames, position);
  const QJsonObject more{{QStringLiteral("paints"), scrolled.paints},
                         {QStringLiteral("pages"), static_cast<qint64>(scrolled.pages)},
                         {QStringLiteral("frames_with_rows_pending"), scrolled.pending}};
  return {name, what, 16, true, std::move(scrolled.frames), more};
}

// --- Cancelling a running job on the null device: from the click to the window knowing that the job is cancelled. ---

double cancel_job(MainWindow& window, SeededRandom& random) {
  JobBridge& job = window.bench().job;
  int trials = 0;
  const auto count = QObject::connect(&job, &JobBridge::trials_finished,
                                      [&trials](const TrialBatch& batch) { trials += static_cast<int>(batch->size()); });
  window.bench().control.start_default();
  const bool running = QTest::qWaitFor([&] { return job.active() && trials > 0; }, 60'000);
  QObject::disconnect(count);
  if (!running) return -1;
  QTest::qWait(static_cast<int>(random.below(150)));
  auto* cancel = window.findChild<QPushButton*>(QStringLiteral("tuning.cancel"));
  if (!job.active()) return -1;  // it was faster than we were
  std::optional<engine::JobState> state;
  const auto end = QObject::connect(&job, &JobBridge::ended, [&state](engine::JobState with) { state = with; });
  QElapsedTimer clock;
  clock.start();
  QTest::mouseClick(cancel, Qt::LeftButton);
  const bool ended = QTest::qWaitFor([&] { return state.has_value(); }, 60'000);
  const double waited = milliseconds_since(clock);
  QObject::disconnect(end);
  return ended && state == engine::JobState::kCancelled ? waited : -1;
}

engine::JobSpec null_job() {
  engine::JobSpec spec;
  spec.verb = engine::JobSpec::Verb::kTune;
  spec.command = "gui_bench";
  spec.subjects = {"w1", "w3", "w4", "w5", "w6"};
  spec.bindings = {"rows=64,cols=256"};
  spec.devices.only = {"null:0"};
  spec.strategy = "random";
  spec.remeasure = true;
  return spec;
}

// Each sixtieth of a second while trials arrive: from the wall clock, and what the GUI's thread computed itself. They differ where
// the job's workers take the cores.
struct Frames {
  Samples wall, own;
};

// `every_page`: all of them were looked at before the job, as in a window that has been used for a while.
Frames frames_of_a_search(BenchWorld& world, int frames, FrameCauses& application, double worth, bool every_page) {
  const auto window = world.window(PageId::kTuning, null_job());
  window->show();
  Frames worked;
  if (!test::wait_until_settled(*window)) return worked;
  for (const PageId page : kAllPages) {
    if (every_page) window->show_page(page);
  }
  window->show_page(PageId::kTuning);
  if (!test::wait_until_settled(*window)) return worked;
  JobBridge& job = window->bench().job;
  while (static_cast<int>(worked.wall.size()) < frames) {
    if (!job.active()) window->bench().control.start_default();
    QElapsedTimer clock;
    clock.start();
    application.begin();
    QApplication::processEvents();
    const double own = application.end(worth);
    const double took = milliseconds_since(clock);
    if (job.active()) {
      worked.wall.push_back(took);
      worked.own.push_back(own);
    }
    QThread::usleep(static_cast<unsigned long>(std::max(0.0, 1000.0 / 60 - took) * 1000));
  }
  job.cancel();
  return QTest::qWaitFor([&job] { return !job.active(); }, 60'000) ? worked : Frames();
}

Samples cancel_jobs(BenchWorld& world, int rounds) {
  const auto window = world.window(PageId::kTuning, null_job());
  window->show();
  Samples waits;
  if (!test::wait_until_settled(*window)) return waits;
  SeededRandom random(20261121);
  for (int attempt = 0; attempt < 3 * rounds && static_cast<int>(waits.size()) < rounds; ++attempt) {
    const double waited = cancel_job(*window, random);
    if (waited >= 0) waits.push_back(waited);
    if (!QTest::qWaitFor([&] { return !window->bench().job.active() && window->is_settled(); }, 60'000)) break;
  }
  return waits;
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

Samples repeat(int rounds, const std::function<double()>& once) {
  Samples samples;
  for (int round = 0; round < rounds; ++round) samples.push_back(once());
  return samples;
}

Measurement wait_of(const char* name, const char* what, double target, Samples samples) {
  return {name, what, target, false, std::move(samples), {}};
}

struct Choices {
  QString folder;
  int rounds = 11;
  bool has_run = false, causes = false;
  qlonglong trials = 0;
  QStringList only;  // empty: all

  bool wants(const char* name) const { return only.isEmpty() || only.contains(QLatin1String(name)); }
};

void measure_search(std::vector<Measurement>& all, BenchWorld& world, FrameCauses& application, bool causes) {
  constexpr double kLong = 4;  // milliseconds; half of what a frame may take
  Frames frames = frames_of_a_search(world, 600, application, kLong, false);
  all.push_back({"search_frame", "a frame while the trials of a null job arrive", 8, true, std::move(frames.wall), {}});
  all.push_back({"search_frame_own", "of it, what the window's thread computed", 8, true, std::move(frames.own), {}});
  if (causes) application.print("search_frame");
  frames = frames_of_a_search(world, 600, application, kLong, true);
  all.push_back({"used_frame", "the same where every page was looked at before", 8, true, std::move(frames.wall), {}});
  all.push_back({"used_frame_own", "of it, what the window's thread computed", 8, true, std::move(frames.own), {}});
  if (causes) application.print("used_frame");
}

void measure_stored(std::vector<Measurement>& all, BenchWorld& world, const Choices& choices) {
  const int rounds = choices.rounds;
  if (choices.has_run && choices.wants("fill_compare"))
    all.push_back(wait_of("fill_compare", "from building the window to the first figures of Compare",
                          choices.trials < 100'000 ? 300 : 1000, repeat(rounds, [&] { return fill_compare(world); })));
  if (choices.wants("switch_page"))
    all.push_back(
        {"switch_page", "from choosing a page that was shown before to its painting", 50, true, switch_pages(world, rounds), {}});
  if (choices.trials <= 0) return;
  if (choices.wants("open_results"))
    all.push_back(wait_of("open_results", "from choosing Results to its first rows painted", 1000,
                          repeat(rounds, [&] { return open_results(world); })));
  if (choices.wants("scroll_steady"))
    all.push_back(scroll_measurement("scroll_steady", "40 rows a frame, 60 frames a second", world, 1500,
                                     [](int frame, int /*last*/) { return frame * 40; }));
  if (choices.wants("scroll_drag"))
    all.push_back(
        scroll_measurement("scroll_drag", "the scroll bar dragged over all rows in 10 s", world, 600,
                           [](int frame, int last) { return static_cast<int>(static_cast<std::int64_t>(last) * frame / 599); }));
}

std::vector<Measurement> measure_all(BenchWorld& world, FrameCauses& application, const Choices& choices) {
  std::vector<Measurement> all;
  if (choices.wants("first_window"))
    all.push_back(wait_of("first_window", "from starting the process to the end of the first painting", 100,
                          repeat(choices.rounds, [&] { return first_window(choices.folder); })));
  measure_stored(all, world, choices);
  if (choices.wants("search_frame")) measure_search(all, world, application, choices.causes);
  if (choices.wants("cancel"))
    all.push_back(wait_of("cancel", "from the click to the window knowing that the null job is cancelled", 100,
                          cancel_jobs(world, 2 * choices.rounds)));
  if (choices.wants("paint_100k_points"))
    all.push_back(wait_of("paint_100k_points", "panning a plot of 100,000 points by one pixel", 16,
                          repeat(choices.rounds, [] { return paint_points(Mark::kPoints); })));
  if (choices.wants("paint_100k_line"))
    all.push_back(wait_of("paint_100k_line", "panning a line of 100,000 points by one pixel", 16,
                          repeat(choices.rounds, [] { return paint_points(Mark::kLine); })));
  return all;
}

QJsonObject json_of(const Measurement& measurement) {
  const Summary summary = summarize(measurement.samples);
  QJsonObject object = measurement.more;
  object[QStringLiteral("name")] = QLatin1String(measurement.name);
  object[QStringLiteral("what")] = QLatin1String(measurement.what);
  object[QStringLiteral("unit")] = QStringLiteral("ms");
  object[QStringLiteral("target")] = measurement.target;
  object[QStringLiteral("judged_by")] = measurement.frames ? QStringLiteral("p99") : QStringLiteral("median");
  object[QStringLiteral("holds")] = !measurement.samples.empty() && measurement.judged() <= measurement.target;
  object[QStringLiteral("median")] = summary.median;
  object[QStringLiteral("interval")] = QJsonArray{summary.interval.low, summary.interval.high};
  object[QStringLiteral("minimum")] = summary.minimum;
  object[QStringLiteral("maximum")] = summary.maximum;
  object[QStringLiteral("p99")] = summary.p99;
  QJsonArray samples;
  for (const double sample : measurement.samples) samples.append(sample);
  object[QStringLiteral("samples")] = samples;
  return object;
}

QJsonObject machine_json() {
  const platform::MachineFacts machine = platform::machine_facts();
  return {{QStringLiteral("cpu"), text_of(machine.cpu_model)}, {QStringLiteral("cores"), QThread::idealThreadCount()},
          {QStringLiteral("os"), text_of(machine.os_kernel)},  {QStringLiteral("clocks"), text_of(machine.clock_policy)},
          {QStringLiteral("qt"), QLatin1String(qVersion())},   {QStringLiteral("platform"), QGuiApplication::platformName()},
          {QStringLiteral("fuselab"), text_of(tool_version())}};
}

void print(const std::vector<Measurement>& all) {
  for (const Measurement& measurement : all) {
    const Summary summary = summarize(measurement.samples);
    std::printf("%-18s median %8.2f  p99 %8.2f  max %8.2f ms  n %4zu  %s %.0f ms: %s\n", measurement.name, summary.median,
                summary.p99, summary.maximum, measurement.samples.size(), measurement.frames ? "p99 ≤" : "median ≤",
                measurement.target,
                !measurement.samples.empty() && measurement.judged() <= measurement.target ? "holds" : "MISSED");
    if (measurement.more.contains(QStringLiteral("paints"))) {
      std::printf("%-18s painted %d times, %d pages fetched, rows pending in %d frames\n", "",
                  measurement.more[QStringLiteral("paints")].toInt(), measurement.more[QStringLiteral("pages")].toInt(),
                  measurement.more[QStringLiteral("frames_with_rows_pending")].toInt());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  FrameCauses application(argc, argv);
  apply_theme(application, ThemeChoice::kLight);
  if (argc == 3 && QLatin1String(argv[1]) == QLatin1String(kChildFlag)) return first_window_child(QString::fromLocal8Bit(argv[2]));

  QCommandLineParser parser;
  const QCommandLineOption json(QStringLiteral("json"));
  const QCommandLineOption folder(QStringLiteral("folder"), {}, QStringLiteral("DIR"));
  const QCommandLineOption trials(QStringLiteral("trials"), {}, QStringLiteral("N"), QStringLiteral("1000000"));
  const QCommandLineOption rounds(QStringLiteral("rounds"), {}, QStringLiteral("N"), QStringLiteral("11"));
  const QCommandLineOption run(QStringLiteral("db"), {}, QStringLiteral("FILE"));
  const QCommandLineOption only(QStringLiteral("only"), {}, QStringLiteral("NAME"));
  const QCommandLineOption causes(QStringLiteral("causes"));
  parser.addOptions({json, folder, trials, rounds, run, only, causes});
  parser.addHelpOption();
  parser.process(application);
  QTemporaryDir scratch;
  const QString where = parser.isSet(folder) ? parser.value(folder) : scratch.path();
  auto world = BenchWorld::make(where.toStdString(), parser.value(trials).toLongLong(), parser.value(run).toStdString());
  if (!world.ok()) {
    std::fprintf(stderr, "gui_bench: %s\n", world.error().message.c_str());
    return 3;
  }
  Choices choices;
  choices.folder = where;
  choices.rounds = parser.value(rounds).toInt();
  choices.has_run = parser.isSet(run);
  choices.causes = parser.isSet(causes);
  choices.trials = parser.value(trials).toLongLong();
  choices.only = parser.values(only);
  const std::vector<Measurement> all = measure_all(*world.value(), application, choices);
  if (!parser.isSet(json)) {
    print(all);
    return 0;
  }
  QJsonArray measurements;
  for (const Measurement& measurement : all) measurements.append(json_of(measurement));
  const QJsonObject result{{QStringLiteral("schema"), 1},
                           {QStringLiteral("machine"), machine_json()},
                           {QStringLiteral("trials"), parser.value(trials).toLongLong()},
                           {QStringLiteral("measurements"), measurements}};
  std::fputs(QJsonDocument(result).toJson().constData(), stdout);
  return 0;
}
