// SPDX-License-Identifier: Apache-2.0
// Inductor for CUDA devices that are not here, beside a stand-in for the helper.
#include "backends/inductor/cuda_writing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backends/inductor/cuda_answer.h"
#include "backends/inductor/cuda_device.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "tests/support/stand_in_python.h"

namespace fuselab::inductor {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kAddition = "graph(x: f32[2,3], y: f32[2,3]) { z = Add(x, y); return z }";
constexpr const char* kOneKernel =
    "{'name': 'triton_poi_0', 'launches': 1, 'configs': 2, 'warps': 4, 'registers': 16, 'local_bytes': 0, 'text_bytes': 2, "
    "'bytes': 3}";

Target target(const char* id) {
  return virtual_target(id).value().target;
}

class CudaInductorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!platform::find_program({"python3"})) GTEST_SKIP() << "there is no python3";
  }

  CudaInductor made(const std::string& compile, const std::string& torch = "2.15.0", const std::string& triton = "3.9.0") {
    const std::string body = "if request['do'] == 'inductor.about':\n        send({'ok': True, 'torch': '" + torch +
                             "', 'triton': '" + triton + "'})\n    else:\n        " + compile;
    const auto path = test::stand_in_python(folder_.value().path(), body);
    python::HelperLimits limits;
    limits.request = std::chrono::milliseconds(2000);
    return {[path] { return Result<python::PythonProgram>(python::PythonProgram{path}); }, folder_.value().path() / "kept", limits};
  }

  static Result<KernelBinary> compiled(CudaInductor& inductor, const char* id = "sm_90a") {
    FL_TRY(const std::string text, inductor.write(parse_graph(kAddition).value(), target(id)));
    return inductor.compile(text, target(id), {});
  }

  Result<platform::TemporaryFolder> folder_ = platform::TemporaryFolder::create("fuselab-test");
};

TEST_F(CudaInductorTest, TellsOfKernelsAndCalls) {
  CudaInductor inductor = made("send({'ok': True, 'kernels': [" + std::string(kOneKernel) + "], 'calls': {'mm': 2}}, b'abc')");
  const auto binary = compiled(inductor);
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  const auto& told = binary.value().metadata;
  EXPECT_EQ(binary.value().format, "inductor-cuda");
  EXPECT_EQ(told.at("resource.kernels"), "1");
  EXPECT_EQ(told.at("resource.kernel.triton_poi_0.registers"), "16");
  EXPECT_EQ(told.at("resource.kernel.triton_poi_0.configs"), "2");
  EXPECT_EQ(told.at("program.kernels"), "triton_poi_0 2 3\n");
  EXPECT_EQ(told.at("resource.calls"), "2");
  EXPECT_EQ(told.at("resource.calls.mm"), "2");
  EXPECT_EQ(told.at("resource.spill_bytes"), "0");
  EXPECT_THAT(told.at("version"), HasSubstr("2.15.0 triton 3.9.0"));
}

TEST_F(CudaInductorTest, AsksForTheDeviceOfTheTarget) {
  CudaInductor inductor = made("send({'ok': False, 'kind': 'compile', 'reason': json.dumps(request['device'])})");
  const auto refused = compiled(inductor, "sm_80");
  ASSERT_FALSE(refused.ok());
  const json device = json::parse(refused.error().message);
  EXPECT_EQ(device["multi_processor_count"], 108);
  EXPECT_EQ(device["shared_memory_per_block_optin"], 163 << 10);
}

TEST_F(CudaInductorTest, FailsInOneLineAndComesBack) {
  const std::tuple<std::string, ErrorCode, const char*> cases[] = {
      {"send({'ok': True, 'kernels': [], 'calls': {}})", ErrorCode::kCorrupt, "compiled nothing"},
      {"send({'ok': True}, b'x')", ErrorCode::kCorrupt, "no list of kernels"},
      {"send({}, b'', b'no json')", ErrorCode::kCorrupt, "no answer"},
      {"send({'ok': False, 'kind': 'missing', 'reason': 'cannot import triton'})", ErrorCode::kUnavailable, "cannot import triton"},
      {"send({'ok': False, 'kind': 'compile', 'reason': 'out of resources'})", ErrorCode::kCompileFailed, "out of resources"},
      {"os._exit(3)", ErrorCode::kCrashed, "exited with code 3"},
      {"time.sleep(60)", ErrorCode::kTimeout, "longer than 2 s"},
  };
  for (const auto& [compile, code, reason] : cases) {
    CudaInductor inductor = made(compile);
    for (int again = 0; again < (code == ErrorCode::kTimeout ? 1 : 2); ++again) {
      const auto binary = compiled(inductor);
      ASSERT_FALSE(binary.ok()) << compile;
      EXPECT_EQ(binary.error().code, code) << binary.error().message;
      EXPECT_THAT(binary.error().message, HasSubstr(reason));
    }
  }
}

