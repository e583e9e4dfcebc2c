// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/composition.h"

#include <numeric>

#include "core/ops/infer.h"

namespace fuselab::onnx {

Composition::Term Composition::append(Step step) {
  steps_.push_back(std::move(step));
  return static_cast<Term>(steps_.size() - 1);
}

Composition::Term Composition::operand(std::size_t i) {
  return append({.operand = i, .op = {}, .inputs = {}, .attributes = {}, .type = node_.type(i)});
}

Composition::Term Composition::number(double value, DType dtype) {
  Attributes attributes{{"dtype", std::string(name_of(dtype))}};
  if (is_floating(dtype)) attributes.set("value", value);
  if (!is_floating(dtype)) attributes.set("value", static_cast<std::int64_t>(value));
  return apply(Op::kConstant, {}, std::move(attributes));
}

Composition::Term Composition::apply(Op op, const std::vector<Term>& inputs, Attributes attributes) {
  Step step{.operand = {}, .op = op, .inputs = inputs, .attributes = std::move(attributes), .type = {}};
  if (fits()) {
    std::vector<TensorType> types;
    for (const Term input : inputs) types.push_back(type(input));
    auto results = infer_types(op, types, step.attributes);
    if (results.ok()) step.type = results.value().front();
    if (!results.ok()) fail(results.error().message);
  }
  return append(std::move(step));
}

Composition::Term Composition::reshape(Term input, const Shape& shape) {
  if (!fits() || type(input).shape == shape) return input;
  const Shape& own = type(input).shape;
  std::vector<std::int64_t> target;
  bool inferred = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool in_place = i < own.size() && own[i] == shape[i];
    if (shape[i] == Dim(0)) fail("it has no elements");
    if (shape[i].is_symbol() && !in_place && inferred) fail("more than one of its symbols moves");
    inferred = inferred || shape[i] == Dim(-1) || (shape[i].is_symbol() && !in_place);
    if (!shape[i].is_symbol()) target.push_back(shape[i].extent());
    if (shape[i].is_symbol()) target.push_back(in_place ? 0 : -1);
  }
  return apply(Op::kReshape, {input}, {{"shape", std::move(target)}});
}

Composition::Term Composition::transpose(Term input, const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> same(perm.size());
  std::iota(same.begin(), same.end(), 0);
  return perm == same ? input : apply(Op::kTranspose, {input}, {{"perm", perm}});
}

Composition::Term Composition::unsqueeze(Term input, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? input : apply(Op::kUnsqueeze, {input}, {{"axes", axes}});
}

Composition::Term Composition::cast(Term input, DType to) {
  return type(input).dtype == to ? input : apply(Op::kCast, {input}, {{"to", std::string(name_of(to))}});
}

void Composition::fail(std::string because) {
  if (fits()) because_ = std::move(because);
}

Translated Composition::barrier() const {
  Translated barrier = Translated::opaque(because_);
  barrier.result = result_;
  return barrier;
}

Result<Translated> Composition::finish(std::vector<Term> last) {
  if (fits() && result_ && type(last.front()) != *result_) {
    fail("it would make " + type_text(type(last.front())) + " where ONNX has " + type_text(*result_));
  }
  if (!fits()) return barrier();
  for (Term& result : last) {
    // A result is a value of its own.
    if (steps_.at(static_cast<std::size_t>(result)).operand) result = apply(Op::kIdentity, {result});
  }
  std::vector<ValueId> values;
  for (Step& step : steps_) {
    if (step.operand) {
      values.push_back(node_.value(*step.operand));
      continue;
    }
    std::vector<ValueId> inputs;
    for (const Term input : step.inputs) inputs.push_back(values[static_cast<std::size_t>(input)]);
    FL_TRY(const NodeId added, node_.add(step.op, std::move(inputs), std::move(step.attributes)));
    values.push_back(node_.first_result(added));
  }
  Translated translated;
  for (const Term result : last) translated.values.push_back(values.at(static_cast<std::size_t>(result)));
  return translated;
}

}  // namespace fuselab::onnx
