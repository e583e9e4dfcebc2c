// SPDX-License-Identifier: Apache-2.0
#include "core/reference/reference.h"

#include "core/reference/operators/reference_windows.h"
#include "core/reference/own_reference.h"
#include "core/reference/reference_sample.h"
#include "core/reference/special_inputs.h"
#include "core/tensor/small_float.h"

namespace fuselab {
namespace reference {

namespace {

Status check_inputs(const Graph& graph, std::span<const RealTensor> inputs) {
  if (!graph.is_concrete()) return invalid_argument("the reference needs a graph without symbols");
  if (inputs.size() != graph.inputs().size()) {
    return invalid_argument("the graph has " + std::to_string(graph.inputs().size()) + " inputs, got " +
                            std::to_string(inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs()[i]);
    FL_TRY(std::int64_t count, element_count(type.shape));
    if (inputs[i].type != type || static_cast<std::int64_t>(inputs[i].data.size()) != count) {
      return invalid_argument("input '" + graph.value(graph.inputs()[i]).name + "' must be " + type_text(type) + ", got " +
                              type_text(inputs[i].type) + " with " + std::to_string(inputs[i].data.size()) + " values");
    }
  }
  for (const Node& node : graph.nodes()) {
    const bool windowed = node.op == Op::kConv || node.op == Op::kMaxPool || node.op == Op::kAveragePool;
    if (windowed && graph.type(node.inputs[0]).shape.size() > kMaxWindowRank) {
      return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": the reference knows at most three spatial axes"};
    }
  }
  return {};
}

// A kernel that flushes denormals sees 0 in their place.
LazyBuffer<float> denormal_errors(const RealTensor& input) {
  const bool flushes = input.type.dtype == DType::kF32 || input.type.dtype == DType::kBF16 || input.type.dtype == DType::kF64;
  if (!flushes) return {};
  const double normal = detail::smallest_normal_of(input.type.dtype);
  const auto is_denormal = [&](double x) { return x != 0 && std::fabs(x) < normal; };
  if (std::none_of(input.data.begin(), input.data.end(), is_denormal)) return {};
  LazyBuffer<float> errors(input.data.size());
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (is_denormal(input.data[i])) errors.data()[i] = static_cast<float>(std::fabs(input.data[i]) / kUnit);
  }
  return errors;
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const std::vector<Needed>& needed, bool with_error)
      : graph_(graph),
        needed_(needed),
        with_error_(with_error),
        values_(graph.values().size()),
        last_reader_(graph.values().size(), -1) {
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
      for (const ValueId input : graph.nodes()[n].inputs) last_reader_[index_of(input)] = static_cast<std::int64_t>(n);
    }
  }

  void set_inputs(std::span<const RealTensor> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Tensor& tensor = values_[index_of(graph_.inputs()[i])];
      tensor.dtype = inputs[i].type.dtype;
      tensor.extents = extents_of(inputs[i].type.shape);
      tensor.data = inputs[i].data;
      if (!with_error_) continue;
      tensor.owned_error = denormal_errors(inputs[i]);
      tensor.error = tensor.owned_error.view();
    }
  }

  Status run() {
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      const Node& node = graph_.nodes()[n];
      for (std::size_t output = 0; output < node.outputs.size(); ++output) {
        const Needed& needed = needed_[index_of(node.outputs[output])];
        if (needed.none()) continue;
        FL_TRY_VOID(evaluate(node, output, needed));
      }
      for (const ValueId input : node.inputs) release(input, static_cast<std::int64_t>(n));
    }
    return {};
  }

  std::vector<Tensor> take_outputs() {
    std::vector<Tensor> outputs;
    for (const ValueId id : graph_.outputs()) {
      Tensor& value = values_[index_of(id)];
      Tensor copy;  // an output may be listed twice, or be an input: viewed, not moved
      copy.dtype = value.dtype;
      copy.extents = value.extents;
      copy.data = value.data;
      copy.error = value.error;
      outputs.push_back(std::move(copy));
    }
    return outputs;
  }

 private:
  Status evaluate(const Node& node, std::size_t output_index, const Needed& needed) {
    const ValueId id = node.outputs[output_index];
    Tensor& output = values_[index_of(id)];
    output.dtype = graph_.type(id).dtype;
    output.extents = extents_of(graph_.type(id).shape);
    const auto count = static_cast<std::size_t>(product_of(output.extents));
    output.owned_data = LazyBuffer<double>(count);
    output.data = output.owned_data.view();
    if (with_error_) {
      output.owned_error = LazyBuffer<float>(count);
      output.error = output.owned_error.view();
    }
    NodeCall call{graph_, node, {}, output, output_index, needed, with_error_};
    for (const ValueId input : node.inputs) call.inputs.push_back(&values_[index_of(input)]);
    auto status = evaluate_node(call);
    return status.ok() || node.name.empty() ? status : Status(status.error().within("node '" + node.name + "'"));
  }

  void release(ValueId id, std::int64_t reader) {
    if (last_reader_[index_of(id)] != reader || graph_.is_output(id)) return;
    if (graph_.value(id).origin == ValueOrigin::kNode) values_[index_of(id)] = Tensor();
  }

  const Graph& graph_;
  const std::vector<Needed>& needed_;
  bool with_error_;
  std::vector<Tensor> values_;
  std::vector<std::int64_t> last_reader_;
};

