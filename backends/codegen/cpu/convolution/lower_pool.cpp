// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/lower_pool.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/convolution/lower_convolution.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/rows/row_builder.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kLargestPads = 8;  // times the image's width

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
        counts_pads_(kernel.node->attributes.integer("count_include_pad", 0) != 0),
        counts_columns_(!maximum_ && !counts_pads_ &&
                        (w_.pad_left > 0 || reach_of(w_.out_width, w_.stride_x, w_.kernel_width, w_.dilation_x) > w_.width)),
        lead_(rounded_up(w_.pad_left)),
        starts_(rounded_up((w_.out_width - 1) * w_.stride_x + 1)),
        folds_all_((w_.stride_x > 1 || counts_columns_) && starts_ / lanes_ < w_.out_width) {}

  Function run();

 private:
  IrType type(int lanes) const { return {kernel_.epilogue.compute, lanes}; }
  double neutral() const { return maximum_ ? -std::numeric_limits<double>::infinity() : 0.0; }
  ExprPtr combine(const ExprPtr& a, const ExprPtr& b) const { return maximum_ ? call("max", a->type, {a, b}) : a + b; }
  const KernelParameter& input() const { return parameters_[static_cast<std::size_t>(kernel_.input)]; }
  std::int64_t rounded_up(std::int64_t columns) const { return ceil_div(columns, lanes_) * lanes_; }
  // Elements of the line: the image's row between pads, and what registers read beyond them.
  std::int64_t line_elements() const {
    return rounded_up(lead_ + std::max(w_.width, starts_ + (w_.kernel_width - 1) * w_.dilation_x));
  }
  // Calls `visit` for `count` columns: `lanes` at once, then what is left.
  template <typename Visit>
  static void columns(Body& body, std::int64_t count, int lanes, const Visit& visit);
  void fold_rows(Body& body) const;
  ExprPtr fold_window(Body& body, const ExprPtr& start, int lanes) const;
  ExprPtr columns_seen(Body& body) const;
  void fold_columns(Body& body) const;

  const PoolKernel& kernel_;
  const Windows& w_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  int lanes_;
  std::int64_t rows_per_task_;
  bool maximum_, counts_pads_;
  bool counts_columns_;  // a mean whose windows hold more columns of the image here than there
  std::int64_t lead_;    // where the image's first column lies in the line: behind the pads, at a register's begin
  std::int64_t starts_;  // columns from the first window's begin to the last one's
  bool folds_all_;       // windows are folded at every column with registers, and those that begin at a stride are taken
  std::string line_ = names_.unique("line"), folded_ = names_.unique("folded");
};

template <typename Visit>
void PoolLowering::columns(Body& body, std::int64_t count, int lanes, const Visit& visit) {
  if (lanes > 1 && count >= lanes) {
    visit(BodyBuilder(body).loop(LoopKind::kVector, "col", integer(0), integer(count), integer(lanes)), lanes);
  }
  if (lanes > 1 && count % lanes == 0) return;
  const ExprPtr begin = integer(count / lanes * lanes);
  visit(BodyBuilder(body).loop(LoopKind::kSerial, "col", lanes > 1 ? begin : integer(0), integer(count), integer(1)), 1);
}

void PoolLowering::fold_rows(Body& body) const {
  const ExprPtr col = variable("col", kIndex);
  const DType compute = kernel_.epilogue.compute;
  columns(body, line_elements(), lanes_, [&](Body& at, int lanes) {
    BodyBuilder(at).store({line_, col, real(neutral(), type(lanes)), compute, false});
  });
  BodyBuilder builder(body);
  const bool counts_rows = !maximum_ && !counts_pads_;
  const ExprPtr rows = counts_rows ? builder.declare_variable("rows_seen", real(0, type(1))) : nullptr;
  Body& window = builder.loop(LoopKind::kSerial, "ky", integer(0), integer(w_.kernel_height), integer(1));
  const ExprPtr y =
      BodyBuilder(window).declare("from_y", variable("row", kIndex) % integer(w_.out_height) * integer(w_.stride_y) -
                                                integer(w_.pad_top) + variable("ky", kIndex) * integer(w_.dilation_y));
  Body& inside = BodyBuilder(window).when(binary("&&", binary(">", y, integer(-1)), binary("<", y, integer(w_.height))));
  if (counts_rows) BodyBuilder(inside).assign(rows, rows + real(1, type(1)));
  const ExprPtr plane = variable("row", kIndex) / integer(w_.out_height);
  const ExprPtr from = (plane * integer(w_.height) + y) * integer(w_.width) + col;
  columns(inside, w_.width, lanes_, [&](Body& at, int lanes) {
    const ExprPtr pixel = load(input().name, from, type(lanes), input().storage);
    const ExprPtr place = integer(lead_) + col;
    BodyBuilder(at).store({line_, place, combine(load(line_, place, type(lanes), compute), pixel), compute, false});
  });
}

