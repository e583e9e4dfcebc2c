// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/command_line.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/engine/prior_file.h"
#include "app/engine/subject/subject.h"
#include "app/gui/pages/page_spec.h"
#include "app/gui/shell/main_window.h"
#include "core/kernel/optimization_level.h"
#include "core/types/shape.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::command_line", text);
}

Result<QSize> parse_size(const QString& text) {
  const QStringList parts = text.split(QLatin1Char('x'));
  bool wide = false, high = false;
  const QSize size(parts.value(0).toInt(&wide), parts.value(1).toInt(&high));
  constexpr int kLargest = 16384;
  if (parts.size() != 2 || !wide || !high || size.width() > kLargest || size.height() > kLargest)
    return invalid_argument("--size takes WIDTHxHEIGHT, for example 1280x800, not '" + text.toStdString() + "'");
  if (size.width() < MainWindow::kSmallest.width() || size.height() < MainWindow::kSmallest.height())
    return invalid_argument("--size " + text.toStdString() + " is too small: the window needs at least " +
                            std::to_string(MainWindow::kSmallest.width()) + "x" + std::to_string(MainWindow::kSmallest.height()));
  return size;
}

std::vector<std::string> texts(const QStringList& values) {
  std::vector<std::string> all;
  for (const QString& value : values) all.push_back(value.toStdString());
  return all;
}

constexpr std::array<const char*, 4> kStrategies = {"exhaustive", "random", "coordinate-descent", "evolutionary"};

Result<std::string> parse_strategy(const std::string& name) {
  std::string known;
  for (const char* strategy : kStrategies) {
    if (name == strategy) return name;
    known += (known.empty() ? "" : ", ") + std::string(strategy);
  }
  return invalid_argument("--strategy: '" + name + "' is none of " + known);
}

// The options of `fuselab run`, so that ./run hands on what it was given, whichever face shows the job.
class JobOptions {
 public:
  JobOptions() {
    warm_only_.setFlags(QCommandLineOption::HiddenFromHelp);
    json_.setFlags(QCommandLineOption::HiddenFromHelp);
  }

  void add_to(QCommandLineParser& parser) const {
    parser.addOptions({shape_, device_,    no_device_, prefer_, dtype_, level_,     mode_, seed_, strategy_, budget_, trials_,
                       prior_, remeasure_, whole_,     decide_, cold_,  warm_only_, keep_, wide_, quiet_,    json_});
  }

  Result<engine::JobSpec> read(const QCommandLineParser& parser) const {
    if (parser.isSet(json_))
      return invalid_argument("--json prints a document and a window has none: `fuselab run --json` does the same job");
    engine::JobSpec spec;
    spec.subjects = texts(parser.positionalArguments());
    spec.bindings = texts(parser.values(shape_));
    spec.devices = {texts(parser.values(device_)), texts(parser.values(no_device_)), texts(parser.values(prefer_))};
    FL_TRY_VOID(read_names(parser, spec));
    FL_TRY(spec.budget_seconds, number(parser, budget_, spec.budget_seconds, 1e-3));
    FL_TRY(spec.budget_trials, whole_number(parser, trials_, spec.budget_trials, 1));
    FL_TRY(spec.seed, whole_number(parser, seed_, spec.seed, std::uint64_t{0}));
    spec.cold = parser.isSet(cold_);
    spec.remeasure = parser.isSet(remeasure_);
    spec.slow_whole_models = parser.isSet(whole_);
    spec.decide = parser.isSet(decide_);
    spec.keep_all_binaries = parser.isSet(keep_);
    return spec;
  }

 private:
  // Read as `fuselab run` reads them, and spelt as the form lists them.
  Status read_names(const QCommandLineParser& parser, engine::JobSpec& spec) const {
    for (const std::string& shape : spec.bindings) FL_TRY_VOID(parse_bindings(shape));
    if (parser.isSet(dtype_)) {
      FL_TRY(const DType dtype, engine::parse_element_type(parser.value(dtype_).toStdString()));
      spec.dtype = name_of(dtype);
    }
    if (parser.isSet(level_)) {
      FL_TRY(const OptimizationLevel level, parse_optimization_level(parser.value(level_).toStdString()));
      spec.level = name_of(level);
    }
    if (parser.isSet(prior_)) {
      auto prior = engine::read_prior(parser.value(prior_).toStdString());
      if (!prior.ok()) return prior.error().within("--prior");
      spec.prior = std::move(prior).value();
    }
    if (parser.isSet(strategy_)) {
      FL_TRY(spec.strategy, parse_strategy(parser.value(strategy_).toStdString()));
    }
    if (parser.isSet(mode_)) {
      FL_TRY(spec.protocol.mode, parse_cache_mode(parser.value(mode_).toStdString()));
    }
    return {};
  }

