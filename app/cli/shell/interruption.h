// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace fuselab::cli {

// While it lives, Ctrl-C and SIGTERM ask to stop instead of ending the program, so that what it started and wrote elsewhere is
// taken back; a second one ends it where it stands. Of the main thread; one at a time.
class Interruption {
 public:
  Interruption();
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread watch_;  // after what it asks
};

}  // namespace fuselab::cli
