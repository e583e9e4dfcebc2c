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
    const auto availability = backend_->probe();
    if (!availability.usable) GTEST_SKIP() << availability.reason;
    const auto devices = backend_->enumerate();
    ASSERT_TRUE(devices.ok());
    for (const auto& device : devices.value()) {
      targets_.push_back(device.target);
      targets_.insert(targets_.end(), device.other_targets.begin(), device.other_targets.end());
    }
  }

  // Calls with every workload and target that is supported.
  template <typename Check>
  void for_supported(Check check) {
    int supported = 0;
    for (const auto& workload : small_workloads()) {
      for (const auto& target : targets_) {
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

INSTANTIATE_TEST_SUITE_P(Seam, Generator, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(Generator, GivesADefaultThatIsInItsSpace) {
  for_supported([&](const Graph& graph, const Target& target) {
    const auto valid = generator_->space(graph, target).check(generator_->default_config(graph, target));
    EXPECT_TRUE(valid.ok()) << valid.error().message;
  });
}

TEST_P(Generator, WritesTheSameTextForTheSameInput) {
  const auto other = GetParam().make();  // nothing may hide in an instance
  for_supported([&](const Graph& graph, const Target& target) {
    const auto space = generator_->space(graph, target);
    auto configs = space.enumerate(3);
    configs.push_back(generator_->default_config(graph, target));
    for (const auto& config : configs) {
      const auto first = generator_->generate(graph, config, target);
      const auto second = other->generator()->generate(graph, config, target);
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
    const auto source = generator_->generate(graph, generator_->default_config(graph, target), target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto& arguments = source.value().abi.arguments;
    const std::size_t inputs = graph.inputs().size();
    const std::size_t outputs = graph.outputs().size();
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
  const auto input = graph.add_input("x", {DType::kF32, {4}});
  const auto node = graph.add_opaque("Mystery", {input}, {{DType::kF32, {4}}});
  graph.add_output(graph.node(node).outputs[0]);
  for (const auto& target : targets_) {
    const auto support = generator_->supports(graph, target);
    EXPECT_FALSE(support.yes);
    EXPECT_FALSE(support.why_not.empty());
    EXPECT_FALSE(generator_->generate(graph, generator_->default_config(graph, target), target).ok());
  }
}

TEST_P(Generator, RefusesATargetOfAnotherArchitecture) {
  const auto graph = small_workloads().front().graph;
  const Target foreign{"z80", "z80", {}};
  const auto support = generator_->supports(graph, foreign);
  EXPECT_FALSE(support.yes);
  EXPECT_FALSE(support.why_not.empty());
}

TEST_P(Generator, SupportsOnlyOperatorsItClaims) {
  const auto devices = backend_->enumerate().value();
  const auto claimed = backend_->capabilities(devices.front()).operators;
  for (const Op op : computed_ops()) {
    if (std::find(claimed.begin(), claimed.end(), op) != claimed.end()) continue;
    for (const auto& [what, graph] : graphs_of(op, DType::kF32)) {
      EXPECT_FALSE(generator_->supports(graph, devices.front().target).yes)
          << what << " is supported but not among the capabilities";
    }
  }
}

}  // namespace
}  // namespace fuselab::conformance
