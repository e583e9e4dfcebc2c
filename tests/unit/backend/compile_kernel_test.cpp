// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "backends/null/null_backend.h"
#include "backends/null/null_script.h"
#include "core/backend/backend.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

Graph add_graph(std::int64_t elements) {
  return parse_graph("graph(i0: f32[" + std::to_string(elements) + "], i1: f32[" + std::to_string(elements) +
                     "]) { v0 = Add(i0, i1); return v0 }")
      .value();
}

LaunchConfig config_of(std::int64_t a, std::int64_t b, std::string fault = "none") {
  return {{"a", a}, {"b", b}, {"fault", std::move(fault)}};
}

class CompileKernel : public testing::Test {
 protected:
  std::unique_ptr<FusionBackend> backend_ = make_null_backend();
  Target plain_ = backend_->enumerate().value()[0].target;
  Target faulty_ = backend_->enumerate().value()[1].target;

  Result<CompiledKernel> compile(const Graph& graph, const LaunchConfig& config, const Target& target, std::stop_token stop = {}) {
    return compile_kernel(*backend_, graph, config, target, OptimizationLevel::kO2, std::move(stop));
  }
};

TEST_F(CompileKernel, FillsIdentityMetricsAndResources) {
  const auto graph = add_graph(8);
  const auto compiled = compile(graph, config_of(1, 2), plain_);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const auto& kernel = compiled.value();
  EXPECT_EQ(kernel.identity.graph, graph_key(graph));
  EXPECT_EQ(kernel.identity.backend, "null");
  EXPECT_EQ(kernel.identity.generator, "null-script");
  EXPECT_EQ(kernel.identity.source, ContentHash::of(kernel.source.text));
  EXPECT_EQ(kernel.identity.target, "null-1");
  EXPECT_EQ(kernel.identity.compiler, "null");
  EXPECT_EQ(kernel.identity.flags, "--target=null-1 -O2");
  EXPECT_EQ(kernel.identity.config, "a=1,b=2,fault=none");
  EXPECT_EQ(kernel.resources.at("code_bytes"), static_cast<std::int64_t>(kernel.binary.data.size()));
  EXPECT_EQ(kernel.metrics.binary_size.count, static_cast<std::int64_t>(kernel.binary.data.size()));
  EXPECT_GE(kernel.metrics.compile_time.count, 1e6) << "the script says at least a millisecond";
  EXPECT_EQ(kernel.metrics.level, OptimizationLevel::kO2);
  EXPECT_EQ(kernel.abi.arguments.size(), 3U);
}

TEST_F(CompileKernel, GivesEqualKernelsEqualIds) {
  const auto first = compile(add_graph(8), config_of(1, 2), plain_);
  const auto second = compile(add_graph(8), config_of(1, 2), plain_);
  const auto other = compile(add_graph(8), config_of(2, 2), plain_);
  EXPECT_EQ(first.value().kernel_id(), second.value().kernel_id());
  EXPECT_NE(first.value().kernel_id(), other.value().kernel_id());
}

TEST_F(CompileKernel, RefusesAConfigurationOutsideTheSpace) {
  const auto outside = compile(add_graph(8), config_of(7, 7), plain_);
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(outside.error().message,
            "launch configuration 'a=7,b=7,fault=none': a=7, b=7 violates a + b <= 12: the synthetic device has 12 synthetic "
            "units");
  EXPECT_FALSE(compile(add_graph(8), config_of(1, 1, "crash"), plain_).ok()) << "faults exist only on the faulty target";
}

TEST_F(CompileKernel, RefusesSymbolsAndOpaqueNodes) {
  const auto symbolic = parse_graph("graph(i0: f32[batch]) { v0 = Relu(i0); return v0 }").value();
  EXPECT_THAT(compile(symbolic, config_of(0, 0), plain_).error().message, HasSubstr("unbound symbols"));
  Graph opaque;
  const auto input = opaque.add_input("x", {DType::kF32, {4}});
  const auto node = opaque.add_opaque("Mystery", {input}, {{DType::kF32, {4}}});
  opaque.add_output(opaque.node(node).outputs[0]);
  const auto refused = compile(opaque, config_of(0, 0), plain_);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("'Mystery' is opaque"));
}

TEST_F(CompileKernel, PassesOnTheCompilersMessage) {
  const auto failed = compile(add_graph(8), config_of(0, 0, "compile-error"), faulty_);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(failed.error().message, HasSubstr("scripted compile error"));
}

TEST_F(CompileKernel, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(compile(add_graph(8), config_of(0, 0), plain_, source.get_token()).error().code, ErrorCode::kCancelled);
}

TEST(NullScript, SurvivesItsTextForm) {
  const auto script = null::script_for(add_graph(8), config_of(3, 4, "wrong")).value();
  const auto read = null::Script::parse(script.text());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().text(), script.text());
  EXPECT_EQ(read.value().fault, null::Fault::kWrong);
  EXPECT_FALSE(null::Script::parse("").ok());
  EXPECT_FALSE(null::Script::parse(script.text().substr(0, 40)).ok());
}

TEST(NullScript, HasOneLowestPointPerGraph) {
  for (const std::int64_t elements : {std::int64_t{1} << 20, std::int64_t{1} << 21, std::int64_t{1} << 22}) {
    const auto graph = add_graph(elements);
    std::vector<double> latencies;
    for (std::int64_t a = 0; a < 8; ++a) {
      for (std::int64_t b = 0; b < 8; ++b) latencies.push_back(null::script_for(graph, config_of(a, b)).value().latency_ns);
    }
    std::sort(latencies.begin(), latencies.end());
    EXPECT_GT(latencies[1], latencies[0] * 1.03) << "noise of 1 % must not hide the optimum";
    EXPECT_EQ(std::unique(latencies.begin(), latencies.end()), latencies.end()) << "ties would make searches depend on noise";
    const double ideal_ns = static_cast<double>(elements) * 12 / null::kBytesPerSecond * 1e9;
    EXPECT_GT(latencies[0], ideal_ns);
    EXPECT_LT(latencies[0], ideal_ns * 1.05);
  }
}

TEST(NullScript, RepeatsItsNoise) {
  const auto script = null::script_for(add_graph(8), config_of(3, 4)).value();
  for (std::uint64_t launch = 0; launch < 100; ++launch) {
    const double latency = null::noisy_latency_ns(script, launch);
    EXPECT_EQ(latency, null::noisy_latency_ns(script, launch));
    EXPECT_GE(latency, script.latency_ns);
    EXPECT_LE(latency, script.latency_ns * 1.01);
  }
  EXPECT_NE(null::noisy_latency_ns(script, 0), null::noisy_latency_ns(script, 1));
}

}  // namespace
}  // namespace fuselab
