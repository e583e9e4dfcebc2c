// SPDX-License-Identifier: Apache-2.0
// What the provider states of its kernels. The library is a fake.
#include <gmock/gmock.h>

#include <algorithm>

#include "backends/library/host/host_device.h"
#include "backends/library/plan_provider.h"
#include "backends/onednn/claims.h"
#include "backends/onednn/onednn_graphs.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab::onednn {
namespace {

using testing::HasSubstr;

constexpr const char* kWithRelu = "graph(x: f32[3,4], w: f32[4,4]) { p = MatMul(x, w); r = Relu(p); return r }";
constexpr const char* kWithLeakyRelu = "graph(x: f32[3,4], w: f32[4,4]) { p = MatMul(x, w); r = LeakyRelu(p); return r }";

class OneDnnProviderTest : public testing::Test {
 protected:
  Target target() { return library::describe_device(lazy_.library().value()->facts()).target; }

  library::LazyLibrary lazy_{[] { return OneDnnGraphs::open(loading::Surroundings{FAKE_ONEDNN_3, {}}); }};
  library::PlanProvider provider_{"onednn-plan", lazy_};
};

TEST_F(OneDnnProviderTest, StatesInTheConfigurationThatNaNIsLost) {
  const Graph graph = parse_graph(kWithRelu).value();
  ASSERT_TRUE(provider_.supports(graph, target()).yes) << provider_.supports(graph, target()).why_not;
  const LaunchConfig config = provider_.default_config(graph, target());
  EXPECT_TRUE(drawbacks_of(config).has(Drawback::kNanLoss)) << config.text();
  const ParameterSpace space = provider_.space(graph, target());
  const auto& parameters = space.parameters();
  const auto stated =
      std::find_if(parameters.begin(), parameters.end(), [](const auto& each) { return each.name == kNanParameter; });
  ASSERT_NE(stated, parameters.end());
  EXPECT_EQ(stated->values, std::vector<ParameterValue>{std::string(kNanLost)}) << "nothing to choose";
}

// The fake has no Gelu, so that this is asked of the claims alone.
TEST(OneDnnClaims, TakeWhatLosesPrecisionAndNameIt) {
  for (const Op op : {Op::kLog, Op::kGelu}) EXPECT_EQ(kClaims.against(op), nullptr) << name_of(op);
  const Graph graph = parse_graph("graph(x: f32[3,4]) { y = Gelu(x); z = Relu(y); return z }").value();
  EXPECT_EQ(kClaims.drawbacks_in(graph), Drawbacks({Drawback::kPrecisionLoss, Drawback::kNanLoss}));
}

TEST_F(OneDnnProviderTest, StatesNothingOfWhatKeepsNaN) {
  const Graph graph = parse_graph(kWithLeakyRelu).value();
  EXPECT_FALSE(provider_.default_config(graph, target()).has(kNanParameter));
}

TEST_F(OneDnnProviderTest, MakesNoKernelThatLosesNaNAndDoesNotSaySo) {
  const Graph graph = parse_graph(kWithRelu).value();
  const LaunchConfig config = provider_.default_config(graph, target());
  EXPECT_TRUE(provider_.generate(graph, config, target()).ok());
  const auto silent = provider_.generate(graph, LaunchConfig::parse("threads=1").value(), target());
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.error().message, HasSubstr("must say nan=lost"));
}

}  // namespace
}  // namespace fuselab::onednn
