// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/native/ceilings/stream_kernels.h"
#include "backends/native/threads/thread_pool.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::cpu {

// One loop of independent multiply-adds. Processors differ in which width and how many chains keep their units busy.
struct ArithmeticForm {
  std::string kind;  // Ceiling::kind: "flops", "flops-f64"
  std::string name;  // "AVX2, 12 chains": what Ceiling::form says
  FlopFunction run = nullptr;
  double per_round = 0;  // FLOPs
};

// Returns the forms of this kind that this processor runs.
std::vector<ArithmeticForm> arithmetic_forms(const std::string& kind);
// Returns the form of this name, or the kind's first where none has it; without a function where the kind has none.
ArithmeticForm arithmetic_form_named(const std::string& kind, const std::string& name);

// Runs `rounds` rounds on each of so many threads.
void calculate(ThreadPool& pool, int threads, const ArithmeticForm& form, std::size_t rounds);

// Measures multiply-adds per second, one row per kind and number of threads, each of the fastest form.
std::vector<Ceiling> measure_arithmetic_ceilings(ThreadPool& pool, double seconds);

}  // namespace fuselab::cpu
