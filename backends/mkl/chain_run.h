// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backends/mkl/mkl_plan.h"

namespace fuselab::mkl {

// A chain made ready to run chunk by chunk. Its shape is flattened as far as its readings allow.
class ChainRun {
 public:
  // `chunk`: elements of one call at most. `mode`: of the vector functions. Tensors below `narrow` are bf16.
  ChainRun(const VectorChain& chain, const VectorFunctions& functions, std::int64_t mode, std::int64_t chunk, int threads,
           int narrow = 0);

  // Computes the part of one of so many threads. `tensors`: the addresses of the plan's tensors.
  void run(const std::vector<float*>& tensors, int thread, int threads);

 private:
  struct Flat {
    int tensor;
    std::vector<std::int64_t> strides;
    int fill = -1;  // the number of its filled chunk, where all elements of a row are one or they must be widened
  };

  void flatten(const VectorChain& chain);
  std::vector<float>& scratch(int thread, std::size_t number) {
    return scratch_[static_cast<std::size_t>(thread) * chunks_ + number];
  }

  const VectorFunctions& functions_;
  std::int64_t mode_;
  std::int64_t chunk_;
  int narrow_;
  std::vector<std::int64_t> dims_;
  std::vector<Flat> readings_;
  std::vector<VectorStep> steps_;
  std::vector<std::vector<float>> numbers_;  // one filled chunk a step that has a number
  std::size_t chunks_ = 0;                   // of scratch, per thread: one a step, then one a filled reading
  std::vector<std::vector<float>> scratch_;
};

}  // namespace fuselab::mkl
