// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"
#include "fusion_test_support.h"

namespace fuselab::testing {

// A random DAG over [4,6] tensors: chains, fans, diamonds, row operators, contractions and movement.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {
    for (const char* name : {"a", "b", "c"}) values_.push_back(graph_.add_input(name, {DType::kF32, {4, 6}}));
    square_ = graph_.add_input("w", {DType::kF32, {6, 6}}, ValueOrigin::kParam);
    vector_ = graph_.add_input("g", {DType::kF32, {6}}, ValueOrigin::kParam);
    half_ = add(Op::kConstant, {}, {{"value", 0.5}});
    const auto nodes = 5 + random_.below(30);
    for (std::uint64_t i = 0; i < nodes; ++i) grow();
    graph_.add_output(values_.back());
    for (std::uint64_t i = 0; i < 3; ++i) graph_.add_output(any());
  }
  const Graph& graph() const { return graph_; }

 private:
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    auto added = graph_.add_node(op, std::move(inputs), std::move(attributes));
    EXPECT_TRUE(added.ok()) << added.error().message;
    return graph_.node(added.value()).outputs.front();
  }
  // Mostly what was made lately, so that chains come about.
  ValueId any() {
    const auto count = values_.size();
    const auto back = random_.below(2) == 0 ? random_.below(count) : random_.below(std::min<std::size_t>(count, 3));
    return values_[count - 1 - back];
  }
  void grow() {
    const std::vector<std::int64_t> last{-1};
    const ValueId x = any();
    switch (random_.below(14)) {
      case 0: return values_.push_back(add(Op::kRelu, {x}));
      case 1: return values_.push_back(add(Op::kTanh, {x}));
      case 2:
      case 3: return values_.push_back(add(Op::kAdd, {x, any()}));
      case 4: return values_.push_back(add(Op::kMul, {x, any()}));
      case 5: return values_.push_back(add(Op::kMul, {x, half_}));
      case 6: return values_.push_back(add(Op::kAdd, {x, vector_}));
      case 7: return values_.push_back(add(Op::kSoftmax, {x}));
      case 8: return values_.push_back(add(Op::kRMSNormalization, {x, vector_}));
      case 9: return values_.push_back(add(Op::kSub, {x, add(Op::kReduceMean, {x}, {{"axes", last}})}));
      case 10: return values_.push_back(add(Op::kMatMul, {x, square_}));
      case 11: {
        const ValueId there = add(Op::kTranspose, {x}, {{"perm", std::vector<std::int64_t>{1, 0}}});
        return values_.push_back(add(Op::kTranspose, {there}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
      }
      case 12: {
        const ValueId flat = add(Op::kReshape, {x}, {{"shape", std::vector<std::int64_t>{24}}});
        return values_.push_back(add(Op::kReshape, {flat}, {{"shape", std::vector<std::int64_t>{4, 6}}}));
      }
      default: return values_.push_back(add(Op::kSigmoid, {x}));
    }
  }

  SeededRandom random_;
  Graph graph_;
  std::vector<ValueId> values_;
  ValueId square_{}, vector_{}, half_{};
};

inline std::vector<FusionOptions> option_sets() {
  FusionOptions tight;
  tight.max_fusion_ops = 3;
  return {FusionOptions{}, tight, options_for(OptimizationLevel::kO0), options_for(OptimizationLevel::kO1),
          options_for(OptimizationLevel::kO3)};
}

}  // namespace fuselab::testing
