// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/epilogue.h"

#include <algorithm>

#include "backends/codegen/emit/element_ops.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {

struct Epilogue::Place {
  Body& body;
  ExprPtr row;
  ExprPtr column;
  IrType type;
  std::map<int, ExprPtr> known = {};
};

Epilogue::Epilogue(const Graph& graph, const RowProgram& program, const std::vector<KernelParameter>& parameters, Names& names)
    : graph_(graph), program_(program), parameters_(parameters) {
  for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
    const RowNode& node = program_.nodes[i];
    const std::string wish = node.name.empty() ? "v" + std::to_string(i) : node.name;
    names_.push_back(names.unique(node.op == RowOp::kInput ? wish + "_value" : wish));
  }
}

ExprPtr Epilogue::value(int node, Place& place) const {
  if (const auto found = place.known.find(node); found != place.known.end()) return found->second;
  const RowNode& here = program_.nodes[static_cast<std::size_t>(node)];
  if (here.op == RowOp::kConstant) return real(here.value, place.type);
  ExprPtr result;
  if (here.op == RowOp::kInput) {
    const KernelParameter& parameter = parameters_[static_cast<std::size_t>(here.input)];
    const ExprPtr row = row_offset(program_, here.access, place.row);
    const bool varies = here.access.inner != 0;
    const IrType one = {place.type.dtype, 1};
    result = load(parameter.name, varies ? row + place.column : row, varies ? place.type : one, parameter.storage);
    if (!varies && place.type.lanes > 1) result = call("spread", place.type, {result});
  } else {
    std::vector<ExprPtr> args;
    for (int arg : here.args) args.push_back(value(arg, place));
    result = element_wise(here.map, here.variant, args);
  }
  if (here.level != Level::kConstant) result = BodyBuilder(place.body).declare(names_[static_cast<std::size_t>(node)], result);
  place.known[node] = result;
  return result;
}

ExprPtr Epilogue::compute(Body& body, const ExprPtr& row, const ExprPtr& column, IrType type) const {
  Place place{body, row, column, type};
  return value(program_.outputs.front().node, place);
}

void Epilogue::store(Body& body, const ExprPtr& row, const ExprPtr& column, const ExprPtr& total, const ExprPtr& twin) const {
  Place place{body, row, column, total->type};
  for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
    const RowNode& node = program_.nodes[i];
    if (node.op == RowOp::kInput && node.input < 0) place.known[static_cast<int>(i)] = node.input == kCoreInput ? total : twin;
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const RowOutput& output = program_.outputs[i];
    const KernelParameter& parameter = parameters_[graph_.inputs().size() + i];
    const ExprPtr result = value(output.node, place);
    BodyBuilder(body).store({parameter.name, row_offset(program_, output.access, row) + column, result, parameter.storage, false});
  }
}

void Epilogue::prefetch(Body& body, const ExprPtr& row, const ExprPtr& column) const {
  const auto ask = [&](std::size_t parameter, const RowAccess& access) {
    const bool of_each_row = std::any_of(access.outer.begin(), access.outer.end(), [](std::int64_t stride) { return stride != 0; });
    if (access.inner != 0 && of_each_row)
      BodyBuilder(body).prefetch(parameters_[parameter].name, row_offset(program_, access, row) + column);
  };
  for (const RowNode& node : program_.nodes) {
    if (node.op == RowOp::kInput && node.input >= 0) ask(static_cast<std::size_t>(node.input), node.access);
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) ask(graph_.inputs().size() + i, program_.outputs[i].access);
}

}  // namespace fuselab::codegen
