// SPDX-License-Identifier: Apache-2.0
#include "app/gui/command_line.h"

#include <QCommandLineParser>
#include <QCoreApplication>

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::command_line", text);
}

Result<QSize> parse_size(const QString& text) {
  QStringList const parts = text.split(QLatin1Char('x'));
  bool wide = false, high = false;
  QSize const size(parts.value(0).toInt(&wide), parts.value(1).toInt(&high));
  bool const sane = parts.size() == 2 && wide && high && size.width() >= 320 && size.height() >= 240 && size.width() <= 16384 &&
                    size.height() <= 16384;
  if (!sane) return invalid_argument("--size takes WIDTHxHEIGHT, for example 1280x800, not '" + text.toStdString() + "'");
  return size;
}

}  // namespace

Result<Options> parse_options(const QStringList& arguments) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      tr("Which backend runs each fused piece fastest, with which launch configuration, and how much does fusion gain?"));
  QCommandLineOption const database(QStringLiteral("db"), tr("Open this database."), tr("FILE"));
  QCommandLineOption const run(QStringLiteral("run"), tr("Start the main job at once."));
  QCommandLineOption const page(QStringLiteral("page"), tr("Show this page: devices, models, tuning, compare or results."),
                                tr("NAME"));
  QCommandLineOption const theme(QStringLiteral("theme"), tr("Colours: dark, light or system."), tr("NAME"));
  QCommandLineOption const read_only(QStringLiteral("read-only"), tr("Look only: never start a job, never write."));
  QCommandLineOption const screenshot(QStringLiteral("screenshot"), tr("Render the page to this PNG and exit."), tr("FILE"));
  QCommandLineOption const size(QStringLiteral("size"), tr("Size of the window."), tr("WxH"), QStringLiteral("1280x800"));
  parser.addOptions({database, run, page, theme, read_only, screenshot, size});
  QCommandLineOption const help = parser.addHelpOption();
  QCommandLineOption const version = parser.addVersionOption();
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
  options.subjects = parser.positionalArguments();
  FL_TRY(options.size, parse_size(parser.value(size)));
  if (parser.isSet(page)) {
    options.page = parse_page(parser.value(page));
    if (!options.page)
      return invalid_argument("--page takes devices, models, tuning, compare or results, not '" + parser.value(page).toStdString() +
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
