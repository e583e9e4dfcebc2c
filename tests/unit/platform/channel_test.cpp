// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/channel.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>
#include <vector>

namespace fuselab::platform {
namespace {

using std::chrono::milliseconds;

TEST(Channel, CarriesMoreThanTheKernelBuffers) {
  auto ends = Channel::create_pair();
  ASSERT_TRUE(ends.ok());
  std::vector<std::byte> sent(8 << 20);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 31 >> 3);
  std::thread sender([&] { EXPECT_TRUE(ends.value().first.send(sent, milliseconds(5000)).ok()); });
  std::vector<std::byte> got(sent.size());
  std::size_t filled = 0;
  while (filled < got.size()) {
    const auto part = ends.value().second.receive_some(std::span(got).subspan(filled), milliseconds(5000));
    ASSERT_TRUE(part.ok());
    filled += part.value();
  }
  sender.join();
  EXPECT_EQ(got, sent);
}

TEST(Channel, SaysWhenNothingCameInTime) {
  auto ends = Channel::create_pair();
  std::byte byte{};
  const auto got = ends.value().first.receive_some(std::span(&byte, 1), milliseconds(20));
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::kTimeout);
  const std::vector<std::byte> much(16 << 20);
  EXPECT_EQ(ends.value().first.send(much, milliseconds(20)).error().code, ErrorCode::kTimeout);
}

TEST(Channel, SurvivesTheOtherEndClosing) {
  auto ends = Channel::create_pair();
  ends.value().second.close();
  std::byte byte{};
  EXPECT_EQ(ends.value().first.receive_some(std::span(&byte, 1), milliseconds(1000)).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(ends.value().first.send(std::span(&byte, 1), milliseconds(1000)).error().code, ErrorCode::kUnavailable);
}

void on_signal(int) {}

TEST(Channel, SurvivesSignalsWhileItWaits) {
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: every wait is interrupted
  ::sigaction(SIGUSR1, &action, nullptr);
  auto ends = Channel::create_pair();
  const pthread_t waiter = ::pthread_self();
  std::thread disturber([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(milliseconds(2));
      ::pthread_kill(waiter, SIGUSR1);
    }
    const std::byte byte{42};
    EXPECT_TRUE(ends.value().second.send(std::span(&byte, 1), milliseconds(1000)).ok());
  });
  std::byte byte{};
  const auto got = ends.value().first.receive_some(std::span(&byte, 1), milliseconds(5000));
  disturber.join();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(byte, std::byte{42});
}

TEST(Channel, NoticesAHangupThroughUnreadData) {
  auto ends = Channel::create_pair();
  const std::byte byte{1};
  ASSERT_TRUE(ends.value().second.send(std::span(&byte, 1), milliseconds(1000)).ok());
  std::atomic<bool> woke = false;
  std::thread waiter([&] {
    wait_for_hangup(ends.value().first.fd());
    woke = true;
  });
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_FALSE(woke);
  ends.value().second.close();
  waiter.join();
  EXPECT_TRUE(woke);
}

}  // namespace
}  // namespace fuselab::platform