TEST_F(CudaInductorTest, RefusesWhatWasNotTried) {
  const std::tuple<const char*, const char*, const char*> cases[] = {{"2.15.0", "", "backends install triton"},
                                                                     {"2.11.0", "3.9.0", "2.15 and Triton 3.9 alone"},
                                                                     {"2.15.0", "3.10.0", "2.15 and Triton 3.9 alone"}};
  for (const auto& [torch, triton, reason] : cases) {
    CudaInductor inductor = made("os._exit(3)", torch, triton);
    const auto facts = inductor.facts(target("sm_90"));
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(facts.error().message, HasSubstr(reason));
  }
  CudaInductor inductor = made("os._exit(3)");
  EXPECT_THAT(inductor.facts(target("sm_75")).error().message, HasSubstr("no description of a device of sm_75"));
}

// A text may be a stranger's, and Python would call whatever operator it names.
TEST_F(CudaInductorTest, CompilesNoCallsButItsOwn) {
  CudaInductor inductor = made("os._exit(3)");
  const std::string text = inductor.write(parse_graph(kAddition).value(), target("sm_90")).value();
  std::string foreign = text;
  foreign.replace(foreign.find("aten::"), 6, "aten::from_file");
  EXPECT_EQ(inductor.compile(foreign, target("sm_90"), {}).error().code, ErrorCode::kUntrusted);
  EXPECT_EQ(inductor.compile("import os", target("sm_90"), {}).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(inductor.compile(text, target("sm_80"), {}).error().code, ErrorCode::kUnsupported) << "it is of another target";
}

TEST(CudaAnswer, RefusesWhatIsNone) {
  const json good = {{"name", "a_0"}, {"bytes", 3}};
  const std::pair<json, const char*> cases[] = {
      {{{"kernels", 3}, {"calls", json::object()}}, "no list of kernels"},
      {{{"kernels", json::array({good})}, {"calls", json::array()}}, "no list of calls"},
      {{{"kernels", json::array({good, good})}, {"calls", json::object()}}, "no code of its own"},
      {{{"kernels", json::array({7})}, {"calls", json::object()}}, "without a name"},
      {{{"kernels", json::array({{{"name", "a\nb"}, {"bytes", 3}}})}, {"calls", json::object()}}, "without a name"},
      {{{"kernels", json::array({{{"name", "a"}, {"bytes", -3}}})}, {"calls", json::object()}}, "no code of its own"},
      {{{"kernels", json::array()}, {"calls", {{"mm", "two"}}}}, "a call without a name"},
      {{{"kernels", json::array()}, {"calls", {{"m.m", 1}}}}, "a call without a name"},
  };
  for (const auto& [answer, reason] : cases) {
    const auto read = cuda_resources(answer);
    ASSERT_FALSE(read.ok()) << answer.dump();
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(read.error().message, HasSubstr(reason));
  }
}

TEST(CudaAnswer, SaysNothingOfWhatIsNotTold) {
  const auto read = cuda_resources({{"kernels", json::array({{{"name", "a_0"}, {"bytes", 3}}})}, {"calls", json::object()}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read.value().contains("resource.spill_bytes"));
  EXPECT_FALSE(read.value().contains("resource.kernel.a_0.registers"));
  EXPECT_EQ(read.value().at("resource.code_bytes"), "3");
}

TEST(CudaDevice, IsDescribedForEachTarget) {
  for (const char* const id : {"sm_80", "sm_90", "sm_90a", "sm_100", "sm_120"}) {
    const auto device = cuda_device(target(id));
    ASSERT_TRUE(device.ok()) << id;
    for (const auto& [name, value] : device.value().items()) {
      const bool is_positive = !value.is_number_integer() || name == "minor" || value.get<std::int64_t>() > 0;
      EXPECT_TRUE(is_positive) << id << " " << name;
    }
  }
}

}  // namespace
}  // namespace fuselab::inductor
