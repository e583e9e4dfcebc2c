// SPDX-License-Identifier: Apache-2.0
// The C++ side of the Python helper, beside programs that stand in for Python, and the helper itself under the system's python3.
#include "backends/python/python_helper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "tests/support/environment_variables.h"
#include "tests/support/stand_in_python.h"

namespace fuselab::python {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class PythonHelperFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!platform::find_program({"python3"})) GTEST_SKIP() << "there is no python3";
  }

  PythonHelper::FindProgram stand_in(const std::string& body, const std::string& protocol = "1") {
    const auto path = test::stand_in_python(folder_.value().path(), body, protocol);
    return [path] { return Result<PythonProgram>(PythonProgram{path}); };
  }
  PythonHelper::FindProgram program(const std::string& name, const std::string& text) {
    const auto path = folder_.value().path() / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return [path] { return Result<PythonProgram>(PythonProgram{path}); };
  }
  static HelperLimits quick() {
    HelperLimits limits;
    limits.request = milliseconds(500);
    return limits;
  }
  static Error error_of(const Result<HelperAnswer>& answer) {
    return answer.ok() ? Error{ErrorCode::kInternal, "it answered"} : answer.error();
  }

  Result<platform::TemporaryFolder> folder_ = platform::TemporaryFolder::create("fuselab-test");
};

TEST_F(PythonHelperFaults, AnswersWithFieldsAndBytes) {
  PythonHelper helper(stand_in("send({'ok': True, 'twice': request['number'] * 2}, blob[::-1])"), HelperMode::kCompile);
  const std::vector<std::byte> sent = {std::byte{1}, std::byte{2}, std::byte{3}};
  for (const int number : {21, 4}) {
    const auto answer = helper.ask({{"do", "double"}, {"number", number}}, sent);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer.value().fields["twice"], 2 * number);
    EXPECT_EQ(answer.value().data, (std::vector<std::byte>{std::byte{3}, std::byte{2}, std::byte{1}}));
  }
  EXPECT_EQ(helper.python(), "3.99 (stand-in)");
}

TEST_F(PythonHelperFaults, PassesReasonsOnByTheirKind) {
  PythonHelper helper(stand_in("send({'ok': False, 'kind': request['kind'], 'reason': 'because'})"), HelperMode::kCompile);
  const std::pair<const char*, ErrorCode> kinds[] = {
      {"compile", ErrorCode::kCompileFailed}, {"unsupported", ErrorCode::kUnsupported}, {"numerics", ErrorCode::kNumerics},
      {"missing", ErrorCode::kUnavailable},   {"memory", ErrorCode::kOutOfMemory},      {"io", ErrorCode::kIo},
      {"surprise", ErrorCode::kInternal}};
  for (const auto& [kind, code] : kinds) {
    const Error error = error_of(helper.ask({{"kind", kind}}));
    EXPECT_EQ(error.code, code) << kind;
    EXPECT_THAT(error.message, HasSubstr("because"));
  }
}

TEST_F(PythonHelperFaults, SaysHowItCrashedAndStartsAnother) {
  PythonHelper helper(
      stand_in("print('no room left', file=sys.stderr, flush=True); os._exit(7) if request['die'] else send({'ok': True})"),
      HelperMode::kCompile);
  const Error error = error_of(helper.ask({{"die", true}}));
  EXPECT_EQ(error.code, ErrorCode::kCrashed);
  EXPECT_THAT(error.message, HasSubstr("exited with code 7"));
  EXPECT_THAT(error.message, HasSubstr("no room left"));
  EXPECT_TRUE(helper.ask({{"die", false}}).ok());
}

TEST_F(PythonHelperFaults, KillsOneThatHangsAndStartsAnother) {
  PythonHelper helper(stand_in("time.sleep(60) if request['hang'] else send({'ok': True})"), HelperMode::kCompile, quick());
  EXPECT_EQ(error_of(helper.ask({{"hang", true}})).code, ErrorCode::kTimeout);
  EXPECT_TRUE(helper.ask({{"hang", false}}).ok());
}

TEST_F(PythonHelperFaults, EndsAtAStopRequest) {
  PythonHelper helper(stand_in("time.sleep(60)"), HelperMode::kCompile);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(error_of(helper.ask({{"do", "sleep"}}, {}, stop.get_token())).code, ErrorCode::kCancelled);
}

TEST_F(PythonHelperFaults, TakesGarbageForNoAnswer) {
  for (const char* const body : {"channel.sendall(b'Traceback (most recent call last)')", "send(None, text=b'{\"ok\": tr')",
                                 "send(['ok'])", "send({'ok': 'yes'})", "send({})"}) {
    PythonHelper helper(stand_in(body), HelperMode::kCompile);
    EXPECT_EQ(error_of(helper.ask({{"do", "nothing"}})).code, ErrorCode::kCorrupt) << body;
  }
}

