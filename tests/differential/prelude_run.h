// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"

namespace fuselab::testing {

// Distance to the exact value in units of the last place of the result's type.
template <typename T>
double ulps(T actual, long double exact) {
  const T rounded = static_cast<T>(exact);
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(fabsl(static_cast<long double>(actual) - exact) /
                             (static_cast<long double>(next) - std::fabs(rounded)));
}

// What the generated kernel of the graph makes of the inputs, which are all as long as its output.
template <typename T>
std::vector<T> computed(const std::string& text, const std::vector<std::vector<T>>& inputs) {
  const auto backend = make_cpu_backend();
  const DeviceInfo device = backend->enumerate().value().front();
  const Graph graph = parse_graph(text).value();
  const LaunchConfig config = backend->generator()->default_config(graph, device.target);
  const auto kernel = compile_kernel(*backend, graph, config, device.target, OptimizationLevel::kO2, {}).value();
  auto runtime = backend->open(device).value();
  auto executable = runtime->load(kernel).value();
  const Bytes size{static_cast<std::int64_t>(inputs.front().size() * sizeof(T))};
  std::vector<Buffer> buffers;
  for (const auto& input : inputs) {
    buffers.push_back(runtime->allocate(size, BufferRole::kIn).value());
    EXPECT_TRUE(runtime->upload(buffers.back(), std::as_bytes(std::span(input))).ok());
  }
  buffers.push_back(runtime->allocate(size, BufferRole::kOut).value());
  EXPECT_TRUE(executable->enqueue(buffers).ok());
  std::vector<T> result(inputs.front().size());
  EXPECT_TRUE(runtime->download(std::as_writable_bytes(std::span(result)), buffers.back()).ok());
  return result;
}

}  // namespace fuselab::testing
