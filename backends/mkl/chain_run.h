// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backends/loading/shared_library.h"
#include "backends/mkl/mkl_plan.h"

namespace fuselab::mkl {

// A chain made ready to run chunk by chunk. Its shape is flattened as far as its readings allow.
class ChainRun {
 public:
  // `library` has all functions. `mode`: of the functions. `chunk`: elements of one call at most.
  ChainRun(const VectorChain& chain, const loading::OpenedLibrary& library, std::int64_t mode, std::int64_t chunk, int threads);

  // Computes the part of one of so many threads. `tensors`: the addresses of the plan's tensors.
  void run(const std::vector<float*>& tensors, int thread, int threads);

 private:
  struct Source : Reading {
    int fill = -1;  // the number of its filled chunk, where all elements of a row are one or they must be widened
  };
  struct Step : VectorStep {
    void* address = nullptr;  // of the function
  };

  void flatten(const VectorChain& chain);
  void call(const Step& step, int count, const float* a, const float* b, float* y) const;
  std::vector<float>& scratch(int thread, std::size_t number) {
    return scratch_[static_cast<std::size_t>(thread) * chunks_ + number];
  }

  std::int64_t mode_;
  std::int64_t chunk_;
  bool stores_bf16_;
  std::vector<std::int64_t> dims_;
  std::vector<Source> sources_;
  std::vector<Step> steps_;
  std::vector<std::vector<float>> numbers_;  // one filled chunk a step that has a number
  std::size_t chunks_ = 0;                   // of scratch, per thread: one a step, then one a filled reading
  std::vector<std::vector<float>> scratch_;
};

}  // namespace fuselab::mkl
