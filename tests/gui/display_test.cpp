// SPDX-License-Identifier: Apache-2.0
// The program itself where there is no display.
#include <gtest/gtest.h>

#include <QProcess>
#include <QTemporaryDir>

namespace fuselab::gui::test {
namespace {

struct Ended {
  int code = -1;
  QString out, err;
};

Ended run_without_display(const QStringList& arguments, const QString& platform = {}, const QString& display = {}) {
  const QTemporaryDir home;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(QLatin1String(name));
  for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
    environment.insert(QLatin1String(name), home.path());
  if (!platform.isEmpty()) environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
  if (!display.isEmpty()) environment.insert(QStringLiteral("DISPLAY"), display);
  QProcess program;
  program.setProcessEnvironment(environment);
  program.start(QStringLiteral(FUSELAB_GUI_PROGRAM), arguments);
  EXPECT_TRUE(program.waitForFinished(60000)) << program.errorString().toStdString();
  return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1, program.readAllStandardOutput(),
          program.readAllStandardError()};
}

TEST(Display, ItsAbsenceIsSaidAndWhatToDoInstead) {
  for (const QStringList& arguments : {QStringList(), QStringList{"--run", "w3"}}) {
    const Ended ended = run_without_display(arguments);
    EXPECT_EQ(ended.code, 6);
    EXPECT_TRUE(ended.err.contains("fuselab-gui: there is no display")) << ended.err.toStdString();
    EXPECT_TRUE(ended.err.contains("`fuselab run`")) << ended.err.toStdString();
    EXPECT_FALSE(ended.err.contains("einstall")) << ended.err.toStdString();
  }
}

TEST(Display, OneThatCannotBeOpenedIsSaidToo) {
  for (const QStringList& arguments : {QStringList(), QStringList{"--check-display"}}) {
    const Ended ended = run_without_display(arguments, {}, QStringLiteral(":4711"));
    EXPECT_EQ(ended.code, 6);
    EXPECT_TRUE(ended.err.contains("fuselab-gui: the display cannot be opened (")) << ended.err.toStdString();
    EXPECT_TRUE(ended.err.contains("`fuselab run`")) << ended.err.toStdString();
    EXPECT_FALSE(ended.err.contains("einstall")) << ended.err.toStdString();
  }
  EXPECT_EQ(run_without_display({"--check-display"}, QStringLiteral("offscreen")).code, 0);
}

TEST(Display, APictureOfADatabaseThatIsNotThereEndsAsComparingItDoes) {
  QTemporaryDir folder;
  const QString picture = folder.filePath("m.png");
  const Ended ended = run_without_display({"--read-only", "--db", folder.filePath("missing.db"), "--screenshot", picture},
                                          QStringLiteral("offscreen"));
  EXPECT_EQ(ended.code, 5) << ended.err.toStdString();
  EXPECT_TRUE(ended.err.contains("missing.db")) << ended.err.toStdString();
  EXPECT_TRUE(QFile::exists(picture)) << "it shows what is wrong";
  EXPECT_FALSE(QFile::exists(folder.filePath("missing.db"))) << "looking makes nothing";
}

TEST(Display, APictureMakesNoDatabaseAndMissesOne) {
  QTemporaryDir folder;
  const QString picture = folder.filePath("p.png"), nowhere = folder.filePath("no/such/folder/x.db");
  for (const QString& database : {folder.filePath("nope.db"), nowhere}) {
    for (const char* page : {"compare", "results", "tuning"}) {
      const Ended ended =
          run_without_display({"--db", database, "--screenshot", picture, "--page", page}, QStringLiteral("offscreen"));
      EXPECT_EQ(ended.code, 5) << page << ended.err.toStdString();
      EXPECT_TRUE(ended.err.contains(database)) << ended.err.toStdString();
      EXPECT_FALSE(QFile::exists(database));
    }
  }
}

TEST(Display, HelpAndMistakesNeedNone) {
  const Ended help = run_without_display({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(help.out.contains("--screenshot"));
  EXPECT_EQ(run_without_display({"--nosuch"}).code, 2);
}

TEST(Display, AChosenPlatformIsTaken) {
  const QTemporaryDir folder;
  const QString picture = folder.filePath(QStringLiteral("page.png"));
  EXPECT_EQ(run_without_display({"--page", "devices", "--screenshot", picture}, QStringLiteral("offscreen")).code, 0);
  EXPECT_TRUE(QFile::exists(picture));
  QFile::remove(picture);
  EXPECT_EQ(run_without_display({"--page", "devices", "--screenshot", picture}).code, 0) << "a picture needs none";
  EXPECT_EQ(run_without_display({"-platform", "offscreen", "--page", "devices", "--screenshot", picture}).code, 0);
  EXPECT_TRUE(QFile::exists(picture));
}

TEST(Display, APictureOfADatabaseThatCannotBeOpenedIsAFailure) {
  const QTemporaryDir folder;
  const QString picture = folder.filePath(QStringLiteral("page.png")), database = folder.filePath(QStringLiteral("notes.db"));
  QFile file(database);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write("these are notes, not a database") > 0);
  file.close();
  const Ended ended = run_without_display({"--db", database, "--screenshot", picture}, QStringLiteral("offscreen"));
  EXPECT_EQ(ended.code, 2) << "as `fuselab compare` ends";
  EXPECT_TRUE(ended.err.contains("not a database")) << ended.err.toStdString();
  EXPECT_TRUE(QFile::exists(picture)) << "the page says what is wrong";
}

TEST(Display, WhatTheJobCannotUseIsRefusedBeforeAWindowOpens) {
  const Ended ended = run_without_display({"--level", "O9"}, QStringLiteral("offscreen"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.err.contains("unknown optimization level 'O9'")) << ended.err.toStdString();
  for (const QStringList& arguments : {QStringList{"nosuch", "--run"}, QStringList{"w3", "nosuch"}}) {
    const Ended unknown = run_without_display(arguments, QStringLiteral("offscreen"));
    EXPECT_EQ(unknown.code, 2);
    EXPECT_TRUE(unknown.err.contains("'nosuch' is neither a file nor a built-in model")) << unknown.err.toStdString();
  }
  const Ended shapes =
      run_without_display({"--run", "w3", "w4", "w5", "--shape", "rows=4", "--shape", "rows=8"}, QStringLiteral("offscreen"));
  EXPECT_EQ(shapes.code, 2);
  EXPECT_TRUE(shapes.err.contains("2 --shape for 3 subjects")) << shapes.err.toStdString();
}

}  // namespace
}  // namespace fuselab::gui::test
