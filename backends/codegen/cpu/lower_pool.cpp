// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_pool.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/rows/row_builder.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;

class PoolLowering {
 public:
  PoolLowering(const Graph& graph, const PoolKernel& kernel, const LaunchConfig& config)
      : kernel_(kernel),
        w_(kernel.windows),
        parameters_(name_parameters(graph, names_)),
        epilogue_(graph, kernel.epilogue, parameters_, names_),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        rows_per_task_(config.integer("rows_per_task", 1)),
        maximum_(kernel.node->op == Op::kMaxPool),
        counts_pads_(kernel.node->attributes.integer("count_include_pad", 0) != 0) {}

  Function run();

 private:
  IrType type(int lanes) const { return {kernel_.epilogue.compute, lanes}; }
  double neutral() const { return maximum_ ? -std::numeric_limits<double>::infinity() : 0.0; }
  ExprPtr combine(const ExprPtr& a, const ExprPtr& b) const { return maximum_ ? call("max", a->type, {a, b}) : a + b; }
  const KernelParameter& input() const { return parameters_[static_cast<std::size_t>(kernel_.input)]; }
  // Calls `visit` for all columns of the image: registers, then what is left.
  template <typename Visit>
  void columns(Body& body, const Visit& visit) const;
  void fold_rows(Body& body) const;
  void fold_columns(Body& body) const;

  const PoolKernel& kernel_;
  const Windows& w_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  int lanes_;
  std::int64_t rows_per_task_;
  bool maximum_, counts_pads_;
  std::string line_ = names_.unique("line");
};

template <typename Visit>
void PoolLowering::columns(Body& body, const Visit& visit) const {
  if (w_.width >= lanes_) {
    visit(BodyBuilder(body).loop(LoopKind::kVector, "col", integer(0), integer(w_.width), integer(lanes_)), lanes_);
  }
  if (w_.width % lanes_ == 0) return;
  const ExprPtr begin = integer(w_.width / lanes_ * lanes_);
  visit(BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, integer(w_.width), integer(1)), 1);
}

void PoolLowering::fold_rows(Body& body) const {
  const ExprPtr col = variable("col", kIndex);
  const DType compute = kernel_.epilogue.compute;
  columns(body, [&](Body& at, int lanes) { BodyBuilder(at).store({line_, col, real(neutral(), type(lanes)), compute, false}); });
  BodyBuilder builder(body);
  const ExprPtr rows = builder.declare_variable("rows_seen", real(0, type(1)));
  Body& window = builder.loop(LoopKind::kSerial, "ky", integer(0), integer(w_.kernel_height), integer(1));
  const ExprPtr y =
      BodyBuilder(window).declare("from_y", variable("row", kIndex) % integer(w_.out_height) * integer(w_.stride_y) -
                                                integer(w_.pad_top) + variable("ky", kIndex) * integer(w_.dilation_y));
  Body& inside = BodyBuilder(window).when(binary("&&", binary(">", y, integer(-1)), binary("<", y, integer(w_.height))));
  BodyBuilder(inside).assign(rows, rows + real(1, type(1)));
  const ExprPtr plane = variable("row", kIndex) / integer(w_.out_height);
  const ExprPtr from = (plane * integer(w_.height) + y) * integer(w_.width) + col;
  columns(inside, [&](Body& at, int lanes) {
    const ExprPtr pixel = load(input().name, from, type(lanes), input().storage);
    BodyBuilder(at).store({line_, col, combine(load(line_, col, type(lanes), compute), pixel), compute, false});
  });
}

