// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/interruption.h"

#include <chrono>
#include <csignal>

namespace fuselab::cli {
namespace {

volatile std::sig_atomic_t g_stop_asked_for = 0;

void note_stop(int number) {
  g_stop_asked_for = 1;
  std::signal(number, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  std::signal(SIGINT, note_stop);
  std::signal(SIGTERM, note_stop);
  // A handler may set a flag and hardly anything else.
  watch_ = std::jthread([this](const std::stop_token& done) {
    while (!done.stop_requested() && !stop_.stop_requested()) {
      if (g_stop_asked_for != 0) stop_.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

}  // namespace fuselab::cli