ExpectedOutput expected_of(const Tensor& tensor, const TensorType& type, const Needed& needed) {
  // Errors are kept in kUnit, tolerances are relative to the output's own arithmetic.
  const double unit = type.dtype == DType::kF64 ? kUnit / 0x1p-53 : 1;
  ExpectedOutput expected;
  expected.type = type;
  if (!needed.all()) expected.positions.assign(needed.positions().begin(), needed.positions().end());
  const auto count = static_cast<std::size_t>(needed.count(tensor.count()));
  expected.values.reserve(count);
  expected.magnitude.reserve(count);
  needed.for_each(tensor.count(), [&](std::int64_t i) {
    expected.values.push_back(tensor.at(i));
    const double error = tensor.error_at(i) * unit;
    expected.magnitude.push_back(std::isnan(error) ? kUnbounded : std::max(error, std::fabs(tensor.at(i))));
  });
  return expected;
}

}  // namespace

Result<std::vector<ExpectedOutput>> expected_for(const Graph& graph, std::span<const RealTensor> inputs,
                                                 const std::vector<Needed>& needed) {
  Evaluation evaluation(graph, needed, true);
  evaluation.set_inputs(inputs);
  FL_TRY_VOID(evaluation.run());
  std::vector<ExpectedOutput> outputs;
  const std::vector<Tensor> values = evaluation.take_outputs();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ValueId id = graph.outputs()[i];
    outputs.push_back(expected_of(values[i], graph.type(id), needed[index_of(id)]));
  }
  return outputs;
}

}  // namespace reference

Result<std::vector<RealTensor>> evaluate_reference(const Graph& graph, std::span<const RealTensor> inputs) {
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  if (own && own->graph) return evaluate_reference(*own->graph, inputs);
  FL_TRY_VOID(reference::check_inputs(graph, inputs));
  const std::vector<reference::Needed> needed(graph.values().size(), reference::Needed::everything());
  reference::Evaluation evaluation(graph, needed, false);
  evaluation.set_inputs(inputs);
  FL_TRY_VOID(evaluation.run());
  std::vector<RealTensor> outputs;
  const std::vector<reference::Tensor> values = evaluation.take_outputs();
  for (std::size_t i = 0; i < values.size(); ++i) {
    outputs.push_back({graph.type(graph.outputs()[i]), {values[i].data.begin(), values[i].data.end()}});
  }
  return outputs;
}

Result<std::vector<ExpectedOutput>> expected_outputs(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed) {
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  if (own && own->graph) return expected_outputs(*own->graph, inputs, seed);
  FL_TRY_VOID(reference::check_inputs(graph, inputs));
  FL_TRY(std::vector<reference::Needed> needed, reference::needed_for_check(graph, seed));
  return reference::expected_for(graph, inputs, needed);
}

Result<std::vector<ExpectedOutput>> expected_sample(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed,
                                                    SampleBudget budget) {
  FL_TRY(const std::optional<OwnReference> own, own_reference(graph));
  if (own && own->graph) return expected_sample(*own->graph, inputs, seed, budget);
  FL_TRY_VOID(reference::check_inputs(graph, inputs));
  FL_TRY(std::vector<reference::Needed> needed, reference::needed_within(graph, seed, budget));
  return reference::expected_for(graph, inputs, needed);
}

}  // namespace fuselab
