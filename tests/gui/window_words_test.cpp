// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/window_words.h"

#include <gtest/gtest.h>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <set>

#include "app/cli/command_line.h"

namespace fuselab::gui::test {
namespace {

void add_options(const CLI::App& app, std::set<QString>& options) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option* /*each*/) { return true; })) {
    for (const std::string& name : option->get_lnames()) options.insert(QString::fromStdString(name));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App* /*each*/) { return true; })) add_options(*verb, options);
}

// Returns every option of the terminal program, without its dashes.
std::set<QString> all_options() {
  cli::Invocation invocation;
  std::set<QString> options;
  add_options(*cli::make_command_line(invocation), options);
  return options;
}

// Returns the options and commands of the terminal program that a text names.
QStringList terminal_words(const QString& text, const std::set<QString>& options) {
  static const QRegularExpression kOption(QStringLiteral("(?:^|[^\\w-])--([a-z][a-z-]*)")),
      kCommand(QStringLiteral("`fuselab[^`]*`?"));
  QStringList found;
  for (auto each = kOption.globalMatch(text); each.hasNext();) {
    const QString option = each.next().captured(1);
    if (options.contains(option)) found << option;
  }
  for (auto each = kCommand.globalMatch(text); each.hasNext();) found << each.next().captured();
  return found;
}

// Calls see(place, text) for each string in the sources of a folder; neighbouring ones are one, as for the compiler.
void for_each_string(const QString& folder, const std::function<void(const QString& place, const QString& text)>& see) {
  static const QRegularExpression kComment(QStringLiteral("^\\s*//[^\\n]*$"), QRegularExpression::MultilineOption);
  static const QRegularExpression kStrings(QStringLiteral("\"(?:[^\"\\\\\\n]|\\\\.)*\"(?:\\s*\"(?:[^\"\\\\\\n]|\\\\.)*\")*"));
  static const QRegularExpression kSeam(QStringLiteral("\"\\s*\""));
  QDirIterator files(QStringLiteral(FUSELAB_SOURCES "/") + folder, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString source = QString::fromUtf8(file.readAll()).remove(kComment);
    for (auto each = kStrings.globalMatch(source); each.hasNext();) {
      QString text = each.next().captured();
      text = text.mid(1, text.size() - 2).remove(kSeam).replace(QLatin1String("\\\""), QLatin1String("\""));
      see(file.fileName(), text);
    }
  }
}

TEST(WindowWords, NameControlsInsteadOfOptions) {
  EXPECT_EQ(window_words("choose another file with --db"), "choose another file by “Open another database” in the File menu");
  EXPECT_EQ(window_words("the shape needs a value for batch: --shape batch=…"),
            "the shape needs a value for batch: batch=… in the Shape field");
  EXPECT_EQ(window_words("--shape: 'bogus' is no symbol of these subjects; they have batch"),
            "Shape: 'bogus' is no symbol of these subjects; they have batch");
  EXPECT_EQ(window_words("a larger --budget searches on, --remeasure starts over"),
            "a larger Budget searches on, “Measure again” starts over");
  EXPECT_EQ(window_words("no usable device; `fuselab devices` says why"), "no usable device; the Devices page says why");
  EXPECT_EQ(window_words("run `fuselab devices` for all backends"), "open the Devices page for all backends");
  EXPECT_EQ(window_words("loses NaN (--accept nan-loss takes it)"), "loses NaN (the box that accepts nan-loss takes it)");
  EXPECT_EQ(window_words("it printed no line like `fuselab: 1.234 ms`"), "it printed no line like `fuselab: 1.234 ms`")
      << "what a command prints is not one of the terminal program's";
  EXPECT_EQ(window_words("cc: error: unrecognized option '-mavx9'"), "cc: error: unrecognized option '-mavx9'");
  EXPECT_EQ(window_words("start a container with --device /dev/kfd"), "start a container with --device /dev/kfd")
      << "another program's";
}

TEST(WindowWords, OfEveryMessageOfTheEngineHaveNoOptionAndNoCommand) {
  const std::set<QString> options = all_options();
  ASSERT_TRUE(options.contains("remeasure"));
  int messages = 0;
  for (const char* folder : {"core", "db", "tuner", "profiler", "app/engine", "app/deploy", "app/gate", "app/views"}) {
    for_each_string(folder, [&](const QString& place, const QString& text) {
      // A word alone is an argument for another program; a schema's title names the command that writes it.
      const bool is_message = text.contains(u' ') && !text.startsWith(QLatin1String("fuselab "));
      if (!is_message || terminal_words(text, options).isEmpty() || text.contains(QLatin1String("`fuselab: "))) return;
      ++messages;
      // What follows in the message is put together elsewhere: a name, and the end of the command.
      QString whole = text.endsWith(u' ') || text.endsWith(u'/') ? text + QLatin1String("cpu:0") : text;
      if (whole.count(u'`') % 2 == 1) whole += u'`';
      const QString shown = window_words(whole.toStdString());
      EXPECT_TRUE(terminal_words(shown, options).isEmpty()) << place.toStdString() << ": " << shown.toStdString();
    });
  }
  EXPECT_GT(messages, 50);
}

// What the window itself says needs no translation. Its own command line is the terminal's.
TEST(WindowWords, OfTheWindowItselfHaveNoOptionAndNoCommand) {
  const std::set<QString> options = all_options();
  for_each_string(QStringLiteral("app/gui"), [&](const QString& place, const QString& text) {
    for (const char* file :
         {"shell/command_line.cpp", "look/window_words.cpp", "link/command_text.cpp", "look/display.cpp", "main.cpp"}) {
      if (place.endsWith(QLatin1String(file))) return;
    }
    const bool is_text = text.contains(u' ') && !text.startsWith(u' ') && !text.startsWith(QLatin1String("fuselab check"));
    if (!is_text) return;
    EXPECT_TRUE(terminal_words(text, options).isEmpty()) << place.toStdString() << ": " << text.toStdString();
  });
}

}  // namespace
}  // namespace fuselab::gui::test
