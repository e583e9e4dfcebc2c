// SPDX-License-Identifier: Apache-2.0
#include "core/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace fuselab::detail {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken expectation: %s\n", file, line, expression);
  std::abort();
}

}  // namespace fuselab::detail
