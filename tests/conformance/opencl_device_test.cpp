// SPDX-License-Identifier: Apache-2.0
// What an OpenCL device's own clock and limits say, beside the host's.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/opencl/opencl_runtime.h"
#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/backends/backends.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

using opencl::OpenClRuntime;

struct Clocked {
  std::vector<double> samples;  // ns
  TimingSource source = TimingSource::kHostWall;
};

// The first device as one of the type that is given, which decides by what clock it is timed.
Clocked timed_as(const std::string& type, FusionBackend& backend) {
  Clocked clocked;
  auto const library = opencl::OpenClLibrary::open();
  auto devices = opencl::list_devices(*library.value());
  opencl::OpenClDevice device = devices.value().front();
  device.info.type = type;
  auto const runtime = OpenClRuntime::open(library.value(), device);
  auto const graph = parse_graph("graph(x: f32[1024,1024]) { y = Exp(x); return y }").value();
  auto const config = backend.generator()->default_config(graph, device.info.target);
  auto const kernel = compile_kernel(backend, graph, config, device.info.target, OptimizationLevel::kO2, {});
  if (!runtime.ok() || !kernel.ok()) return clocked;
  auto const run = KernelRun::create(*runtime.value(), kernel.value(), graph);
  if (!run.ok() || !run.value()->launch().ok()) return clocked;
  for (int i = 0; i < 15; ++i) {
    auto const timing = run.value()->time(4);
    if (!timing.ok()) return clocked;
    clocked.source = timing.value().source;
    clocked.samples.push_back(timing.value().duration.count);
  }
  std::sort(clocked.samples.begin(), clocked.samples.end());
  return clocked;
}

// A processor is timed by the host's clock, so that it compares with the cpu backend; a GPU by its own. Where both can be read,
// they agree but for what handing the work over costs.
TEST(OpenClDevice, AgreesWithTheHostsClock) {
  Opened const opened = open_first_device(opencl_case());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  Clocked const host = timed_as("cpu", *opened.backend), device = timed_as("gpu", *opened.backend);
  ASSERT_EQ(host.samples.size(), 15U);
  ASSERT_EQ(device.samples.size(), 15U);
  EXPECT_EQ(host.source, TimingSource::kHostWall);
  EXPECT_EQ(device.source, TimingSource::kDeviceEvents);
  double const ratio = device.samples.front() / host.samples.front();  // the quickest: others share the machine
  RecordProperty("events_over_wall", std::to_string(ratio));
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 1.5);
}

TEST(OpenClDevice, MeasuresItsOwnLimits) {
  Opened const opened = open_first_device(opencl_case());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  auto* const probe = dynamic_cast<CeilingProbe*>(opened.runtime.get());
  ASSERT_NE(probe, nullptr);
  auto const streams = probe->measure_streams(1, 1, {1 << 20}, 0.05);
  ASSERT_TRUE(streams.ok()) << streams.error().message;
  CeilingTable table{streams.value()};
  EXPECT_GT(table.bandwidth_of_class(1, 1, {1 << 20}), 1e8);
  if (!run_everything()) return;  // a driver compiles eight kernels for the rates
  auto const rates = probe->measure_flops(0.1);
  ASSERT_TRUE(rates.ok()) << rates.error().message;
  table.rows.insert(table.rows.end(), rates.value().begin(), rates.value().end());
  EXPECT_GT(table.peak_flops(), 1e8);
  auto const launch = std::find_if(table.rows.begin(), table.rows.end(), [](const Ceiling& row) { return row.kind == "launch"; });
  ASSERT_NE(launch, table.rows.end());
  EXPECT_GT(launch->per_second, 10);
}

}  // namespace
}  // namespace fuselab::conformance
