// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_walk.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/rows/row_cuts.h"

namespace fuselab::codegen {

Exchange exchange_of(const Target& target) {
  return limit_of(target, "lane_shuffles", 1) == 0 ? Exchange::kMemory : Exchange::kShuffles;
}

ExprPtr simt_index(const char* what) {
  return call(what, kIndex, {});
}

bool lanes_fit(const RowProgram& program, std::int64_t lanes) {
  if (lanes == 1) return true;
  const auto whole = [&](const RowAccess& access) {
    if (access.inner == 0) return true;
    for (std::size_t i = 0; i < access.outer.size(); ++i) {
      if (program.outer[i] > 1 && access.outer[i] % lanes != 0) return false;
    }
    return true;
  };
  const bool flat = program.outer.empty() && !program.has_reduction && row_cuts(program).empty();
  if (!flat && program.cols % lanes != 0) return false;
  for (const RowOutput& output : program.outputs) {
    if (!whole(output.access)) return false;
  }
  return std::all_of(program.nodes.begin(), program.nodes.end(), [&](const RowNode& node) {
    if (node.op == RowOp::kInput) return whole(node.access) && node.row_pitch % lanes == 0;
    return std::all_of(node.starts.begin(), node.starts.end(), [&](std::int64_t start) { return start % lanes == 0; });
  });
}

bool lanes_fit_peeled(const RowProgram& program, std::int64_t lanes) {
  if (!program.has_reduction || program.cols < 4 * lanes) return false;
  const auto gapless = [&](const RowAccess& access) { return access.inner == 0 || is_gapless(program, access); };
  if (!std::all_of(program.outputs.begin(), program.outputs.end(), [&](const RowOutput& output) { return gapless(output.access); }))
    return false;
  // Something must gain by it.
  return std::any_of(program.nodes.begin(), program.nodes.end(), [&](const RowNode& node) {
    return node.op == RowOp::kInput && node.row_named_by < 0 && is_gapless(program, node.access);
  });
}

StoredWidths stored_widths(const Graph& graph, const RowProgram& program) {
  StoredWidths widths;
  const auto meet = [&](DType dtype) {
    const std::int64_t bytes = bits_of(dtype == DType::kBool ? DType::kU8 : dtype) / 8;
    widths.narrowest = std::min(widths.narrowest, bytes);
    widths.widest = std::max(widths.widest, bytes);
  };
  for (const RowNode& node : program.nodes) {
    if (node.op == RowOp::kInput && node.access.inner != 0) {
      meet(graph.type(graph.inputs()[static_cast<std::size_t>(node.input)]).dtype);
    }
  }
  for (const RowOutput& output : program.outputs) {
    if (output.access.inner != 0) meet(graph.type(graph.outputs()[static_cast<std::size_t>(output.output)]).dtype);
  }
  widths.widest = std::max(widths.widest, widths.narrowest == 8 && widths.widest == 1 ? 8 : widths.widest);
  return widths;
}

bool fits_int(const Graph& graph, const RowProgram& program, std::int64_t slack) {
  std::int64_t most = program.rows() * program.cols;
  for (ValueId input : graph.inputs()) most = std::max(most, element_count(graph.type(input).shape).value());
  return most <= std::numeric_limits<std::int32_t>::max() - slack;
}

std::string blocks_formula(std::int64_t tiles, std::int64_t per_processor, std::int64_t multiprocessors) {
  if (per_processor == 0) return std::to_string(tiles);
  if (multiprocessors > 0) return std::to_string(std::min(tiles, per_processor * multiprocessors));
  return "min(" + std::to_string(tiles) + ", " + std::to_string(per_processor) + " * multiprocessors)";
}

void store_outputs(const RowProgram& program, RowValues& values, const RowPass& pass, Point& point, bool streaming) {
  for (int position : pass.outputs) {
    const auto index = static_cast<std::size_t>(position);
    const RowOutput& output = program.outputs[index];
    const KernelParameter& parameter = values.output(index);
    const ExprPtr result = values.at(output.node, point);
    BodyBuilder(*point.body)
        .store({parameter.name, values.offset(output.access) + point.column, result, parameter.storage, streaming});
  }
}

void store_row_outputs(const RowProgram& program, RowValues& values, Body& body) {
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const RowOutput& output = program.outputs[i];
    if (output.access.inner != 0) continue;
    const KernelParameter& parameter = values.output(i);
    Point point{.body = &body, .column = integer(0)};
    const ExprPtr total = values.at(output.node, point);
    BodyBuilder(body).store({parameter.name, values.offset(output.access), total, parameter.storage, false});
  }
}

}  // namespace fuselab::codegen