  static Result<double> number(const QCommandLineParser& parser, const QCommandLineOption& option, double otherwise, double least) {
    if (!parser.isSet(option)) return otherwise;
    bool valid = false;
    const double value = parser.value(option).toDouble(&valid);
    if (valid && std::isfinite(value) && value >= least) return value;
    return invalid_argument("--" + option.names().first().toStdString() + " takes a positive number, not '" +
                            parser.value(option).toStdString() + "'");
  }

  template <typename Integer>
  static Result<Integer> whole_number(const QCommandLineParser& parser, const QCommandLineOption& option, Integer otherwise,
                                      Integer least) {
    if (!parser.isSet(option)) return otherwise;
    const std::string text = parser.value(option).toStdString();
    Integer value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size() && failed == std::errc();
    if (whole && value >= least) return value;
    return invalid_argument("--" + option.names().first().toStdString() + " takes a whole number from " + std::to_string(least) +
                            " to " + std::to_string(std::numeric_limits<Integer>::max()) + ", not '" + text + "'");
  }

  QCommandLineOption shape_{QStringLiteral("shape"), tr("Values of symbolic dimensions."), tr("batch=8,seq=128")};
  QCommandLineOption device_{QStringLiteral("device"), tr("Device (cpu:0) or backend (cpu); several: repeat."), tr("NAME")};
  QCommandLineOption no_device_{QStringLiteral("no-device"), tr("Leave this device or backend out; several: repeat."), tr("NAME")};
  QCommandLineOption prefer_{QStringLiteral("prefer"), tr("Take this device or backend where several are equal; best first."),
                             tr("NAME")};
  QCommandLineOption dtype_{QStringLiteral("dtype"), tr("Element type of built-in workloads."), tr("NAME")};
  QCommandLineOption level_{QStringLiteral("level"), tr("Optimisation level O0…O3."), tr("NAME")};
  QCommandLineOption mode_{QStringLiteral("mode"), tr("warm, cold, rotating or first-launch."), tr("NAME")};
  QCommandLineOption seed_{QStringLiteral("seed"), tr("Seed of the search."), tr("N")};
  QCommandLineOption strategy_{QStringLiteral("strategy"), tr("exhaustive, random, coordinate-descent or evolutionary."),
                               tr("NAME")};
  QCommandLineOption budget_{QStringLiteral("budget"), tr("Seconds for the whole job."), tr("SECONDS")};
  QCommandLineOption trials_{QStringLiteral("trials"), tr("Most configurations per kernel and device."), tr("N")};
  QCommandLineOption prior_{
      QStringLiteral("prior"),
      tr("Begin with what was fast elsewhere: a cache of Triton's autotuner or a folder of them, a cache of Kernel Tuner, T4."),
      tr("PATH")};
  QCommandLineOption remeasure_{QStringLiteral("remeasure"), tr("Ignore stored figures that are still valid.")};
  QCommandLineOption whole_{QStringLiteral("whole"),
                            tr("Give stacks that take whole models also those whose float64 reference takes long.")};
  QCommandLineOption decide_{QStringLiteral("decide"), tr("Spend more fresh processes on gains that are undecided.")};
  QCommandLineOption cold_{QStringLiteral("cold"), tr("Measure the plans that stand at the end with emptied caches, too.")};
  QCommandLineOption keep_{QStringLiteral("keep"), tr("Keep every compiled binary, not only the winners'.")};
  // These options of the terminal program are known here, too, so that one command line serves both programs.
  QCommandLineOption wide_{QStringLiteral("wide"), tr("Nothing: the window has every column.")};
  QCommandLineOption quiet_{{QStringLiteral("quiet"), QStringLiteral("q")}, tr("Nothing: the window prints no progress.")};
  QCommandLineOption warm_only_{QStringLiteral("warm-only")};  // does nothing: what it asked for is the default
  QCommandLineOption json_{QStringLiteral("json")};
};

// "devices, models … or history".
QString all_page_names() {
  QStringList names;
  for (PageId page : kAllPages) names << name_of(page);
  const QString last = names.takeLast();
  return tr("%1 or %2").arg(names.join(QStringLiteral(", ")), last);
}

}  // namespace

int exit_code_of_unopened(ErrorCode code) {
  constexpr int kUsage = 2, kInternal = 3, kNothingThere = 5, kUnfit = 6;
  switch (code) {
    case ErrorCode::kNotFound: return kNothingThere;
    case ErrorCode::kUnavailable:
    case ErrorCode::kBusy:
    case ErrorCode::kIo:
    case ErrorCode::kOutOfMemory: return kUnfit;
    case ErrorCode::kInternal: return kInternal;
    default: return kUsage;
  }
}

