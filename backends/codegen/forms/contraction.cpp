// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction.h"

#include <algorithm>

#include "backends/codegen/forms/contraction_prologue.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/cost/memory_of.h"
#include "core/extents/strides.h"
#include "core/graph/node_axes.h"
#include "core/ops/infer.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

Extents scaled(Extents strides, std::int64_t factor) {
  for (std::int64_t& stride : strides) stride *= factor;
  return strides;
}

// Returns the position of the input in whose memory the value lies; the number of inputs for a value that is computed.
int input_position(const Graph& graph, ValueId value) {
  const auto& inputs = graph.inputs();
  return static_cast<int>(std::find(inputs.begin(), inputs.end(), memory_of(graph, value)) - inputs.begin());
}

// Makes batches of rows that follow each other and share one right operand into more rows.
void merge_batches(Contraction& c) {
  if (c.batch_extents.empty() || c.left_step != 1) return;
  const bool shared = std::all_of(c.right_strides.begin(), c.right_strides.end(), [](auto s) { return s == 0; });
  std::int64_t dense = c.m * c.left_row;
  bool follows = true;
  for (std::size_t i = c.batch_extents.size(); i-- > 0;) {
    follows = follows && (c.left_strides[i] == dense || c.batch_extents[i] == 1);
    dense *= c.batch_extents[i];
  }
  if (!shared || !follows) return;
  c.m *= c.batches();
  c.batch_extents.clear();
  c.left_strides.clear();
  c.right_strides.clear();
}

// Matrix · vector: the matrix' rows are the columns of a product with one row.
void set_matrix_vector(const Extents& a, Contraction& c) {
  std::swap(c.left, c.right);
  c.k = a.back();
  c.n = a[a.size() - 2];
  c.left_row = c.k;
  c.layout = RightLayout::kColumns;
  c.right_stride = c.k;
  c.batch_extents.assign(a.begin(), a.end() - 2);
  c.left_strides.assign(c.batch_extents.size(), 0);
  c.right_strides = scaled(broadcast_strides(c.batch_extents, c.batch_extents.size()), c.n * c.k);
}

void set_matmul(const Graph& graph, Contraction& c) {
  Extents a = extents_of(graph.type(c.node->inputs[0]).shape);
  Extents b = extents_of(graph.type(c.node->inputs[1]).shape);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) {
    set_matrix_vector(a, c);
    return;
  }
  c.m = a[a.size() - 2];
  c.k = a.back();
  c.n = b.back();
  c.left_row = c.k;
  c.right_stride = c.n;
  if (c.n == 1) {
    c.layout = RightLayout::kColumns;
    c.right_stride = c.k;
  }
  const Extents batch_a(a.begin(), a.end() - 2);
  const Extents batch_b(b.begin(), b.end() - 2);
  const std::size_t rank = std::max(batch_a.size(), batch_b.size());
  c.left_strides = scaled(broadcast_strides(batch_a, rank), c.m * c.k);
  c.right_strides = scaled(broadcast_strides(batch_b, rank), c.k * c.n);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto at = [&](const Extents& e) { return i + e.size() < rank ? std::int64_t{1} : e[i + e.size() - rank]; };
    c.batch_extents.push_back(std::max(at(batch_a), at(batch_b)));
  }
  merge_batches(c);
}

void set_gemm(const Graph& graph, Contraction& c) {
  const Extents a = extents_of(graph.type(c.node->inputs[0]).shape);
  const Extents b = extents_of(graph.type(c.node->inputs[1]).shape);
  const bool turned_a = c.node->attributes.integer("transA", 0) != 0;
  const bool turned_b = c.node->attributes.integer("transB", 0) != 0;
  c.m = turned_a ? a[1] : a[0];
  c.k = turned_a ? a[0] : a[1];
  c.n = turned_b ? b[0] : b[1];
  c.left_row = turned_a ? 1 : c.k;
  c.left_step = turned_a ? c.m : 1;
  c.layout = turned_b || c.n == 1 ? RightLayout::kColumns : RightLayout::kRows;
  c.right_stride = c.layout == RightLayout::kColumns ? c.k : c.n;
}

