// SPDX-License-Identifier: Apache-2.0
// A stored kernel of a compiler that runs texts: the worker's Python, which a stand-in takes the place of, sees this program's own
// texts alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/engine/kernels/recompiled_kernel.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "tests/support/environment_variables.h"

namespace fuselab::engine {
namespace {

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
        send({"ok": True, "triton": "9.9", "ptxas": "1.2", "ptxas-blackwell": "3.4"})
    else:
        with open(os.environ["STAND_IN_TEXTS"], "a") as texts:
            texts.write(request["text"])
        send({"ok": True, "format": "cubin", "shared_bytes": 2048, "parameters": len(request["signature"]) + 2}, b"cubin")
)";

TEST(StoredText, ThatThisProgramWritesIsCompiledAgainAndNoOther) {
  if (!platform::find_program({"python3"})) GTEST_SKIP() << "there is no python3";
  auto folder = platform::TemporaryFolder::create("fuselab-test");
  ASSERT_TRUE(folder.ok());
  const auto python = folder.value().path() / "stand-in", log = folder.value().path() / "texts";
  std::ofstream(python) << kStandIn;
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  test::Variables variables;
  variables.set("FUSELAB_PYTHON", python.string());
  variables.set("STAND_IN_TEXTS", log.string());

  WorkerPoolOptions options;
  options.worker_program = std::getenv("FUSELAB_WORKER_PROGRAM");
  options.cache_directory = folder.value().path() / "cache";
  WorkerPool workers(options);
  const Target target = virtual_target("sm_90a").value().target;
  const std::string graph = "graph(i0: f32[1000], i1: f32[1000]) { v0 = Add(i0, i1); return v0 }";
  const LaunchConfig config{{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}};
  const auto made = workers.compile({"triton", target, graph, config, OptimizationLevel::kO2}, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  CompiledKernel stored = made.value();
  stored.binary = {};
  const std::string flags = stored.identity.flags;
  const auto again = recompiled_kernel(workers, {"triton", target, stored, flags}, graph, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().binary.data, made.value().binary.data);
  EXPECT_EQ(again.value().kernel_id(), made.value().kernel_id());
  EXPECT_EQ(again.value().abi, made.value().abi);

  const auto code_of = [&](const CompiledKernel& kernel, const std::string& with, const std::string& of) {
    const auto refused = recompiled_kernel(workers, {"triton", target, kernel, with}, of, {});
    return refused.ok() ? ErrorCode::kInternal : refused.error().code;
  };
  CompiledKernel foreign = stored;
  foreign.source.text += "import os; os.system('trap')\n";
  EXPECT_EQ(code_of(foreign, flags, graph), ErrorCode::kUntrusted);
  foreign = stored;
  foreign.abi.grid_x.text = "99";
  EXPECT_EQ(code_of(foreign, flags, graph), ErrorCode::kUntrusted);
  EXPECT_EQ(code_of(stored, flags, ""), ErrorCode::kUntrusted);
  EXPECT_EQ(code_of(stored, flags, "graph(i0: f32[1000], i1: f32[1000]) { v0 = Sub(i0, i1); return v0 }"), ErrorCode::kUntrusted);
  EXPECT_EQ(code_of(stored, flags + " --num-warps=99", graph), ErrorCode::kUnsupported);
  std::ifstream texts(log);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(texts), {}}), stored.source.text + stored.source.text);
}

}  // namespace
}  // namespace fuselab::engine
