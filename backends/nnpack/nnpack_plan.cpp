// SPDX-License-Identifier: Apache-2.0
#include "backends/nnpack/nnpack_plan.h"

#include <algorithm>

#include "backends/library/claims.h"
#include "core/graph/node_axes.h"
#include "core/kernel/drawback.h"

namespace fuselab::nnpack {
namespace {

constexpr std::size_t kAlignment = 64;

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

abi::Size size_of(const std::vector<std::int64_t>& rows_and_columns) {
  return {static_cast<std::size_t>(rows_and_columns[1]), static_cast<std::size_t>(rows_and_columns[0])};
}

class NnpackBoundPlan final : public library::BoundPlan {
 public:
  NnpackBoundPlan(NnpackPlan& plan, const float* source, const float* weights, const float* bias, float* result)
      : plan_(plan), source_(source), weights_(weights), bias_(bias), result_(result) {}
  Status run() override { return plan_.run(source_, weights_, bias_, result_); }

 private:
  NnpackPlan& plan_;
  const float *source_, *weights_, *bias_;
  float* result_;
};

}  // namespace

Result<Convolution> convolution_of(const Graph& graph) {
  FL_TRY_VOID(library::has_elements(graph));
  const auto nodes = graph.nodes();
  if (nodes.empty() || nodes[0].op != Op::kConv || nodes.size() > 2 || (nodes.size() == 2 && nodes[1].op != Op::kRelu))
    return not_taken("NNPACK computes a convolution, alone or with a Relu behind it");
  const Node& node = nodes[0];
  if (graph.outputs().size() != 1 || graph.outputs().front() != nodes.back().outputs.front())
    return not_taken("NNPACK returns nothing but the end");
  // A plan's places are the graph's inputs in order.
  if (!std::ranges::equal(graph.inputs(), node.inputs)) return not_taken("the operands come in another order");
  for (const Value& value : graph.values()) {
    if (value.type.dtype != DType::kF32) return not_taken("NNPACK computes f32, not " + std::string(name_of(value.type.dtype)));
  }
  const auto extents = [&](ValueId value) { return extents_of(graph.type(value).shape); };
  const auto x = extents(node.inputs[0]), w = extents(node.inputs[1]), y = extents(node.outputs[0]);
  if (x.size() != 4) return not_taken("NNPACK convolves images, of two axes");
  const SlidingWindows windows = sliding_windows(graph, node);
  if (windows.dilations != std::vector<std::int64_t>{1, 1}) return not_taken("NNPACK has no gaps in a window");
  Convolution made;
  const auto group = static_cast<std::size_t>(node.attributes.integer("group", 1));
  made.images = static_cast<std::size_t>(x[0]);
  made.groups = group;
  made.channels_in = static_cast<std::size_t>(x[1]) / group;
  made.channels_out = static_cast<std::size_t>(w[0]) / group;
  made.input = size_of(windows.input);
  made.kernel = size_of(windows.kernel);
  made.output = size_of({y[2], y[3]});
  made.stride = size_of(windows.strides);
  const abi::Size before = size_of(windows.before), after = size_of(windows.after);
  made.padding = {before.height, after.width, after.height, before.width};
  if (std::max(before.height, after.height) >= made.kernel.height || std::max(before.width, after.width) >= made.kernel.width)
    return not_taken("NNPACK pads by less than the window");
  made.bias = node.inputs.size() > 2;
  made.relu = nodes.size() == 2;
  return made;
}

bool may_transform(const Convolution& convolution) {
  return convolution.stride.width == 1 && convolution.stride.height == 1 && convolution.kernel.width <= 8 &&
         convolution.kernel.height <= 8;
}

bool is_for_winograd(const Convolution& convolution) {
  return may_transform(convolution) && convolution.kernel.width == 3 && convolution.kernel.height == 3;
}

Result<std::unique_ptr<library::HostPlan>> NnpackPlan::build(std::shared_ptr<NnpackLibrary> library, const Convolution& convolution,
                                                             const LaunchConfig& config) {
  const auto algorithm = static_cast<int>(config.integer("algorithm", abi::kImplicitGemm));
  if (algorithm != abi::kImplicitGemm && config.integer(kWinogradParameter, 0) != 1)
    return Error{ErrorCode::kUnsupported, "an algorithm by transforms, and the configuration does not say winograd=1"};
  std::unique_ptr<NnpackPlan> plan(new NnpackPlan(std::move(library), convolution, algorithm));
  std::size_t bytes = 0;
  FL_TRY_VOID(plan->call(nullptr, nullptr, nullptr, nullptr, nullptr, &bytes));
  plan->scratch_.resize(bytes + kAlignment);
  return std::unique_ptr<library::HostPlan>(std::move(plan));
}

Result<std::unique_ptr<library::BoundPlan>> NnpackPlan::bind(const library::Places& places) {
  const auto at = [&](std::size_t i) { return reinterpret_cast<float*>(places.addresses[i]); };
  const float* const bias = of_.bias ? at(2) : nullptr;
  return std::unique_ptr<library::BoundPlan>(std::make_unique<NnpackBoundPlan>(*this, at(0), at(1), bias, at(of_.bias ? 3 : 2)));
}

Status NnpackPlan::call(const float* source, const float* weights, const float* bias, float* result, void* scratch,
                        std::size_t* scratch_bytes) {
  const abi::Code code =
      library_->calls().convolve(algorithm_, abi::kTransformsWeights, of_.channels_in, of_.channels_out, of_.input, of_.padding,
                                 of_.kernel, of_.stride, source, weights, bias, result, scratch, scratch_bytes,
                                 of_.relu ? abi::kRelu : abi::kNoActivation, nullptr, library_->pool(), nullptr);
  if (code == 0) return {};
  return Error{ErrorCode::kUnsupported, "NNPACK does not take the convolution with algorithm " + std::to_string(algorithm_) +
                                            ": status " + std::to_string(code)};
}

Status NnpackPlan::run(const float* source, const float* weights, const float* bias, float* result) {
  const auto begin = (reinterpret_cast<std::uintptr_t>(scratch_.data()) + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t bytes = scratch_.size() - kAlignment;
  void* const scratch = bytes == 0 ? nullptr : reinterpret_cast<void*>(begin);
  const std::size_t in = of_.channels_in * of_.input.width * of_.input.height;
  const std::size_t out = of_.channels_out * of_.output.width * of_.output.height;
  const std::size_t filters = of_.channels_out * of_.channels_in * of_.kernel.width * of_.kernel.height;
  for (std::size_t image = 0; image < of_.images; ++image) {
    for (std::size_t group = 0; group < of_.groups; ++group) {
      const std::size_t each = image * of_.groups + group;
      const float* const own = bias == nullptr ? no_bias_.data() : bias + group * of_.channels_out;
      if (Status done = call(source + each * in, weights + group * filters, own, result + each * out, scratch,
                             scratch == nullptr ? nullptr : &bytes);
          !done.ok())
        return done;
    }
  }
  return {};
}

}  // namespace fuselab::nnpack