// A line is an image of height 1, and an image a volume of depth 1. `axes` are those before the axes of windows.
Extents as_volume(Extents extents, std::size_t axes) {
  while (extents.size() < axes + 3) extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axes), 1);
  return extents;
}

Status set_convolution(const Graph& graph, Contraction& c) {
  FL_TRY(c.windows, windows_of(graph, *c.node));
  const Extents x = as_volume(extents_of(graph.type(c.node->inputs[0]).shape), 2);
  const Extents w = as_volume(extents_of(graph.type(c.node->inputs[1]).shape), 2);
  const std::int64_t groups = c.node->attributes.integer("group", 1);
  c.windows.channels = w[1] * w[2];
  c.left = input_position(graph, c.node->inputs[1]);
  c.right = input_position(graph, c.node->inputs[0]);
  c.m = w[0] / groups;
  c.k = w[1] * w[2] * w[3] * w[4];
  c.n = c.windows.out_depth * c.windows.out_height * c.windows.out_width;
  c.left_row = c.k;
  c.layout = c.windows.is_pointwise() ? RightLayout::kRows : RightLayout::kWindows;
  c.right_stride = c.n;
  const std::int64_t image = x[2] * x[3] * x[4];
  c.batch_extents = {x[0], groups};
  c.left_strides = {0, c.m * c.k};
  c.right_strides = {x[1] * image, w[1] * image};
  return Status();
}

bool has_halves(const Graph& graph) {
  return std::any_of(graph.values().begin(), graph.values().end(),
                     [](const Value& value) { return is_floating(value.type.dtype) && bits_of(value.type.dtype) == 16; });
}

bool is_core(Op op) {
  return op == Op::kMatMul || op == Op::kGemm || op == Op::kConv;
}

Result<const Node*> find_core(const Graph& graph) {
  const Node* core = nullptr;
  for (const Node& node : graph.nodes()) {
    if (!is_core(node.op)) continue;
    if (core != nullptr) return unsupported(node, "a second contraction in one kernel is not generated yet");
    core = &node;
  }
  if (core == nullptr) return Error{ErrorCode::kUnsupported, "no MatMul, Gemm or Conv"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (is_computed(graph, core->inputs[i]) && is_computed(graph, core->inputs[1 - i]))
      return unsupported(*core, "two operands that the kernel itself computes are not generated yet");
    if (!is_floating(graph.type(core->inputs[i]).dtype)) return unsupported(*core, "integer contractions are not generated yet");
  }
  return core;
}

}  // namespace

bool Windows::is_pointwise() const {
  return kernel_depth == 1 && kernel_height == 1 && kernel_width == 1 && stride_z == 1 && stride_y == 1 && stride_x == 1 &&
         pad_front == 0 && pad_top == 0 && pad_left == 0 && out_depth == depth && out_height == height && out_width == width;
}

Result<Windows> windows_of(const Graph& graph, const Node& node) {
  const SlidingWindows sliding = sliding_windows(graph, node);
  const std::size_t spatial = sliding.input.size();
  if (spatial > 3) return unsupported(node, std::to_string(spatial) + "-D windows are not generated yet, only up to 3-D");
  const Extents x = as_volume(extents_of(graph.type(node.inputs[0]).shape), 2);
  const Extents y = as_volume(extents_of(graph.type(node.outputs[0]).shape), 2);
  const Extents kernel = as_volume(sliding.kernel, 0), strides = as_volume(sliding.strides, 0);
  const Extents dilations = as_volume(sliding.dilations, 0);
  Extents pads = sliding.before;  // those of the other ends follow from the result's extents
  pads.insert(pads.begin(), 3 - spatial, 0);
  Windows windows;
  windows.channels = x[1] * kernel[0];
  windows.depth = x[2];
  windows.height = x[3];
  windows.width = x[4];
  windows.out_depth = y[2];
  windows.out_height = y[3];
  windows.out_width = y[4];
  windows.kernel_depth = kernel[0];
  windows.kernel_height = kernel[1];
  windows.kernel_width = kernel[2];
  windows.stride_z = strides[0];
  windows.stride_y = strides[1];
  windows.stride_x = strides[2];
  windows.pad_front = pads[0];
  windows.pad_top = pads[1];
  windows.pad_left = pads[2];
  windows.dilation_z = dilations[0];
  windows.dilation_y = dilations[1];
  windows.dilation_x = dilations[2];
  return windows;
}

