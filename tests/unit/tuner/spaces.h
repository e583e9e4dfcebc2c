// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/tuning/parameter_space.h"

namespace fuselab::test {

// x and y count up to `size`, order is a word, and x + y is bounded: 2 × (size² less a corner) valid points.
inline ParameterSpace small_space(std::int64_t size = 8) {
  ParameterSpace space;
  for (const auto* name : {"x", "y"}) {
    Parameter axis{name, "", {}};
    for (std::int64_t value = 0; value < size; ++value) axis.values.emplace_back(value);
    EXPECT_TRUE(space.add(axis).ok());
  }
  EXPECT_TRUE(space.add(Parameter{"order", "", {std::string("xy"), std::string("yx")}}).ok());
  EXPECT_TRUE(space.add(Constraint{"x + y <= " + std::to_string(size + size / 2), "bounded"}).ok());
  return space;
}

inline LaunchConfig small_start() {
  return {{"x", std::int64_t{0}}, {"y", std::int64_t{0}}, {"order", std::string("xy")}};
}

// A bowl with its lowest point, 100, at x = size/2, y = size/4, order = yx.
inline double small_cost(const LaunchConfig& config, std::int64_t size = 8) {
  const double dx = static_cast<double>(config.integer("x", 0) - size / 2);
  const double dy = static_cast<double>(config.integer("y", 0) - size / 4);
  return 100 + 10 * dx * dx + 7 * dy * dy + dx * dy + (config.choice("order", "xy") == "xy" ? 5 : 0);
}

}  // namespace fuselab::test
