// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::detail {

// Prints the broken expectation with its place and aborts. It marks a programmer's error, never reachable from user input.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace fuselab::detail

#define FL_ASSERT(expression) \
  (static_cast<bool>(expression) ? void() : ::fuselab::detail::assertion_failed(#expression, __FILE__, __LINE__))
