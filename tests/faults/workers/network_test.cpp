// SPDX-License-Identifier: Apache-2.0
// No backend gets a socket of the internet, and a library that asks for one is told of.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "app/engine/workers/worker_client.h"
#include "tests/faults/workers/worker_fixture.h"
#include "tests/support/environment_variables.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Whether the kernel filters what a process asks for: "Seccomp: 2".
bool is_filtered(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    if (word == "Seccomp:") return status >> word && word == "2";
  }
  return false;
}

class Network : public testing::Test {
 protected:
  BackendReport probe(const std::string& backend) {
    WorkerPoolOptions options;
    options.worker_program = worker_program();
    options.cache_directory = folder_.path() / "cache";
    options.lock_directory = folder_.path() / "locks";
    auto report = WorkerPool(options).probe(backend);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? report.value() : BackendReport();
  }

  ScratchFolder folder_;
  test::Variables variables_;
};

TEST_F(Network, IsClosedToWorkersOfEveryRole) {
  for (const WorkerRole role : {WorkerRole::kProbe, WorkerRole::kCompile, WorkerRole::kMeasure}) {
    WorkerOptions options;
    options.program = worker_program();
    const auto worker = WorkerClient::spawn(options, role);
    ASSERT_TRUE(worker.ok()) << worker.error().message;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_filtered(worker.value()->pid()) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_filtered(worker.value()->pid())) << name_of(role);
  }
}

TEST_F(Network, IsAskedForByNoBackendThatCanBeUsedHere) {
  WorkerPoolOptions options;
  options.worker_program = worker_program();
  const auto ids = WorkerPool(options).backend_ids();
  ASSERT_TRUE(ids.ok()) << ids.error().message;
  for (const std::string& id : ids.value()) {
    EXPECT_THAT(probe(id).availability.reason, Not(HasSubstr("network"))) << id;
  }
}

#ifdef FAKE_ONNXRUNTIME_GOOD
TEST_F(Network, IsNotAskedForByALibraryThatCanBeToldNotTo) {
  variables_.set("FUSELAB_LIB_ONNXRUNTIME", FAKE_ONNXRUNTIME_GOOD);
  const BackendReport report = probe("onnxruntime");
  EXPECT_TRUE(report.availability.usable);
  EXPECT_THAT(report.availability.reason, IsEmpty());
}

TEST_F(Network, IsRefusedToALibraryThatCallsHomeAllTheSame) {
  variables_.set("FUSELAB_LIB_ONNXRUNTIME", FAKE_ONNXRUNTIME_GOOD);
  variables_.set("FAKE_CALLS_HOME", "1");
  const BackendReport report = probe("onnxruntime");
  EXPECT_TRUE(report.availability.usable) << "what it computes needs no network";
  EXPECT_EQ(report.availability.reason, "it asked for the network, which was refused (2 sockets)");
}
#endif

}  // namespace
}  // namespace fuselab::engine
