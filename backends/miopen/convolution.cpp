// SPDX-License-Identifier: Apache-2.0
#include "backends/miopen/convolution.h"

#include <algorithm>
#include <limits>

#include "backends/library/claims.h"
#include "core/graph/node_axes.h"

namespace fuselab::miopen {

using library::Solution;

namespace {

constexpr const char* kNames[] = {"Success",       "NotInitialized", "InvalidValue", "BadParm",      "AllocFailed",
                                  "InternalError", "NotImplemented", "UnknownError", "UnsupportedOp"};
constexpr float kOne = 1, kZero = 0;
constexpr std::int64_t kPlan = 0;  // no solver of MIOpen's has this number

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

int type_of(DType dtype) {
  return dtype == DType::kF16 ? abi::kHalf : dtype == DType::kBF16 ? abi::kBFloat16 : abi::kFloat;
}

int activation_of(Op op) {
  return op == Op::kRelu ? abi::kRelu : op == Op::kSigmoid ? abi::kLogistic : op == Op::kTanh ? abi::kTanh : 0;
}

}  // namespace

Status check(abi::Code code, const char* call) {
  if (code == abi::kSuccess) return {};
  const bool known = code > 0 && static_cast<std::size_t>(code) < std::size(kNames);
  const ErrorCode meaning = code == abi::kAllocFailed                                     ? ErrorCode::kOutOfMemory
                            : code == abi::kNotImplemented || code == abi::kUnsupportedOp ? ErrorCode::kUnsupported
                                                                                          : ErrorCode::kLaunchFailed;
  return Error{meaning, std::string(call) + ": " +
                            (known ? std::string("miopenStatus") + kNames[code] + " (" + std::to_string(code) + ")"
                                   : "status " + std::to_string(code))};
}

Result<ConvolutionCall> convolution_call_of(const Graph& graph) {
  FL_TRY_VOID(library::has_elements(graph));
  const auto nodes = graph.nodes();
  if (nodes.empty() || nodes.front().op != Op::kConv)
    return not_taken("MIOpen is asked for convolutions, and for an activation behind one");
  const Node& node = nodes.front();
  ConvolutionCall made;
  made.covers = "Conv";
  if (nodes.size() > 1) {
    made.covers += "+" + std::string(name_of(nodes[1].op));
    made.activation = activation_of(nodes[1].op);
    if (made.activation == 0)
      return not_taken(std::string(name_of(nodes[1].op)) + ": MIOpen is not asked for it behind a convolution");
    if (nodes[1].inputs.front() != node.outputs.front()) return not_taken("the activation is of something else");
    if (nodes.size() > 2) return not_taken(std::string(name_of(nodes[2].op)) + ": it stands behind an activation");
  }
  if (graph.outputs().size() != 1 || graph.outputs().front() != nodes.back().outputs.front())
    return not_taken("a result within the piece is asked for");
  const auto is_argument = [&](ValueId value) { return std::ranges::find(graph.inputs(), value) != graph.inputs().end(); };
  if (!std::ranges::all_of(node.inputs, is_argument)) return not_taken("an operand that the piece makes itself");
  const auto argument = [&](std::size_t input) {
    return static_cast<int>(std::ranges::find(graph.inputs(), node.inputs[input]) - graph.inputs().begin());
  };
  made.x = argument(0);
  made.w = argument(1);
  if (node.inputs.size() > 2) made.bias = argument(2);
  made.y = static_cast<int>(graph.inputs().size());
  made.dtype = graph.type(node.inputs[0]).dtype;
  for (const Value& value : graph.values()) {
    const DType dtype = value.type.dtype;
    if (dtype != DType::kF32 && dtype != DType::kF16 && dtype != DType::kBF16)
      return not_taken("MIOpen is asked for f32, f16 and bf16, not " + std::string(name_of(dtype)));
    const std::vector<std::int64_t> extents = extents_of(value.type.shape);
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent > std::numeric_limits<int>::max(); }))
      return not_taken("an extent above 31 bits");
  }
  const auto extents = [&](ValueId value) {
    const std::vector<std::int64_t> all = extents_of(graph.type(value).shape);
    return std::vector<int>(all.begin(), all.end());
  };
  made.x_extents = extents(node.inputs[0]);
  made.w_extents = extents(node.inputs[1]);
  made.y_extents = extents(node.outputs[0]);
  if (made.x_extents.size() != 4) return not_taken("MIOpen is asked for images, of two axes");
  const SlidingWindows windows = sliding_windows(graph, node);
  if (windows.before != windows.after) return not_taken("MIOpen pads both ends of an axis alike");
  made.groups = static_cast<int>(node.attributes.integer("group", 1));
  std::ranges::copy(windows.before, made.pads);
  std::ranges::copy(windows.strides, made.strides);
  std::ranges::copy(windows.dilations, made.dilations);
  return made;
}

