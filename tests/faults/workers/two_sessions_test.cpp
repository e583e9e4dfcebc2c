// SPDX-License-Identifier: Apache-2.0
// Two sessions on one machine: what one of them times, the other does not compile beside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/platform/machine/turn_lock.h"
#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Another session, of which only its hold on the CPUs is seen here.
class TwoSessions : public WorkerFixture {
 protected:
  void TearDown() override { end_other(); }

  enum class Doing { kTiming, kCompiling };
  void start_other(Doing doing) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const std::filesystem::path path = folder_.path() / "locks/host-cpus.lock";
    other_ = ::fork();
    if (other_ == 0) {
      const auto lock = doing == Doing::kTiming ? platform::TurnLock::take_alone(path, "the CPU", {})
                                                : platform::TurnLock::share(path, "the CPU", {}, {});
      if (lock.ok() && ::write(ready[1], "!", 1) == 1) ::sleep(600);
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
  }
  void end_other() {
    if (other_ < 0) return;
    ::kill(other_, SIGKILL);
    ::waitpid(other_, nullptr, 0);
    other_ = -1;
  }

  template <typename Work>
  bool waits_for_other(Work work, milliseconds longest = std::chrono::minutes(1)) {
    return waits_until(
        work, [this] { ::kill(other_, SIGKILL); }, longest);
  }

  int other_ = -1;
};

TEST_F(TwoSessions, CompilingWaitsForTheOthersTiming) {
  ASSERT_TRUE(compile(0, "none").ok());  // the pool is up
  start_other(Doing::kTiming);
  const int pid = other_;
  EXPECT_TRUE(waits_for_other([&] { EXPECT_TRUE(compile(1, "none").ok()); }));
  ASSERT_EQ(waited_.size(), 1U);
  EXPECT_THAT(waited_[0], HasSubstr("(pid " + std::to_string(pid) + ")"));
  EXPECT_THAT(waited_[0], HasSubstr("compiling waits"));
}

TEST_F(TwoSessions, GeneratingTextWaitsForNobody) {
  const LaunchConfig config{{"a", std::int64_t{1}}, {"b", std::int64_t{1}}, {"fault", std::string("none")}};
  wire::GenerateRequest request{"null", device_.target, canonical_text(graph()), {config}, OptimizationLevel::kO2};
  start_other(Doing::kTiming);
  EXPECT_TRUE(pool_->generate(request, {}).front().ok());  // else it would hang here
}

TEST_F(TwoSessions, LookingForDevicesWaitsForTheOthersTiming) {
  start_other(Doing::kTiming);
  EXPECT_TRUE(waits_for_other([&] { EXPECT_TRUE(pool_->probe("null").ok()); })) << "a probe tries the compiler";
}

TEST_F(TwoSessions, CompilingGoesOnBesideTheOthersCompiling) {
  start_other(Doing::kCompiling);
  EXPECT_TRUE(compile(0, "none").ok());
}

TEST_F(TwoSessions, TimingOnTheCpuWaitsForTheOthersCompiling) {
  const Block block = block_of({"none"});
  start_other(Doing::kCompiling);
  EXPECT_TRUE(pool_->measure(device_, block, {}).ok());  // a device that is no CPU: nothing to wait for
  device_.type = "cpu";
  // Nobody is told of this wait.
  EXPECT_TRUE(waits_for_other([&] { EXPECT_TRUE(pool_->measure(device_, block, {}).ok()); }, milliseconds(300)));
}

TEST_F(TwoSessions, WaitingIsCountedApart) {
  const double before = pool_->waited_seconds();
  start_other(Doing::kTiming);
  EXPECT_TRUE(waits_for_other([&] { EXPECT_TRUE(compile(0, "none").ok()); }));
  EXPECT_GT(pool_->waited_seconds() - before, 0.15);
}

TEST_F(TwoSessions, WaitingForTheOtherEndsWithACancel) {
  start_other(Doing::kTiming);
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  const LaunchConfig config{{"a", std::int64_t{2}}, {"b", std::int64_t{1}}, {"fault", std::string("none")}};
  const auto kernel = pool_->compile({"null", device_.target, canonical_text(graph()), config}, stop.get_token());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace fuselab::engine