bool ContractionKernel::has_right_registers() const {
  if (!computes(Side::kRight) || contraction.layout == RightLayout::kWindows) return true;
  return prologue->cols % contraction.right_stride == 0;
}

std::int64_t Contraction::batches() const {
  return product_of(batch_extents);
}

Result<ContractionKernel> make_contraction(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  FL_TRY(const Node* core, find_core(graph));
  ContractionKernel kernel;
  Contraction& c = kernel.contraction;
  c.node = core;
  c.left = input_position(graph, core->inputs[0]);
  c.right = input_position(graph, core->inputs[1]);
  if (core->op == Op::kMatMul) set_matmul(graph, c);
  if (core->op == Op::kGemm) set_gemm(graph, c);
  if (core->op == Op::kConv) FL_TRY_VOID(set_convolution(graph, c));
  FL_TRY(ContractionParts parts,
         take_apart(graph, *core, core->op == Op::kConv ? graph.type(core->outputs[0]).shape.size() - 2 : 1));
  kernel.epilogue = std::move(parts.after);
  kernel.prologue = std::move(parts.before);
  kernel.computed = parts.computed;
  kernel.prologue_operations = parts.operations;
  if (kernel.epilogue.cols != c.n || kernel.epilogue.rows() != c.m * c.batches()) {
    return unsupported(*core, "the operators behind it have another shape");
  }
  c.compute = kernel.epilogue.compute;
  if (!kernel.prologue) return kernel;
  if (kernel.prologue->compute == DType::kF64) c.compute = DType::kF64;
  if (c.compute == DType::kF64 && has_halves(graph)) return unsupported(*core, "half and double precision in one kernel");
  if (c.prefers_dots() && !kernel.has_right_registers()) return unsupported(*core, "its operand is computed in pieces of a row");
  // Beside the image weights meet zeros, which an infinite product would turn into NaN.
  if (kernel.computes(Side::kLeft) && core->op == Op::kConv)
    return unsupported(*core, "weights that the kernel computes are not generated");
  if (kernel.computes(Side::kLeft) && (c.left_step != 1 || kernel.prologue->cols % c.k != 0))
    return unsupported(*core, "an operand that the kernel computes and reads by columns is not generated yet");
  return kernel;
}

Result<ContractionKernel> make_whole_contraction(const Graph& graph) {
  if (!graph.is_concrete() || graph.nodes().size() != 1)
    return Error{ErrorCode::kUnsupported, "not one operator with known extents"};
  const Node& node = graph.nodes().front();
  const DType dtype = graph.type(node.outputs.front()).dtype;
  const auto is_input = [&](ValueId value) {
    const int position = input_position(graph, value);
    return position < static_cast<int>(graph.inputs().size()) && graph.type(value).dtype == dtype;
  };
  const bool fits = node.op == Op::kMatMul && dtype == DType::kI32 && is_input(node.inputs[0]) && is_input(node.inputs[1]);
  if (!fits) return unsupported(node, "no product of i32 by itself");
  ContractionKernel kernel;
  Contraction& c = kernel.contraction;
  c.node = &node;
  c.left = input_position(graph, node.inputs[0]);
  c.right = input_position(graph, node.inputs[1]);
  set_matmul(graph, c);
  if (c.layout != RightLayout::kRows) return unsupported(node, "a product with one column");
  c.compute = kernel.epilogue.compute = DType::kU32;
  kernel.epilogue.outer = {c.m * c.batches()};
  kernel.epilogue.cols = c.n;
  RowNode total;
  total.level = Level::kFull;
  total.input = kCoreInput;
  kernel.epilogue.nodes.push_back(std::move(total));
  kernel.epilogue.outputs.push_back({0, 0, {{c.n}, 1}});
  return kernel;
}

}  // namespace fuselab::codegen
