// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/loading/shared_library.h"
#include "core/base/result.h"

namespace fuselab::host {

// The threads that the library computes with: those of the OpenMP it was built with, or the calling thread alone. Each is kept on
// one processor where that OpenMP gives access to them. Used by one thread.
class OmpTeam {
 public:
  OmpTeam() = default;
  // The calling thread alone, on this processor.
  static OmpTeam alone(int cpu);
  // Reaches the threads of the OpenMP that the library was loaded with, or of the one that it is.
  // Fails with kUnavailable where there is none.
  static Result<OmpTeam> of(const loading::OpenedLibrary& library, std::vector<int> cpus);

  int most() const { return static_cast<int>(cpus_.size()); }
  const std::vector<int>& cpus() const { return cpus_; }
  const std::string& name() const { return name_; }  // "OpenMP, pinned"
  bool pins() const { return parallel_ != nullptr || most() == 1; }
  // Sets the number of threads of what runs next. Threads are made, pinned and keep denormals before it returns.
  Status use(int threads);
  // Calls work(thread, threads) on each thread of such a team; on the calling one alone where that OpenMP gives access to no other.
  Status run(int threads, const std::function<void(int, int)>& work);
  // Call this before timing: threads of a larger team used before stop spinning.
  void let_others_sleep();

 private:
  std::vector<int> cpus_{0};
  std::string name_ = "sequential";
  int now_ = 0;
  int awake_ = 0;  // threads that may still spin
  void (*set_threads_)(int) = nullptr;
  int (*most_threads_)() = nullptr;
  void (*parallel_)(void (*work)(void*), void* data, unsigned threads, unsigned flags) = nullptr;  // GOMP_parallel
  int (*thread_number_)() = nullptr;
};

}  // namespace fuselab::host