void PoolLowering::fold_columns(Body& body) const {
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "col", integer(0), integer(w_.out_width), integer(1));
  const ExprPtr col = variable("col", kIndex);
  BodyBuilder builder(each);
  const ExprPtr total = builder.declare_variable("total", real(neutral(), type(1)));
  const ExprPtr seen = builder.declare_variable("columns_seen", real(0, type(1)));
  Body& window = builder.loop(LoopKind::kSerial, "kx", integer(0), integer(w_.kernel_width), integer(1));
  const ExprPtr x = BodyBuilder(window).declare(
      "from_x", col * integer(w_.stride_x) - integer(w_.pad_left) + variable("kx", kIndex) * integer(w_.dilation_x));
  Body& inside = BodyBuilder(window).when(binary("&&", binary(">", x, integer(-1)), binary("<", x, integer(w_.width))));
  BodyBuilder(inside).assign(total, combine(total, load(line_, x, type(1), kernel_.epilogue.compute)));
  BodyBuilder(inside).assign(seen, seen + real(1, type(1)));
  ExprPtr result = total;
  if (!maximum_) {
    const double all = static_cast<double>(w_.kernel_height * w_.kernel_width);
    const ExprPtr count = counts_pads_ ? real(all, type(1)) : variable("rows_seen", type(1)) * seen;
    result = builder.declare("window_mean", total / count);
  }
  epilogue_.store(each, variable("row", kIndex), col, result);
}

Function PoolLowering::run() {
  Function function;
  const std::int64_t rows = kernel_.planes * w_.out_height;
  function.tasks = (rows + rows_per_task_ - 1) / rows_per_task_;
  const std::int64_t line_bytes = w_.width * bits_of(kernel_.epilogue.compute) / 8;
  function.scratch.push_back({line_, kernel_.epilogue.compute, 0});
  function.scratch_bytes = (line_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
  BodyBuilder builder(function.body);
  const ExprPtr first = builder.declare("first_row", variable(function.task_variable, kIndex) * integer(rows_per_task_));
  const ExprPtr last = builder.declare_variable("last_row", first + integer(rows_per_task_));
  BodyBuilder(builder.when(binary(">", last, integer(rows)))).assign(last, integer(rows));
  Body& body = builder.loop(LoopKind::kSerial, "row", first, last, integer(1));
  fold_rows(body);
  fold_columns(body);
  function.parameters = parameters_;
  return function;
}

}  // namespace

Result<PoolKernel> make_pool(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  PoolKernel kernel;
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kMaxPool && node.op != Op::kAveragePool) continue;
    if (kernel.node != nullptr) return unsupported(node, "a second pool in one kernel is not generated yet");
    kernel.node = &node;
  }
  if (kernel.node == nullptr) return Error{ErrorCode::kUnsupported, "no MaxPool or AveragePool"};
  const Node& node = *kernel.node;
  if (node.outputs.size() > 1) return unsupported(node, "indices of the maxima are not generated yet");
  if (graph.value(node.inputs[0]).producer)
    return unsupported(node, "an operand that the kernel itself computes is not generated yet");
  if (!is_floating(graph.type(node.inputs[0]).dtype)) return unsupported(node, "integer pools are not generated yet");
  const bool counts_pads = node.attributes.integer("count_include_pad", 0) != 0;
  if (counts_pads && node.attributes.integer("ceil_mode", 0) != 0) {
    return unsupported(node, "count_include_pad with ceil_mode is not generated yet");
  }
  FL_TRY(kernel.windows, windows_of(graph, node));
  if (!kernel.windows.is_flat()) return unsupported(node, "pools of volumes are not generated yet");
  const auto& inputs = graph.inputs();
  kernel.input = static_cast<int>(std::find(inputs.begin(), inputs.end(), node.inputs[0]) - inputs.begin());
  const std::vector<std::int64_t> extents = extents_of(graph.type(node.inputs[0]).shape);
  kernel.planes = extents[0] * extents[1];
  FL_TRY(kernel.epilogue, make_row_program(graph, {&node, 1}));
  if (kernel.epilogue.cols != kernel.windows.out_width || kernel.epilogue.rows() != kernel.planes * kernel.windows.out_height) {
    return unsupported(node, "the operators behind it have another shape");
  }
  return kernel;
}

Function lower_pool(const Graph& graph, const PoolKernel& kernel, const LaunchConfig& config) {
  return PoolLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
