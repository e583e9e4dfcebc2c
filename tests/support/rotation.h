// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace fuselab::test {

// ./test --full: suites that otherwise run a sample run every case.
inline bool run_everything() {
  const auto* full = std::getenv("FUSELAB_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

// Which sample: tests/seed, which the build compiles in, unless ./test was given another.
inline unsigned sample_seed() {
  const auto* seed = std::getenv("FUSELAB_TEST_SEED");
  return seed == nullptr ? FUSELAB_TESTS_SEED : static_cast<unsigned>(std::strtoul(seed, nullptr, 10));
}

}  // namespace fuselab::test