TEST_F(PythonHelperFaults, RefusesAnotherProtocolAndWhatIsNoPython) {
  PythonHelper newer(stand_in("pass", "2"), HelperMode::kCompile);
  EXPECT_EQ(error_of(newer.ask({{"do", "nothing"}})).code, ErrorCode::kCorrupt);
  PythonHelper ends(program("true", "#!/bin/sh\nexit 0\n"), HelperMode::kCompile);
  EXPECT_EQ(error_of(ends.ask({{"do", "nothing"}})).code, ErrorCode::kCrashed);
}

TEST_F(PythonHelperFaults, IsReplacedAfterManyRequests) {
  HelperLimits limits;
  limits.requests_of_a_process = 2;
  PythonHelper helper(stand_in("send({'ok': True, 'pid': os.getpid()})"), HelperMode::kCompile, limits);
  std::vector<int> pids;
  for (int i = 0; i < 3; ++i) pids.push_back(helper.ask({{"do", "pid"}}).value().fields["pid"].get<int>());
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_NE(pids[1], pids[2]);
}

// The helper's own text, without any package.
TEST_F(PythonHelperFaults, NamesThePackageThatIsMissing) {
  const auto python = platform::find_program({"python3"});
  PythonHelper helper([&] { return Result<PythonProgram>(PythonProgram{*python}); }, HelperMode::kCompile);
  EXPECT_EQ(error_of(helper.ask({{"do", "no.such.request"}})).code, ErrorCode::kUnsupported);
  const auto about = helper.ask({{"do", "triton.about"}});
  if (about.ok()) GTEST_SKIP() << "this python3 has Triton";
  EXPECT_EQ(about.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(about.error().message, HasSubstr("cannot import triton"));
}

TEST_F(PythonHelperFaults, SaysThatTheDiskIsFull) {
  PythonHelper helper(program("full", "#!/bin/sh\nulimit -f 0\nexec python3 \"$@\"\n"), HelperMode::kCompile);
  const Error error = error_of(helper.ask({{"do", "triton.compile"}, {"text", "x = 1"}, {"entry", "x"}}));
  EXPECT_EQ(error.code, ErrorCode::kIo) << error.message;
}

// What the helper itself would say, in a program that stands in for a package: found behind the standard library.
TEST_F(PythonHelperFaults, KeepsFewVariablesAndTheStandardLibraryFirst) {
  const auto python = platform::find_program({"python3"});
  const auto folder = folder_.value().path() / "wheels";
  std::filesystem::create_directories(folder / "triton");
  std::ofstream(folder / "subprocess.py") << "raise SystemExit('the package was taken for the standard library')\n";
  std::ofstream(folder / "triton" / "__init__.py") << "import os, subprocess\n__version__ = ' '.join(sorted(os.environ))\n";
  test::Variables variables;
  for (const char* const name :
       {"AMDGCN_USE_BUFFER_OPS", "NVPTX_ENABLE_DUMP", "TRITON_F32_DEFAULT", "LLVM_IR_ENABLE_DUMP", "LD_AUDIT_OF_MINE"})
    variables.set(name, "1");
  PythonHelper helper([&] { return Result<PythonProgram>(PythonProgram{*python, {folder}}); }, HelperMode::kCompile);
  const auto about = helper.ask({{"do", "triton.about"}});
  ASSERT_TRUE(about.ok()) << about.error().message;
  const std::string names = about.value().fields["triton"];
  EXPECT_THAT(names, HasSubstr("TRITON_CACHE_DIR"));
  for (const char* const name : {"AMDGCN", "NVPTX", "F32_DEFAULT", "LLVM", "LD_AUDIT"})
    EXPECT_THAT(names, ::testing::Not(HasSubstr(name)));
}

TEST(PythonProgram, IsTheOneThatTheUserNames) {
  test::Variables variables;
  variables.set("FUSELAB_PYTHON", "/no/such/python");
  EXPECT_THAT(find_python("triton").error().message, HasSubstr("/no/such/python"));
  variables.set("FUSELAB_PYTHON", "/bin/sh");
  EXPECT_EQ(find_python("triton").value().interpreter, "/bin/sh");
  variables.set("FUSELAB_PYTHON", "");
  variables.set("XDG_DATA_HOME", "/no/such/folder");
  EXPECT_THAT(find_python("triton").error().message, HasSubstr("fuselab backends install triton"));
}

}  // namespace
}  // namespace fuselab::python