Status check_subjects(const engine::JobSpec& job) {
  const std::vector<std::string> subjects = job.subjects.empty() ? engine::default_subjects() : job.subjects;
  FL_TRY(const auto bindings, engine::shape_of_each(subjects, job.bindings));
  FL_TRY(const DType dtype, engine::parse_element_type(job.dtype));
  const engine::Config keeps_nothing;
  for (std::size_t index = 0; index < job.subjects.size(); ++index) {
    FL_TRY_VOID(engine::resolve_subject(keeps_nothing, job.subjects[index], bindings[index], dtype));
  }
  return {};
}

bool shows_stored(const Options& options, PageId page) {
  const bool picture = !options.screenshot.isEmpty() && !options.run;
  return picture && (!options.database.isEmpty() || spec_of(page).stored);
}

QString key_of_subject(const Options& options, PageId page) {
  if (options.job.subjects.empty() || (page != PageId::kModels && page != PageId::kProfile)) return {};
  const QString subject = QString::fromStdString(options.job.subjects.front());
  return page == PageId::kProfile ? QStringLiteral("choose:") + subject : subject;
}

Result<Options> parse_options(const QStringList& arguments) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      tr("Which backend runs each fused piece fastest, with which launch configuration, and how much does fusion gain?"));
  const QCommandLineOption database(QStringLiteral("db"), tr("Open this database."), tr("FILE"));
  const QCommandLineOption run(QStringLiteral("run"), tr("Start the main job at once."));
  const QCommandLineOption page(QStringLiteral("page"), tr("Show this page: %1.").arg(all_page_names()), tr("NAME"));
  const QCommandLineOption theme(QStringLiteral("theme"), tr("Colours: dark, light or system."), tr("NAME"));
  const QCommandLineOption read_only(QStringLiteral("read-only"), tr("Look only: never start a job, never write."));
  const QCommandLineOption screenshot(QStringLiteral("screenshot"), tr("Render the page to this PNG and exit."), tr("FILE"));
  const QCommandLineOption size(QStringLiteral("size"), tr("Size of the window, and of the picture."), tr("WxH"),
                                QStringLiteral("1280x800"));
  const QCommandLineOption history(QStringLiteral("history"),
                                   tr("Runs of `fuselab check --json-lines FILE` for the page History; several: repeat."),
                                   tr("FILE"));
  const QCommandLineOption beside(QStringLiteral("beside"),
                                  tr("Another database whose runs the page Diff offers, too; it is only read; several: repeat."),
                                  tr("FILE"));
  const QCommandLineOption synthetic(QStringLiteral("synthetic"), tr("Include the null backend's scripted devices."));
  const QCommandLineOption check(QStringLiteral("check-display"), tr("Say whether a window can be shown here, and exit: 0 or 6."));
  parser.addOptions({database, run, page, theme, read_only, synthetic, screenshot, size, check, history, beside});
  const JobOptions job;
  job.add_to(parser);
  const QCommandLineOption help = parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("subjects"),
                               tr("Models, ONNX files or workloads for the job; the built-in models when absent."),
                               QStringLiteral("[subjects…]"));
  if (!parser.parse(arguments)) return invalid_argument(parser.errorText().toStdString());

  Options options;
  if (parser.isSet(help)) options.information = parser.helpText();
  if (parser.isSet(version)) options.information = QStringLiteral("fuselab-gui %1\n").arg(QCoreApplication::applicationVersion());
  options.database = parser.value(database);
  options.run = parser.isSet(run);
  options.read_only = parser.isSet(read_only);
  options.screenshot = parser.value(screenshot);
  options.history_files = parser.values(history);
  options.other_databases = parser.values(beside);
  options.synthetic = parser.isSet(synthetic);
  options.check_display = parser.isSet(check);
  FL_TRY(options.job, job.read(parser));
  FL_TRY(options.size, parse_size(parser.value(size)));
  options.size_given = parser.isSet(size);
  if (parser.isSet(page)) {
    options.page = parse_page(parser.value(page));
    if (!options.page)
      return invalid_argument("--page takes " + all_page_names().toStdString() + ", not '" + parser.value(page).toStdString() +
                              "'");
  }
  if (parser.isSet(theme)) {
    options.theme = parse_theme(parser.value(theme));
    if (!options.theme)
      return invalid_argument("--theme takes dark, light or system, not '" + parser.value(theme).toStdString() + "'");
  }
  if (options.run && options.read_only) return invalid_argument("--run measures and --read-only must not: give one of them");
  return options;
}

}  // namespace fuselab::gui
