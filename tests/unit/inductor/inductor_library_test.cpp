// SPDX-License-Identifier: Apache-2.0
// Inductor beside a stand-in for the helper, a library that looks like PyTorch's and models that look like Inductor's; and Inductor
// itself where the Python that the environment names has it.
#include "backends/inductor/inductor_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/library/plan_text.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "tests/support/stand_in_python.h"

namespace fuselab::inductor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSum = "graph(x: f32[2,3], y: f32[2,3]) { z = Add(x, y); return z }";

class Inductor : public testing::Test {
 protected:
  void SetUp() override {
    if (!platform::find_program({"python3"})) GTEST_SKIP() << "there is no python3";
  }

  // A helper that has a PyTorch; `compile` is what it does with the second request.
  Result<std::shared_ptr<InductorLibrary>> open(const std::string& compile, const std::string& library = FAKE_TORCH_GOOD) {
    const std::string body =
        "if request['do'] == 'inductor.about':\n        send({'ok': True, 'torch': '2.15.0', 'git': 'abc', "
        "'cxx': 'g++ 12', 'python': '3.99', 'library': '" +
        library + "'})\n    else:\n        " + compile;
    const auto path = test::stand_in_python(folder_.value().path(), body);
    python::HelperLimits limits;
    limits.request = std::chrono::milliseconds(2000);
    return InductorLibrary::open([path] { return Result<python::PythonProgram>(python::PythonProgram{path}); },
                                 folder_.value().path() / "kept", limits);
  }
  static std::string answer_with(const char* file) {
    return "send({'ok': True, 'isa': 'avx2'}, open('" + std::string(file) + "', 'rb').read())";
  }

  // The plan of a graph with its program compiled.
  static Result<library::PlanText> compiled(InductorLibrary& library, const char* text) {
    const Graph graph = parse_graph(text).value();
    FL_TRY(const library::PlanOutline outline, library.outline(graph));
    library::PlanText plan = plan_for(library.facts(), LaunchConfig::parse("threads=1").value(), graph, {}, outline.program);
    FL_TRY(plan.program, library.compile(plan));
    return plan;
  }

  // Runs the sum of 0…5 and 10s. Returns its numbers, or why it failed.
  static Result<std::vector<float>> sum_of(InductorLibrary& library) {
    FL_TRY(const library::PlanText plan, compiled(library, kSum));
    FL_TRY_VOID(library.use_threads(1));
    FL_TRY(const auto built, library.build(plan));
    std::vector<float> x = {0, 1, 2, 3, 4, 5}, y(6, 10), z(6);
    const auto bytes = [](std::vector<float>& numbers) { return reinterpret_cast<std::byte*>(numbers.data()); };
    FL_TRY(const auto bound, built->bind({{bytes(x), bytes(y), bytes(z)}, {0, 0, 0}}));
    for (int i = 0; i < 2; ++i) FL_TRY_VOID(bound->run());
    return z;
  }

  Result<platform::TemporaryFolder> folder_ = platform::TemporaryFolder::create("fuselab-test");
};

TEST_F(Inductor, RunsWhatTheHelperCompiledIntoGivenMemory) {
  const auto opened = open(answer_with(FAKE_MODEL_GOOD));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto alive = reinterpret_cast<int (*)()>(loading::open_library(FAKE_TORCH_GOOD).symbol("fake_torch_alive"));
  const int before = alive();
  const auto sum = sum_of(*opened.value());
  ASSERT_TRUE(sum.ok()) << sum.error().message;
  EXPECT_EQ(sum.value(), (std::vector<float>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(alive(), before) << "handles are left over";
}

TEST_F(Inductor, IsNamedByWhatCompiles) {
  const auto opened = open("pass");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto& facts = opened.value()->facts();
  EXPECT_EQ(facts.id, "inductor");
  EXPECT_EQ(facts.version, "2.15.0");
  EXPECT_THAT(facts.build, HasSubstr("g++ 12"));
}

TEST_F(Inductor, RefusesModelsThatAreNone) {
  const std::string wrong = folder_.value().path() / "wrong";
  std::ofstream(wrong) << "no library";
  const std::tuple<std::string, ErrorCode, const char*> cases[] = {
      {answer_with(wrong.c_str()), ErrorCode::kUnsupported, "does not load"},
      {answer_with(FAKE_TORCH_GOOD), ErrorCode::kUnavailable, "has no function AOTInductorModelContainerCreateWithDevice"},
      {answer_with(FAKE_MODEL_NARROW), ErrorCode::kUnsupported, "takes 2 tensors and gives 1, its graph needs 3 and 1"},
      {answer_with(FAKE_MODEL_FAILING), ErrorCode::kLaunchFailed, "unmatched dtype"},
      {"send({'ok': True, 'isa': 'avx2'})", ErrorCode::kCorrupt, "compiled nothing"},
      {"send({'ok': True, 'isa': 'INVALID_VEC_ISA'}, b'x')", ErrorCode::kCompileFailed, "would be scalar"},
      {"send({'ok': False, 'kind': 'io', 'reason': 'No space left on device'})", ErrorCode::kIo, "No space left"},
      {"os._exit(3)", ErrorCode::kCrashed, "exited with code 3"},
      {"time.sleep(60)", ErrorCode::kTimeout, "longer than 2 s"},
  };
  for (const auto& [compile, code, reason] : cases) {
    const auto opened = open(compile);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const auto sum = sum_of(*opened.value());
    ASSERT_FALSE(sum.ok()) << compile;
    EXPECT_EQ(sum.error().code, code) << sum.error().message;
    EXPECT_THAT(sum.error().message, HasSubstr(reason));
  }
}

// A plan may be a stranger's, and Python would call whatever operator it names.
TEST_F(Inductor, CompilesNoCallsButItsOwn) {
  const auto opened = open("os._exit(3)");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  InductorLibrary& library = *opened.value();
  const Graph graph = parse_graph(kSum).value();
  std::string program = library.outline(graph).value().program;
  const std::size_t call = program.find("aten::");
  ASSERT_NE(call, std::string::npos);
  program.replace(call, 6, "aten::from_file");
  const auto made = library.compile(plan_for(library.facts(), LaunchConfig::parse("threads=1").value(), graph, {}, program));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kUntrusted) << made.error().message;
}

TEST_F(Inductor, SaysInOneLineWhyNot) {
  EXPECT_THAT(open("pass", "/nowhere/libtorch_cpu.so").error().message, HasSubstr("/nowhere/libtorch_cpu.so not found"));
  const auto python = *platform::find_program({"python3"});
  const auto found = InductorLibrary::open([&] { return Result<python::PythonProgram>(python::PythonProgram{python}); },
                                           folder_.value().path() / "kept");
  if (found.ok()) GTEST_SKIP() << "this python3 has PyTorch";
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message, HasSubstr("has no torch"));
}

TEST_F(Inductor, ItselfComputesTheSum) {
  const auto opened = InductorLibrary::open([] { return python::find_python("inductor"); }, folder_.value().path() / "kept");
  if (!opened.ok()) GTEST_SKIP() << opened.error().message;
  const auto sum = sum_of(*opened.value());
  ASSERT_TRUE(sum.ok()) << sum.error().message;
  EXPECT_EQ(sum.value(), (std::vector<float>{10, 11, 12, 13, 14, 15}));
}

}  // namespace
}  // namespace fuselab::inductor
