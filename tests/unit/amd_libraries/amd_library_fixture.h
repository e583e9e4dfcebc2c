// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "backends/loading/shared_library.h"
#include "core/backend/backend.h"
#include "core/reference/tolerance.h"
#include "tests/conformance/kernel_run.h"
#include "tests/support/environment_variables.h"
#include "tests/support/graph_builder.h"

namespace fuselab::amd {

// One of AMD's libraries as a backend, on a stand-in for it and for HIP's runtime.
class AmdLibrary : public ::testing::Test {
 protected:
  // `variable` names the library's file, `behaviour` how its stand-in behaves.
  AmdLibrary(const char* variable, const char* file, const char* behaviour, std::unique_ptr<FusionBackend> (*make)())
      : behaviour_(behaviour), make_(make) {
    use("FUSELAB_LIB_HIP", FAKE_HIP);
    use("FUSELAB_FAKE_HIP", "");
    use("FUSELAB_LIB_HIPRTC", "/nowhere/libhiprtc.so");
    use(variable, file);
    behave("");
    backend_ = make();
  }
  void TearDown() override {
    runtime_.reset();
    const auto misuses = loading::open_library(FAKE_HIP).symbol("fuselab_fake_hip_misuses");
    EXPECT_EQ(reinterpret_cast<int (*)()>(misuses)(), 0) << "what HIP's runtime would have refused";
  }

  void use(const char* variable, const std::string& value) { variables_.set(variable, value); }
  void behave(const std::string& behaviour) { use(behaviour_, behaviour); }
  // As in a fresh process.
  void start_again() {
    runtime_.reset();
    backend_ = make_();
  }
  std::string why_unusable() {
    start_again();
    const Availability found = backend_->probe();
    return found.usable ? "it is usable" : found.reason;
  }
  DeviceInfo device() {
    const auto devices = backend_->enumerate();
    EXPECT_TRUE(devices.ok()) << devices.error().message;
    return devices.ok() ? devices.value().front() : DeviceInfo();
  }
  void open() {
    auto opened = backend_->open(device());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
  }
  // Empty where it is taken.
  std::string why_not(const char* text) {
    return backend_->generator()->supports(testing::graph_from(text), device().target).why_not;
  }
  ParameterSpace space(const Graph& graph) { return backend_->generator()->space(graph, device().target); }

  Result<CompiledKernel> compiled(const Graph& graph, const LaunchConfig& config) {
    return compile_kernel(*backend_, graph, config, device().target, OptimizationLevel::kO2, {});
  }
  Result<CompiledKernel> compiled(const Graph& graph) {
    return compiled(graph, backend_->generator()->default_config(graph, device().target));
  }
  Result<CompiledKernel> compiled_with(const Graph& graph, std::int64_t solution) {
    LaunchConfig config = backend_->generator()->default_config(graph, device().target);
    config.set("solution", solution);
    return compiled(graph, config);
  }

  // With ordinary inputs, then with large ones, infinities, NaN and denormals.
  void expect_right(const char* text) {
    SCOPED_TRACE(text);
    if (runtime_ == nullptr) open();
    const Graph graph = testing::graph_from(text);
    ASSERT_EQ(why_not(text), "");
    const auto verified = conformance::compile_and_verify(*backend_, *runtime_, graph);
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_TRUE(verified.value().passed) << verified.value().detail;
  }

  std::unique_ptr<FusionBackend> backend_;
  std::unique_ptr<DeviceRuntime> runtime_;

 private:
  test::Variables variables_;
  const char* behaviour_;
  std::unique_ptr<FusionBackend> (*make_)();
};

}  // namespace fuselab::amd
