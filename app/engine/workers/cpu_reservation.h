// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace fuselab::engine {

// Keeps compilers off the CPUs while something is timed on them: any number may compile at the same time, a timing is alone. A
// waiting timing goes before compilations that come later.
class CpuReservation {
 public:
  class Beside {
   public:
    Beside(CpuReservation& reservation, std::stop_token stop);
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    ~Beside();
    bool held() const { return held_; }  // false when stopped while waiting

   private:
    CpuReservation& reservation_;
    bool held_;
  };

  class Alone {
   public:
    Alone(CpuReservation& reservation, std::stop_token stop);
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    ~Alone();
    bool held() const { return held_; }

   private:
    CpuReservation& reservation_;
    bool held_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int beside_ = 0;
  int waiting_ = 0;  // timings
  bool alone_ = false;
};

}  // namespace fuselab::engine
