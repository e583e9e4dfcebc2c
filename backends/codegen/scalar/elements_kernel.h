// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/scalar/elements.h"

// Common parts of kernels that compute one element at a time, however their elements are spread over threads.
namespace fuselab::codegen {

// Checks that such a kernel can be written for the graph. Restrictions of the operators' own attributes are only reported by
// elements_written().
// Fails with kUnsupported and the reason.
Status elements_take(const Graph& graph);

// Appends the computation of an element of the graph's output, and its store.
void write_element(Elements& elements, const Function& function, std::size_t output, const Place& place, Body& body);

// Returns the number of elements of the largest result.
std::int64_t most_elements(const Graph& graph);

// Checks a kernel after everything was written; the code that was written runs `times` times.
// Fails with kUnsupported and the first refusal, or where the kernel would run for longer than a launch may.
Status elements_written(const Elements& elements, std::int64_t times);

}  // namespace fuselab::codegen
