// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/scalar/elements.h"

// What kernels that compute one element at a time have in common, however their elements are spread over threads.
namespace fuselab::codegen {

// Success, or kUnsupported with the reason why no such kernel is written for the graph. What the operators' own attributes forbid
// is said by elements_written() only.
Status elements_take(const Graph& graph);

// Appends the computation of an element of the graph's output, and its store.
void write_element(Elements& elements, const Function& function, std::size_t output, const Place& place, Body& body);

// Elements of the largest result.
std::int64_t most_elements(const Graph& graph);

// After everything was written: kUnsupported with the first refusal, or where the kernel would run for longer than a launch may.
// What was written runs so many `times`.
Status elements_written(const Elements& elements, std::int64_t times);

}  // namespace fuselab::codegen
