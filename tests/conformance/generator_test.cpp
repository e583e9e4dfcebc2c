// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/operator_graphs.h"

namespace fuselab::conformance {
namespace {

// Generators need no device, but their targets come from one.
class Generator : public testing::TestWithParam<BackendCase> {
 protected:
  void SetUp() override {
    backend_ = GetParam().make();
    generator_ = backend_->generator();
    if (generator_ == nullptr) GTEST_SKIP() << GetParam().id << " has no generator: a library provides its code";
    auto const availability = backend_->probe();
    if (!availability.usable) GTEST_SKIP() << availability.reason;
    auto const devices = backend_->enumerate();
    ASSERT_TRUE(devices.ok());
    for (auto const& device : devices.value()) {
      targets_.push_back(device.target);
      targets_.insert(targets_.end(), device.other_targets.begin(), device.other_targets.end());
    }
  }

  // Calls with every workload and target that is supported.
  template <typename Check>
  void for_supported(Check check) {
    int supported = 0;
    for (auto const& workload : small_workloads()) {
      for (auto const& target : targets_) {
        if (!generator_->supports(workload.graph, target).yes) continue;
        SCOPED_TRACE(workload.id + " on " + target.id + ": " + canonical_text(workload.graph));
        check(workload.graph, target);
        ++supported;
      }
    }
    EXPECT_GT(supported, 0);
  }

  std::unique_ptr<FusionBackend> backend_;
  CodeGenerator* generator_ = nullptr;
  std::vector<Target> targets_;
};

INSTANTIATE_TEST_SUITE_P(Seam, Generator, testing::ValuesIn(all_cases()), [](auto const& given) { return given.param.id; });

TEST_P(Generator, GivesADefaultThatIsInItsSpace) {
  for_supported([&](const Graph& graph, const Target& target) {
    auto const valid = generator_->space(graph, target).check(generator_->default_config(graph, target));
    EXPECT_TRUE(valid.ok()) << valid.error().message;
  });
}

TEST_P(Generator, WritesTheSameTextForTheSameInput) {
  auto const other = GetParam().make();  // nothing may hide in an instance
  for_supported([&](const Graph& graph, const Target& target) {
    auto const space = generator_->space(graph, target);
    auto configs = space.enumerate(3);
    configs.push_back(generator_->default_config(graph, target));
    for (auto const& config : configs) {
      auto const first = generator_->generate(graph, config, target);
      auto const second = other->generator()->generate(graph, config, target);
      ASSERT_TRUE(first.ok()) << config.text() << ": " << first.error().message;
      ASSERT_TRUE(second.ok());
      EXPECT_EQ(first.value().text, second.value().text) << config.text();
      EXPECT_EQ(first.value().abi, second.value().abi) << config.text();
      EXPECT_FALSE(first.value().text.empty());
    }
  });
}

TEST_P(Generator, DescribesTheArgumentsInOrder) {
  for_supported([&](const Graph& graph, const Target& target) {
    auto const source = generator_->generate(graph, generator_->default_config(graph, target), target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    auto const& arguments = source.value().abi.arguments;
    std::size_t const inputs = graph.inputs().size();
    std::size_t const outputs = graph.outputs().size();
    ASSERT_GE(arguments.size(), inputs + outputs);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i < inputs) {
        EXPECT_EQ(arguments[i].type, graph.type(graph.inputs()[i]));
        EXPECT_EQ(arguments[i].role, BufferRole::kIn);
      } else if (i < inputs + outputs) {
        EXPECT_EQ(arguments[i].type, graph.type(graph.outputs()[i - inputs]));
        EXPECT_EQ(arguments[i].role, BufferRole::kOut);
      } else {
        EXPECT_EQ(arguments[i].role, BufferRole::kScratch);
      }
    }
    EXPECT_EQ(source.value().entry, source.value().abi.entry);
    EXPECT_EQ(source.value().generator, generator_->id());
    EXPECT_EQ(source.value().generator_version, generator_->version());
  });
}

TEST_P(Generator, SaysWhyNotForABarrier) {
  Graph graph;
  auto const input = graph.add_input("x", {DType::kF32, {4}});
  auto const node = graph.add_opaque("Mystery", {input}, {{DType::kF32, {4}}});
  graph.add_output(graph.node(node).outputs[0]);
  for (auto const& target : targets_) {
    auto const support = generator_->supports(graph, target);
    EXPECT_FALSE(support.yes);
    EXPECT_FALSE(support.why_not.empty());
    EXPECT_FALSE(generator_->generate(graph, generator_->default_config(graph, target), target).ok());
  }
}

TEST_P(Generator, RefusesATargetOfAnotherArchitecture) {
  auto const graph = small_workloads().front().graph;
  Target const foreign{"z80", "z80", {}};
  auto const support = generator_->supports(graph, foreign);
  EXPECT_FALSE(support.yes);
  EXPECT_FALSE(support.why_not.empty());
}

TEST_P(Generator, SupportsOnlyOperatorsItClaims) {
  auto const devices = backend_->enumerate().value();
  auto const claimed = backend_->capabilities(devices.front()).operators;
  for (int index = 0; index < static_cast<int>(Op::kConstant); ++index) {
    auto const op = static_cast<Op>(index);
    if (std::find(claimed.begin(), claimed.end(), op) != claimed.end()) continue;
    for (auto const& [what, graph] : graphs_of(op, DType::kF32)) {
      EXPECT_FALSE(generator_->supports(graph, devices.front().target).yes)
          << what << " is supported but not among the capabilities";
    }
  }
}

}  // namespace
}  // namespace fuselab::conformance
