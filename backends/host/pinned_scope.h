// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace fuselab::host {

// Keeps the calling thread on these processors. Where pinning is forbidden threads move; timings are then noisier, not wrong.
void pin_thread(const std::vector<int>& cpus);

// Makes the calling thread keep denormals from now on, when reading and writing; returns the previous control word.
unsigned keep_denormals();

// Keeps the calling thread on these processors, with denormals kept, while the object lives.
class PinnedScope {
 public:
  explicit PinnedScope(const std::vector<int>& cpus);
  explicit PinnedScope(int cpu) : PinnedScope(std::vector<int>{cpu}) {}
  PinnedScope(const PinnedScope&) = delete;
  PinnedScope& operator=(const PinnedScope&) = delete;
  ~PinnedScope();

 private:
  std::vector<int> before_;
  unsigned control_ = 0;
};

}  // namespace fuselab::host
