// SPDX-License-Identifier: Apache-2.0
// What befalls a compiler is not the text's fault: real compiler drivers whose parts end as a full machine would end them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/native/compiler/compiler_failure.h"
#include "backends/native/compiler/host_compiler.h"
#include "backends/native/compiler/trial_compilation.h"
#include "core/platform/processes/child_process.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::cpu {
namespace {

using testing::HasSubstr;

class CompilerFailure : public ::testing::Test {
 protected:
  void script(const std::string& name, const std::string& text) const {
    folder_.write(name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(folder_.path() / name, std::filesystem::perms::owner_all);
  }
  // A compiler that answers --version like gcc and does `otherwise` with a text.
  HostCompiler compiler(const std::string& otherwise) const {
    script("cc", "if [ \"$1\" = --version ]; then exec /usr/bin/gcc --version; fi\n" + otherwise);
    return HostCompiler({folder_.path() / "cc"});
  }
  // gcc, with a program of ours in the place of its own part.
  HostCompiler gcc_whose(const std::string& part, const std::string& does) const {
    script(part, does);
    return compiler("exec /usr/bin/gcc -B" + folder_.path().string() + "/ \"$@\"");
  }
  static Error error_of(HostCompiler& compiler, const std::string& text = "int f(int x) { return x + 1; }\n") {
    SourceModule module;
    module.language = "c";
    module.text = text;
    module.entry = "f";
    const auto made = compiler.compile(module, {"x86-64", "x86-64", {}}, OptimizationLevel::kO2, {});
    EXPECT_FALSE(made.ok());
    return made.ok() ? Error{} : made.error();
  }
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/gcc")) GTEST_SKIP() << "no gcc to take parts of";
  }

  ScratchFolder folder_;
};

TEST_F(CompilerFailure, ByAKillOfTheCompilerItselfIsNoCompileError) {
  auto killed = compiler("kill -KILL $$");
  const Error error = error_of(killed);
  EXPECT_EQ(error.code, ErrorCode::kCrashed);
  EXPECT_THAT(error.message, HasSubstr("was killed by signal 9 (SIGKILL); out of memory?"));
  EXPECT_TRUE(platform::ended_from_outside(error.message));  // which is why it is tried again
}

TEST_F(CompilerFailure, ByAKillOfTheProgramThatItStartedIsNoCompileErrorEither) {
  for (const char* part : {"cc1", "as", "ld"}) {
    SCOPED_TRACE(part);
    auto killed = gcc_whose(part, "kill -KILL $$");
    const Error error = error_of(killed);
    std::filesystem::remove(folder_.path() / part);
    EXPECT_EQ(error.code, ErrorCode::kCrashed) << error.message;
    EXPECT_THAT(error.message, HasSubstr("was killed by signal 9 (SIGKILL); out of memory?"));
    EXPECT_TRUE(platform::ended_from_outside(error.message)) << error.message;
  }
}

TEST_F(CompilerFailure, ByATerminationTellsSo) {
  auto ended = gcc_whose("cc1", "kill -TERM $$");
  const Error error = error_of(ended);
  EXPECT_EQ(error.code, ErrorCode::kCrashed);
  EXPECT_THAT(error.message, HasSubstr("was killed by signal 15 (SIGTERM); somebody ended it"));
}

TEST_F(CompilerFailure, ForWantOfMemoryIsThat) {
  auto starved = gcc_whose("cc1", "echo 'cc1: out of memory allocating 65536 bytes after a total of 1355776 bytes' >&2; exit 1");
  EXPECT_EQ(error_of(starved).code, ErrorCode::kOutOfMemory);
}

TEST_F(CompilerFailure, ForAFullDiskIsThat) {
  auto full = gcc_whose("as", "echo 'as: kernel.o: No space left on device' >&2; exit 1");
  EXPECT_EQ(error_of(full).code, ErrorCode::kIo);
}

TEST_F(CompilerFailure, ForWantOfAPartIsNoCompileError) {
  auto alone = compiler("PATH=" + folder_.path().string() + " exec /usr/bin/gcc \"$@\"");
  const Error error = error_of(alone);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("does not work here: gcc: fatal error: cannot execute 'as'"));
  EXPECT_EQ(error.message.find('\n'), std::string::npos) << "one line";
  std::filesystem::create_symlink("/usr/bin/as", folder_.path() / "as");
  EXPECT_THAT(error_of(alone).message, HasSubstr("collect2: fatal error: cannot find 'ld'"));
  EXPECT_EQ(error_of(alone).code, ErrorCode::kUnavailable);
}

TEST_F(CompilerFailure, ForWantOfTheLibrarysHeadersIsNoCompileError) {
  auto bare = compiler("exec /usr/bin/gcc -nostdinc -I/nonexistent -isystem " + folder_.path().string() + " \"$@\"");
  const Error error = error_of(bare, "#include <stdint.h>\nint f(int x) { return x; }\n");
  EXPECT_EQ(error.code, ErrorCode::kUnavailable) << error.message;
  EXPECT_THAT(error.message, HasSubstr("stdint.h: No such file or directory"));
}

TEST_F(CompilerFailure, ShowsInATrialBeforeAnythingIsMeasured) {
  const Target target{"x86-64", "x86-64", {}};
  auto sound = compiler("exec /usr/bin/gcc \"$@\"");
  EXPECT_TRUE(trial_compilation(sound, target).usable) << trial_compilation(sound, target).reason;
  auto alone = compiler("PATH=" + folder_.path().string() + " exec /usr/bin/gcc \"$@\"");
  EXPECT_TRUE(alone.probe().usable) << "it answers --version";
  const Availability tried = trial_compilation(alone, target);
  EXPECT_FALSE(tried.usable);
  EXPECT_THAT(tried.reason, HasSubstr("cannot execute 'as'"));
  auto lazy = compiler("for last; do :; done; exec cp /dev/null \"$(echo \"$*\" | sed 's/.*-o \\([^ ]*\\) .*/\\1/')\"");
  EXPECT_THAT(trial_compilation(lazy, target).reason, HasSubstr("not to be loaded"));
}

TEST_F(CompilerFailure, InTheTextIsACompileErrorWhateverItsLinesSay) {
  auto sound = compiler("exec /usr/bin/gcc \"$@\"");
  const Error error = error_of(sound, "int f( { }  // out of memory, Killed signal terminated program cc1\n");
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("error:"));
}

TEST_F(CompilerFailure, ByACrashOfItsOwnIsACompileError) {
  auto crashing = gcc_whose("cc1", "kill -SEGV $$");
  EXPECT_EQ(error_of(crashing).code, ErrorCode::kCompileFailed);
}

TEST(CompilerFailureWords, OfClangAreKnownToo) {
  EXPECT_EQ(compiler_failure("clang", "exited with code 1", "clang: error: unable to execute command: Killed\n").code,
            ErrorCode::kCrashed);
  EXPECT_EQ(
      compiler_failure("clang", "exited with code 1", "clang: error: unable to execute command: Executable \"ld\" doesn't exist!\n")
          .code,
      ErrorCode::kUnavailable);
  EXPECT_EQ(compiler_failure("clang", "exited with code 1", "LLVM ERROR: out of memory\n").code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace fuselab::cpu
