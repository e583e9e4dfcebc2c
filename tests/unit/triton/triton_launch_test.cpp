// SPDX-License-Identifier: Apache-2.0
// A cubin of Triton's on the stand-in for NVIDIA's driver: what is launched, with which shared memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backends/triton/triton_backend.h"
#include "core/backend/stored_text.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "tests/support/environment_variables.h"
#include "tests/support/fake_cuda/fake_cubin.h"
#include "tests/support/graph_builder.h"

namespace fuselab::triton {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A Python that compiles everything into the file that it is given.
constexpr std::string_view kStandIn = R"(#!/usr/bin/env python3
import json, os, socket, struct, sys
channel = socket.socket(fileno=int(sys.argv[4]))
def send(message, blob=b""):
    text = json.dumps(message).encode()
    channel.sendall(struct.pack("<II", len(text), len(blob)) + text + blob)
send({"ok": True, "protocol": 1, "python": "3.99", "program": "stand-in"})
while head := channel.recv(8, socket.MSG_WAITALL):
    text, blob = struct.unpack("<II", head)
    request = json.loads(channel.recv(text, socket.MSG_WAITALL))
    if request["do"] == "triton.about":
        late = os.environ["STAND_IN_CUBIN"] + ".late"
        if os.path.exists(late):
            os.remove(late)
            os._exit(9)
        send({"ok": True, "triton": "9.9", "ptxas": "1.2", "ptxas-blackwell": "3.4"})
    else:
        with open(os.environ["STAND_IN_CUBIN"] + ".texts", "a") as texts:
            texts.write(request["text"])
        send({"ok": True, "format": "cubin", "shared_bytes": 2048, "static_shared_bytes": 0, "registers": 40,
              "parameters": int(os.environ.get("STAND_IN_PARAMETERS", 5))}, open(os.environ["STAND_IN_CUBIN"], "rb").read())
)";

class TritonLaunch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!platform::find_program({"python3"})) GTEST_SKIP() << "there is no python3";
    const auto python = folder_.value().path() / "stand-in", cubin = folder_.value().path() / "cubin";
    std::ofstream(python) << kStandIn;
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    const auto bytes = fake_cuda::fake_cubin({{"fuselab_kernel", 5}},
                                             "extern \"C\" __global__ void fuselab_kernel(x, y, z, scratch, profile) {}", true);
    std::ofstream(cubin, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    variables_.set("FUSELAB_PYTHON", python.string());
    variables_.set("STAND_IN_CUBIN", cubin.string());
    variables_.set("FUSELAB_LIB_CUDA", FAKE_DRIVER);
    variables_.set("FUSELAB_FAKE_CUDA_RUNNER", "");
  }

  std::string cubin() const { return (folder_.value().path() / "cubin").string(); }

  test::Variables variables_;
  Result<platform::TemporaryFolder> folder_ = platform::TemporaryFolder::create("fuselab-test");
};

