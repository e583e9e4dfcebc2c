// SPDX-License-Identifier: Apache-2.0
// Graphs with values that nobody reads can be run, whatever else they have: random ones with dead operators, unread second results,
// and outputs that are inputs or the same value twice.
#include <gtest/gtest.h>

#include "app/engine/execute/execution_graph.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"

namespace fuselab::engine {
namespace {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {
    text_ = "graph(x: f32[4,8], z: f32[4,8], w: param f32[8]) { ";
    names_ = {"x", "z"};
    const std::uint64_t operators = 1 + random_.below(8);
    for (std::uint64_t i = 0; i < operators; ++i) add();
    text_ += "return ";
    const std::uint64_t outputs = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < outputs; ++i) text_ += (i > 0 ? ", " : "") + any();
    text_ += " }";
  }
  const std::string& text() const { return text_; }

 private:
  std::string any() { return names_[random_.below(names_.size())]; }
  std::string made() {
    names_.push_back("v" + std::to_string(names_.size()));
    return names_.back();
  }
  void add() {
    const std::string a = any(), b = any();
    switch (random_.below(7)) {
      case 0: text_ += made() + " = Tanh(" + a + "); "; break;
      case 1: text_ += made() + " = Add(" + a + ", " + b + "); "; break;
      case 2: text_ += made() + " = Mul(" + a + ", w); "; break;
      case 3: text_ += made() + " = Softmax(" + a + "); "; break;
      case 4: {
        const std::string first = made(), second = made();
        text_ += first + "h, " + second + "h = Split(" + a + ", axis=1, split=[4,4]); ";
        text_ += first + " = Concat(" + first + "h, " + first + "h, axis=1); " + second + " = Concat(" + second + "h, " + first +
                 "h, axis=1); ";
        break;
      }
      case 5: {
        const std::string values = made();
        text_ += values + ", " + values + "p = TopK(" + a + ", k=8, axis=1); ";
        break;
      }
      default:
        text_ += "d" + std::to_string(names_.size()) + std::to_string(random_.below(1 << 20)) + " = Relu(" + a + "); ";
        break;
    }
  }

  SeededRandom random_;
  std::vector<std::string> names_;
  std::string text_;
};

std::vector<RealTensor> evaluated(const Graph& graph) {
  std::vector<RealTensor> inputs = make_inputs(graph, {});
  const auto outputs = evaluate_reference(graph, inputs);
  EXPECT_TRUE(outputs.ok()) << (outputs.ok() ? "" : outputs.error().message);
  return outputs.ok() ? outputs.value() : std::vector<RealTensor>();
}

TEST(DeadValues, NeverKeepAGraphFromRunning) {
  int dead = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = RandomGraph(seed).text();
    SCOPED_TRACE(text);
    const auto parsed = parse_graph(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    for (const OptimizationLevel level : {OptimizationLevel::kO0, OptimizationLevel::kO2}) {
      Subject subject;
      subject.name = "test";
      subject.graph = parsed.value();
      auto cut_graph = cut(std::move(subject), level);
      ASSERT_TRUE(cut_graph.ok()) << cut_graph.error().message;
      dead += cut_graph.value().subject.notes.empty() ? 0 : 1;
      const auto graph = execution_graph(std::move(cut_graph).value());
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      ASSERT_EQ(graph.value().outputs.size(), parsed.value().outputs().size());
      // Inputs that remain hold the same numbers by their places: only params may go.
      if (graph.value().whole().inputs().size() != parsed.value().inputs().size()) continue;
      const auto before = evaluated(parsed.value()), after = evaluated(graph.value().whole());
      ASSERT_EQ(before.size(), after.size());
      for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].data, after[i].data);
    }
  }
  EXPECT_GT(dead, 100) << "too few of these graphs have a dead operator to say anything";
}

}  // namespace
}  // namespace fuselab::engine