// Returns the folded windows that begin at `lanes` columns from `start` on; columns count from the first pad.
ExprPtr PoolLowering::fold_window(Body& body, const ExprPtr& start, int lanes) const {
  BodyBuilder builder(body);
  const auto column = [&](const ExprPtr& x) {
    return load(line_, integer(lead_ - w_.pad_left) + start + x, type(lanes), kernel_.epilogue.compute);
  };
  const ExprPtr total = builder.declare_variable("total", column(integer(0)));
  if (w_.kernel_width == 1) return total;
  Body& rest = builder.loop(LoopKind::kSerial, "kx", integer(1), integer(w_.kernel_width), integer(1));
  BodyBuilder(rest).assign(total, combine(total, column(variable("kx", kIndex) * integer(w_.dilation_x))));
  return total;
}

// Returns how many columns of the image the window at "col" holds.
ExprPtr PoolLowering::columns_seen(Body& body) const {
  BodyBuilder builder(body);
  const ExprPtr seen = builder.declare_variable("columns_seen", real(0, type(1)));
  Body& window = builder.loop(LoopKind::kSerial, "kx", integer(0), integer(w_.kernel_width), integer(1));
  const ExprPtr x = BodyBuilder(window).declare("from_x", variable("col", kIndex) * integer(w_.stride_x) - integer(w_.pad_left) +
                                                              variable("kx", kIndex) * integer(w_.dilation_x));
  Body& inside = BodyBuilder(window).when(binary("&&", binary(">", x, integer(-1)), binary("<", x, integer(w_.width))));
  BodyBuilder(inside).assign(seen, seen + real(1, type(1)));
  return seen;
}

void PoolLowering::fold_columns(Body& body) const {
  const ExprPtr col = variable("col", kIndex);
  const DType compute = kernel_.epilogue.compute;
  if (folds_all_) {
    columns(body, starts_, lanes_, [&](Body& at, int lanes) {
      const ExprPtr total = fold_window(at, col, lanes);
      BodyBuilder(at).store({folded_, col, total, compute, false});
    });
  }
  const int at_once = w_.stride_x == 1 && !folds_all_ ? lanes_ : 1;
  columns(body, w_.out_width, at_once, [&](Body& at, int lanes) {
    const ExprPtr start = col * integer(w_.stride_x);
    ExprPtr result = folds_all_ ? load(folded_, start, type(lanes), compute) : fold_window(at, start, lanes);
    if (!maximum_) {
      const ExprPtr every = real(static_cast<double>(w_.kernel_width), type(1));
      const ExprPtr count = counts_pads_ ? real(static_cast<double>(w_.kernel_height * w_.kernel_width), type(1))
                                         : variable("rows_seen", type(1)) * (counts_columns_ ? columns_seen(at) : every);
      result = BodyBuilder(at).declare("window_mean", result / (lanes == 1 ? count : call("spread", type(lanes), {count})));
    }
    epilogue_.store(at, variable("row", kIndex), col, result);
  });
}

Function PoolLowering::run() {
  Function function;
  const std::int64_t rows = kernel_.planes * w_.out_height;
  function.tasks = ceil_div(rows, rows_per_task_);
  const std::int64_t element_bytes = bits_of(kernel_.epilogue.compute) / 8;
  const auto scratch = [&](const std::string& name, std::int64_t elements) {
    function.scratch.push_back({name, kernel_.epilogue.compute, function.scratch_bytes});
    function.scratch_bytes += ceil_div(elements * element_bytes, kCacheLine) * kCacheLine;
  };
  scratch(line_, line_elements());
  if (folds_all_) scratch(folded_, starts_);
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
  const Windows& w = kernel.windows;
  if (!w.is_flat()) return unsupported(node, "pools of volumes are not generated yet");
  // The row between its pads lies in scratch.
  if (w.pad_left + reach_of(w.out_width, w.stride_x, w.kernel_width, w.dilation_x) > kLargestPads * (w.width + kCacheLine))
    return unsupported(node, "pads far wider than the image are not generated yet");
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
