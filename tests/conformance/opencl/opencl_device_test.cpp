// SPDX-License-Identifier: Apache-2.0
// What an OpenCL device's own clock and limits say, beside the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backends/opencl/opencl_runtime.h"
#include "core/backend/device_monitor.h"
#include "core/backend/kernel_facts.h"
#include "core/graph/graph_text.h"
#include "core/platform/system/clock.h"
#include "core/profile/vocabulary.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"
#include "tests/support/environment_variables.h"

namespace fuselab::conformance {
namespace {

using opencl::OpenClRuntime;

// What of the host's time around a timed run the device's own clock saw, of 15 runs; empty where they could not be timed.
std::vector<double> shares_of_wall(FusionBackend& backend) {
  const auto library = opencl::OpenClLibrary::open();
  const auto devices = opencl::list_devices(*library.value());
  opencl::OpenClDevice device = devices.value().front();
  device.info.type = "gpu";  // the type decides by what clock it is timed
  const auto runtime = OpenClRuntime::open(library.value(), device);
  const auto graph = parse_graph("graph(x: f32[1024,1024]) { y = Exp(x); return y }").value();
  const auto config = backend.generator()->default_config(graph, device.info.target);
  const auto kernel = compile_kernel(backend, graph, config, device.info.target, OptimizationLevel::kO2, {});
  if (!runtime.ok() || !kernel.ok()) return {};
  const auto run = KernelRun::create(*runtime.value(), kernel.value(), graph);
  if (!run.ok() || !run.value()->launch().ok()) return {};
  std::vector<double> shares;
  for (int i = 0; i < 15; ++i) {
    const Nanoseconds start = platform::monotonic_now();
    const auto timing = run.value()->time(4);
    const Nanoseconds end = platform::monotonic_now();
    if (!timing.ok() || timing.value().source != TimingSource::kDeviceEvents) return {};
    shares.push_back(timing.value().duration.count / (end.count - start.count));
  }
  return shares;
}

// A processor is timed by the host's clock, so that it compares with the cpu backend; a GPU by its own. Where both can be read, of
// the same launches, they agree but for what handing the work over costs.
TEST(OpenClDevice, AgreesWithTheHostsClock) {
  const Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto shares = shares_of_wall(*opened.backend);
  ASSERT_EQ(shares.size(), 15U);
  const double most = *std::max_element(shares.begin(), shares.end());
  EXPECT_GT(most, 0.3) << "of four launches, undisturbed";
  EXPECT_LT(most, 1.05);
}

// A processor's driver drives it here in place of a GPU's; what is asked for is which library the runtime goes to.
TEST(OpenClDevice, IsReadByItsVendorsSensors) {
  const Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto library = opencl::OpenClLibrary::open();
  opencl::OpenClDevice device = opencl::list_devices(*library.value()).value().front();
  device.info.type = "gpu";
  device.info.properties["vendor"] = "Advanced Micro Devices, Inc.";
  device.info.properties["pci"] = "0000:c3:00.0";
  test::Variables variables;
  variables.set("FUSELAB_LIB_AMD_SMI", FAKE_AMD_SMI);
  const auto runtime = OpenClRuntime::open(library.value(), device);
  ASSERT_TRUE(runtime.ok()) << runtime.error().message;
  auto* const monitor = dynamic_cast<DeviceMonitor*>(runtime.value().get());
  ASSERT_NE(monitor, nullptr);
  EXPECT_EQ(monitor->driver_version(), "6.10.5");
  const auto state = monitor->state();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(state.value().core_mhz, 2104);
  device.info.properties["vendor"] = "Intel(R) Corporation";
  const auto other = OpenClRuntime::open(library.value(), device);
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_EQ(dynamic_cast<DeviceMonitor*>(other.value().get()), nullptr) << "its sensors are not read";
}

TEST(OpenClDevice, ReportsAKernelBeforeItRuns) {
  const Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const Target& target = opened.runtime->info().target;
  const auto graph = parse_graph("graph(x: f32[64,1024]) { y = Softmax(x); return y }").value();
  const auto config = opened.backend->generator()->default_config(graph, target);
  const auto kernel = compile_kernel(*opened.backend, graph, config, target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto loaded = opened.runtime->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const auto* const known = dynamic_cast<const KernelFacts*>(loaded.value().get());
  ASSERT_NE(known, nullptr);
  std::map<std::string, Metric> facts;
  for (const Metric& fact : known->facts()) {
    EXPECT_NE(find_metric(fact.name), nullptr) << fact.name;
    EXPECT_EQ(fact.value.has_value(), fact.reason.empty()) << fact.name;
    facts[fact.name] = fact;
  }
  EXPECT_EQ(facts["static_threads"].value, config.integer("block", 0));
  EXPECT_GE(facts["static_group_limit"].value.value_or(0), facts["static_threads"].value.value_or(1));
  EXPECT_GT(facts["static_group_multiple"].value.value_or(0), 0);
  EXPECT_FALSE(facts["static_registers"].value) << "OpenCL has no word for them";
}

TEST(OpenClDevice, MeasuresItsOwnLimits) {
  const Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  auto* const probe = dynamic_cast<CeilingProbe*>(opened.runtime.get());
  ASSERT_NE(probe, nullptr);
  const auto streams = probe->measure_streams(1, 1, {1 << 20}, 0.05);
  ASSERT_TRUE(streams.ok()) << streams.error().message;
  CeilingTable table{streams.value()};
  EXPECT_GT(table.bandwidth_of_class(1, 1, {1 << 20}), 1e8);
  if (!run_everything()) return;  // a driver compiles eight kernels for the rates
  const auto rates = probe->measure_flops(0.1);
  ASSERT_TRUE(rates.ok()) << rates.error().message;
  table.rows.insert(table.rows.end(), rates.value().begin(), rates.value().end());
  EXPECT_GT(table.peak_flops(), 1e8);
  const auto launch = std::find_if(table.rows.begin(), table.rows.end(), [](const Ceiling& row) { return row.kind == "launch"; });
  ASSERT_NE(launch, table.rows.end());
  EXPECT_GT(launch->per_second, 10);
}

}  // namespace
}  // namespace fuselab::conformance
