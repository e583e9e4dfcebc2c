// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/whole_plan.h"

#include <algorithm>
#include <map>

#include "app/engine/execute/execution_graph.h"
#include "core/graph/graph_text.h"
#include "core/kernel/drawback.h"

namespace fuselab::engine {
namespace {

// The place of each tensor of the whole graph among a plan's values: inputs first, then outputs, then intermediates.
class Places {
 public:
  explicit Places(const ExecutionGraph& graph) : whole_(graph.whole()) {
    for (const ValueId input : whole_.inputs()) place(input);
  }

  Status place_outputs(const ExecutionGraph& graph) {
    for (const ValueId output : graph.outputs) {
      if (places_.contains(output))
        return Error{ErrorCode::kUnsupported, "output '" + whole_.value(output).name + "' is an input or is given twice"};
      place(output);
    }
    return {};
  }
  int of(ValueId value) {
    const auto known = places_.find(value);
    return known != places_.end() ? known->second : place(value);
  }
  std::vector<TensorType> take_values() { return std::move(values_); }

 private:
  int place(ValueId value) {
    const int next = static_cast<int>(values_.size());
    values_.push_back(whole_.type(value));
    places_[value] = next;
    return next;
  }

  const Graph& whole_;
  std::map<ValueId, int> places_;
  std::vector<TensorType> values_;
};

// Collects the text of the configurations: "softmax tuned: threads=2; matmul default: …, and 3 more".
class Configurations {
 public:
  void add(const std::string& name, const GateConfig& config) {
    const Drawbacks drawbacks = drawbacks_of(config.config);
    const std::string text = config.from + ": " + config.config.text() + (drawbacks.empty() ? "" : ", " + verbs_of(drawbacks));
    if (++count_ == 1) alone_ = text;
    if (count_ <= kNamed) listed_ += (listed_.empty() ? "" : "; ") + name + " " + text;
  }
  std::string text() const {
    if (count_ <= 1) return alone_;
    return count_ <= kNamed ? listed_ : listed_ + ", and " + std::to_string(count_ - kNamed) + " more";
  }

 private:
  static constexpr std::size_t kNamed = 3;
  std::size_t count_ = 0;
  std::string alone_, listed_;
};

bool same_step(const PlanStep& left, const PlanStep& right) {
  return left.arguments == right.arguments && left.kernel.kernel_id() == right.kernel.kernel_id();
}

}  // namespace

bool same_kernels(const Plan& left, const Plan& right) {
  return left.values == right.values && graph_key(left.graph) == graph_key(right.graph) &&
         std::equal(left.steps.begin(), left.steps.end(), right.steps.begin(), right.steps.end(), same_step);
}

Result<WholePlan> whole_plan(GateKernels& kernels, const CheckCase& of, const DeviceInfo& device, const GateSubject& subject) {
  FL_TRY(const ExecutionGraph graph, execution_graph(subject.fused_model));
  Places places(graph);
  FL_TRY_VOID(places.place_outputs(graph));
  std::map<std::size_t, CompiledKernel> compiled;  // by piece
  Configurations configurations;
  Plan plan;
  plan.graph = graph.whole();
  for (const PieceUse& use : graph.uses) {
    if (!compiled.contains(use.piece)) {
      const GateItem item{use.name, subject.text, device, graph.fused_model.pieces[use.piece]};
      FL_TRY(const GateConfig chosen, kernels.configuration(of, item, nullptr));
      configurations.add(use.name, chosen);
      FL_TRY(CompiledKernel kernel, kernels.compile(item, chosen.config));
      compiled.emplace(use.piece, std::move(kernel));
    }
    PlanStep& step = plan.steps.emplace_back();
    step.kernel = compiled.at(use.piece);
    for (const ValueId input : use.inputs) step.arguments.push_back(places.of(input));
    for (const ValueId output : use.outputs) step.arguments.push_back(places.of(output));
  }
  plan.values = places.take_values();
  return WholePlan{std::move(plan), configurations.text()};
}

}  // namespace fuselab::engine
