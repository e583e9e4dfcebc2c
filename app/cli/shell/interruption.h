// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace fuselab::cli {

// While it lives, Ctrl-C and SIGTERM request a stop instead of ending the program, so that processes it started and files it wrote
// elsewhere are cleaned up; a second signal ends the program at once. Used by the main thread; one at a time.
class Interruption {
 public:
  Interruption();
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread watch_;  // last: it uses the stop source
};

}  // namespace fuselab::cli