TEST_F(TritonLaunch, HasTheGridAndTheSharedMemoryThatTheCompilerSays) {
  const auto backend = make_triton_backend();
  ASSERT_TRUE(backend->probe().usable) << backend->probe().reason;
  const auto devices = backend->enumerate();
  ASSERT_TRUE(devices.ok() && !devices.value().empty());
  const DeviceInfo& device = devices.value().front();
  EXPECT_EQ(device.id, "triton:0");
  const Graph graph = testing::graph_from("graph(x: f32[1000], y: f32[1000]) { z = Add(x, y); return z }");
  const LaunchConfig config{{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}};
  const auto kernel = compile_kernel(*backend, graph, config, device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(kernel.value().abi.shared_bytes.text, "2048");
  EXPECT_THAT(kernel.value().identity.compiler_version, HasSubstr("9.9+ptxas1.2+ptxas-blackwell3.4+helper"));
  EXPECT_THAT(kernel.value().identity.flags, HasSubstr("--num-warps=2"));

  auto runtime = backend->open(device);
  ASSERT_TRUE(runtime.ok()) << runtime.error().message;
  const auto loaded = runtime.value()->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  Launch launch{loaded.value().get(), {}};
  for (const BufferRole role : {BufferRole::kIn, BufferRole::kIn, BufferRole::kOut})
    launch.arguments.push_back(runtime.value()->allocate({4000}, role).value());
  const auto shapes = folder_.value().path() / "shapes";
  variables_.set("FUSELAB_FAKE_CUDA", "shapes=" + shapes.string());
  EXPECT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  EXPECT_TRUE(runtime.value()->synchronize().ok());
  std::vector<std::string> launched;
  std::ifstream lines(shapes);
  for (std::string line; std::getline(lines, line);) launched.push_back(line);
  EXPECT_THAT(launched, ElementsAre("fuselab_kernel 4 64 2048 1"));
}

TEST_F(TritonLaunch, GivesNoStoredTextToPython) {
  const auto backend = make_triton_backend();
  const Graph graph = testing::graph_from("graph(x: f32[1000], y: f32[1000]) { z = Add(x, y); return z }");
  const Target target = virtual_target("sm_90a").value().target;
  const auto made = compile_kernel(*backend, graph, {{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}}, target,
                                   OptimizationLevel::kO2, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  CompiledKernel stored = made.value();
  stored.source.text += "import os; os.system('trap')\n";
  const auto refused = recompile_kernel(*backend, stored, target, stored.identity.flags, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUntrusted);
  std::ifstream texts(cubin() + ".texts");
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(texts), {}}), made.value().source.text) << "one text, this program's own";
}

// What a compiler decides of a launch is no difference of texts.
TEST_F(TritonLaunch, KnowsAKernelAgainWhoseSharedMemoryTheCompilerDecided) {
  const auto backend = make_triton_backend();
  const Graph graph = testing::graph_from("graph(x: f32[1000], y: f32[1000]) { z = Add(x, y); return z }");
  const Target target = virtual_target("sm_90a").value().target;
  const LaunchConfig config{{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}};
  const auto made = compile_kernel(*backend, graph, config, target, OptimizationLevel::kO2, {});
  const auto written = generate_kernel(*backend, graph, config, target, OptimizationLevel::kO2);
  ASSERT_TRUE(made.ok() && written.ok());
  EXPECT_NE(made.value().abi, written.value().abi);
  EXPECT_TRUE(is_written_alike(made.value(), written.value()));
  CompiledKernel other = made.value();
  other.abi.grid_x.text = "99";
  EXPECT_FALSE(is_written_alike(other, written.value()));
}

TEST_F(TritonLaunch, RefusesAKernelOfOtherParametersThanALaunchPasses) {
  variables_.set("STAND_IN_PARAMETERS", "6");
  const auto backend = make_triton_backend();
  const Graph graph = testing::graph_from("graph(x: f32[1000], y: f32[1000]) { z = Add(x, y); return z }");
  const auto kernel = compile_kernel(*backend, graph, {{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}},
                                     virtual_target("sm_90a").value().target, OptimizationLevel::kO2, {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.error().message, HasSubstr("has 6 parameters, and a launch passes 5"));
}

TEST_F(TritonLaunch, AFirstStartThatFailedIsTriedAgain) {
  std::ofstream(cubin() + ".late") << "once";
  const auto backend = make_triton_backend();
  EXPECT_FALSE(backend->compiler()->probe().usable);
  const Availability later = backend->compiler()->probe();
  EXPECT_TRUE(later.usable) << later.reason;
}

TEST_F(TritonLaunch, SaysWhyNothingRunsHere) {
  variables_.set("FUSELAB_LIB_CUDA", "/nonexistent/libcuda.so.1");
  const auto backend = make_triton_backend();
  const Availability availability = backend->probe();
  EXPECT_FALSE(availability.usable);
  EXPECT_THAT(availability.reason, HasSubstr("compiles here, and nothing runs its kernels"));
  EXPECT_THAT(availability.reason, HasSubstr("libcuda.so.1"));
}

}  // namespace
}  // namespace fuselab::triton
