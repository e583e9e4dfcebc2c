// SPDX-License-Identifier: Apache-2.0
// ./run with programs that only say what they were started with: which of them it starts, and with what.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

namespace fuselab::gui::test {
namespace {

struct Ended {
  int code = -1;
  QString out, err;
};

class RunScript : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(QFile::copy(QStringLiteral(FUSELAB_RUN_SCRIPT), path("run")));
    put("resources/packages/install.sh", "");
    put("path/cmake", "echo cmake \"$@\" >&2");
    put("build/bin/fuselab", "echo terminal \"$@\"");
    put("build/bin/fuselab-gui", "[ \"$1\" = --check-display ] || echo window \"$@\"");
  }

  Ended run(const QStringList& arguments, bool display) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) environment.remove(QLatin1String(name));
    if (display) environment.insert(QStringLiteral("DISPLAY"), QStringLiteral(":0"));
    environment.insert(QStringLiteral("PATH"), path("path") + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(path("run"), arguments);
    EXPECT_TRUE(program.waitForFinished(60000)) << program.errorString().toStdString();
    return {program.exitCode(), program.readAllStandardOutput(), program.readAllStandardError()};
  }

  QString log() const {  // of the newest build
    QFile file(path("build/build.log"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QLatin1String(name)); }

  void put(const char* name, const char* command) const {
    ASSERT_TRUE(QDir().mkpath(QFileInfo(path(name)).path()));
    QFile file(path(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("#!/bin/sh\n") + command + "\n");
    file.setPermissions(file.permissions() | QFileDevice::ExeOwner | QFileDevice::ExeUser);
  }

  QTemporaryDir folder_;
};

TEST_F(RunScript, HandsTheOptionsOfTheJobToTheWindow) {
  const Ended ended = run({"--cold", "--wide", "-q", "--budget", "20", "w3"}, true);
  EXPECT_EQ(ended.code, 0) << ended.err.toStdString();
  EXPECT_TRUE(ended.out.contains("window --run --cold --wide -q --budget 20 w3")) << ended.out.toStdString();
  EXPECT_TRUE(run({"--headless", "--warm-only"}, true).out.contains("terminal run --warm-only"));
  EXPECT_TRUE(run({"--warm-only"}, false).out.contains("terminal run --warm-only"));
}

TEST_F(RunScript, PrintsOneDocumentWhereJsonIsAskedForAndOpensNoWindow) {
  for (const QStringList& arguments : {QStringList{"--json", "w3"}, QStringList{"w3", "--", "--json"}}) {
    for (const bool display : {true, false}) {
      const Ended ended = run(arguments, display);
      EXPECT_EQ(ended.code, 0) << ended.err.toStdString();
      EXPECT_TRUE(ended.out.startsWith("terminal run ")) << ended.out.toStdString();
      EXPECT_TRUE(ended.out.contains("--json")) << ended.out.toStdString();
    }
  }
}

TEST_F(RunScript, BuildsNoDesktopApplicationForAJobWithoutAWindow) {
  run({"--headless"}, true);
  EXPECT_TRUE(log().contains("--target fuselab fuselab-worker\n")) << log().toStdString();
  run({}, true);
  EXPECT_TRUE(log().contains("--target programs\n")) << log().toStdString();
}

TEST_F(RunScript, RefusesWhatItDoesNotKnowBeforeItBuilds) {
  const Ended ended = run({"--warmonly"}, true);
  EXPECT_EQ(ended.code, 2);
  EXPECT_TRUE(ended.err.contains("does not know '--warmonly'")) << ended.err.toStdString();
  EXPECT_TRUE(ended.out.isEmpty()) << ended.out.toStdString();
}

}  // namespace
}  // namespace fuselab::gui::test