Result<std::unique_ptr<library::SolutionCall>> Convolution::describe(const abi::Functions& calls, ConvolutionCall call) {
  std::unique_ptr<Convolution> made(new Convolution(calls, std::move(call)));
  FL_TRY_VOID(made->make());
  return std::unique_ptr<library::SolutionCall>(std::move(made));
}

Status Convolution::make_tensor(Descriptor& tensor, const std::vector<int>& extents) const {
  void* made = nullptr;
  FL_TRY_VOID(check(calls_.tensor_create(&made), "miopenCreateTensorDescriptor"));
  tensor = Descriptor(made, calls_.tensor_destroy);
  std::vector<int> strides(extents.size(), 1);
  for (std::size_t axis = extents.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * extents[axis];
  return check(calls_.tensor_set(made, type_of(call_.dtype), static_cast<int>(extents.size()), extents.data(), strides.data()),
               "miopenSetTensorDescriptor");
}

Status Convolution::make() {
  FL_TRY_VOID(make_tensor(x_, call_.x_extents));
  FL_TRY_VOID(make_tensor(w_, call_.w_extents));
  FL_TRY_VOID(make_tensor(y_, call_.y_extents));
  if (call_.bias >= 0) FL_TRY_VOID(make_tensor(bias_, {1, call_.w_extents[0], 1, 1}));
  void* made = nullptr;
  FL_TRY_VOID(check(calls_.convolution_create(&made), "miopenCreateConvolutionDescriptor"));
  convolution_ = Descriptor(made, calls_.convolution_destroy);
  FL_TRY_VOID(check(calls_.convolution_set(made, abi::kConvolution, call_.pads[0], call_.pads[1], call_.strides[0],
                                           call_.strides[1], call_.dilations[0], call_.dilations[1]),
                    "miopenInitConvolutionDescriptor"));
  if (call_.groups > 1) FL_TRY_VOID(check(calls_.convolution_groups(made, call_.groups), "miopenSetConvolutionGroupCount"));
  if (call_.activation == 0) return {};
  FL_TRY_VOID(check(calls_.activation_create(&made), "miopenCreateActivationDescriptor"));
  activation_ = Descriptor(made, calls_.activation_destroy);
  return check(calls_.activation_set(made, call_.activation, 1, 1, 1), "miopenSetActivationDescriptor");
}

Result<std::vector<Solution>> Convolution::solutions(void* handle) {
  std::vector<Solution> solutions;
  // Which kernel a plan takes it does not say: of windows it may be one by transforms.
  const bool pointwise = call_.w_extents[2] == 1 && call_.w_extents[3] == 1;
  if ((call_.bias >= 0 || call_.activation != 0) && compile_plan(handle).ok()) solutions.push_back({kPlan, 0, !pointwise});
  // A call of its own adds the bias to a result that was rounded, which 16 bits do not stand.
  if (call_.bias >= 0 && call_.dtype != DType::kF32) {
    if (solutions.empty()) return not_taken("a bias of 16 bits needs a fusion plan, which MIOpen does not make here");
    return solutions;
  }
  std::size_t count = 0;
  FL_TRY_VOID(check(calls_.solution_count(handle, w_.get(), x_.get(), convolution_.get(), y_.get(), &count),
                    "miopenConvolutionForwardGetSolutionCount"));
  std::vector<abi::Solution> found(count);
  if (count == 0) return solutions;
  FL_TRY_VOID(check(calls_.solutions(handle, w_.get(), x_.get(), convolution_.get(), y_.get(), found.size(), &count, found.data()),
                    "miopenConvolutionForwardGetSolution"));
  found.resize(std::min(found.size(), count));
  for (const abi::Solution& each : found) {
    const bool transforms = each.algorithm == abi::kFft || each.algorithm == abi::kWinograd;
    const auto number = static_cast<std::int64_t>(each.id);
    const auto is_same = [&](const Solution& known) { return known.number == number; };
    if (number == kPlan || std::ranges::any_of(solutions, is_same)) continue;
    solutions.push_back({number, each.workspace, transforms});
  }
  return solutions;
}

Status Convolution::prepare(void* handle, const Solution& solution, void* stream) {
  FL_TRY_VOID(check(calls_.set_stream(handle, stream), "miopenSetStream"));
  if (solution.number == kPlan) return {};  // solutions() compiled it
  return check(calls_.solution_compile(handle, w_.get(), x_.get(), convolution_.get(), y_.get(),
                                       static_cast<std::uint64_t>(solution.number)),
               "miopenConvolutionForwardCompileSolution");
}

int Convolution::calls(const Solution& solution) const {
  return solution.number == kPlan ? 1 : 1 + (call_.bias >= 0 ? 1 : 0) + (call_.activation != 0 ? 1 : 0);
}

Status Convolution::compile_plan(void* handle) {
  void *plan = nullptr, *arguments = nullptr;
  FL_TRY_VOID(check(calls_.plan_create(&plan, abi::kVertical, x_.get()), "miopenCreateFusionPlan"));
  plan_ = Descriptor(plan, calls_.plan_destroy);
  FL_TRY_VOID(check(calls_.plan_convolution(plan, &convolution_op_, convolution_.get(), w_.get()), "miopenCreateOpConvForward"));
  if (call_.bias >= 0) FL_TRY_VOID(check(calls_.plan_bias(plan, &bias_op_, bias_.get()), "miopenCreateOpBiasForward"));
  if (call_.activation != 0)
    FL_TRY_VOID(check(calls_.plan_activation(plan, &activation_op_, call_.activation), "miopenCreateOpActivationForward"));
  FL_TRY_VOID(check(calls_.plan_compile(handle, plan), "miopenCompileFusionPlan"));
  FL_TRY_VOID(check(calls_.arguments_create(&arguments), "miopenCreateOperatorArgs"));
  arguments_ = Descriptor(arguments, calls_.arguments_destroy);
  return {};
}

Status Convolution::enqueue(void* handle, const Solution& solution, std::span<void* const> addresses, void* workspace, void*) {
  if (solution.number == kPlan) return enqueue_plan(handle, addresses);
  const auto at = [&](int argument) { return addresses[static_cast<std::size_t>(argument)]; };
  void* const y = at(call_.y);
  FL_TRY_VOID(check(calls_.convolve(handle, w_.get(), at(call_.w), x_.get(), at(call_.x), convolution_.get(), y_.get(), y,
                                    workspace, solution.workspace, static_cast<std::uint64_t>(solution.number)),
                    "miopenConvolutionForwardImmediate"));
  if (call_.bias >= 0)
    FL_TRY_VOID(
        check(calls_.add_bias(handle, &kOne, bias_.get(), at(call_.bias), &kZero, y_.get(), y), "miopenConvolutionForwardBias"));
  if (call_.activation == 0) return {};
  return check(calls_.activate(handle, activation_.get(), &kOne, y_.get(), y, &kZero, y_.get(), y), "miopenActivationForward");
}

Status Convolution::enqueue_plan(void* handle, std::span<void* const> addresses) const {
  const auto at = [&](int argument) { return addresses[static_cast<std::size_t>(argument)]; };
  void* const arguments = arguments_.get();
  FL_TRY_VOID(
      check(calls_.arguments_convolution(arguments, convolution_op_, &kOne, &kZero, at(call_.w)), "miopenSetOpArgsConvForward"));
  if (call_.bias >= 0)
    FL_TRY_VOID(check(calls_.arguments_bias(arguments, bias_op_, &kOne, &kZero, at(call_.bias)), "miopenSetOpArgsBiasForward"));
  if (call_.activation != 0)
    FL_TRY_VOID(
        check(calls_.arguments_activation(arguments, activation_op_, &kOne, &kZero, 1, 1, 1), "miopenSetOpArgsActivForward"));
  return check(calls_.plan_execute(handle, plan_.get(), x_.get(), at(call_.x), y_.get(), at(call_.y), arguments),
               "miopenExecuteFusionPlan");
}

}  // namespace fuselab::miopen
