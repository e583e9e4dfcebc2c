// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/lowering.h"

#include <algorithm>

#include "core/extents/strides.h"

namespace fuselab::torch {
namespace {

constexpr Schema kCopy{"aten::copy_", "", "ttb"};

constexpr DType kShown[] = {DType::kF32, DType::kBF16, DType::kF16, DType::kI64, DType::kI32, DType::kU8, DType::kI8, DType::kBool};

const std::vector<LoweringRow>& rows() {
  static const std::vector<LoweringRow> all = [] {
    std::vector<LoweringRow> joined;
    for (const auto family : {elementwise_rows(), row_rows(), contraction_rows(), window_rows(), movement_rows()})
      joined.insert(joined.end(), family.begin(), family.end());
    return joined;
  }();
  return all;
}

// Returns the strides of the same memory under other extents, or nothing where they would have to jump.
std::optional<Extents> strides_under(const PlanTensor& from, const Extents& extents) {
  Extents strides(extents.size(), 1);
  std::size_t to = extents.size();
  std::int64_t elements = 1;  // of axes that lie behind each other without a gap
  std::size_t last = from.extents.size();
  for (std::size_t i = from.extents.size(); i-- > 0;) {
    if (elements == 1) last = i;
    elements *= from.extents[i];
    const std::int64_t stride = from.strides[last];
    if (i > 0 && (from.extents[i - 1] == 1 || elements == 1 || from.strides[i - 1] == elements * stride)) continue;
    std::int64_t taken = 1;
    for (; to > 0 && (taken < elements || extents[to - 1] == 1); --to) {
      strides[to - 1] = stride * taken;
      taken *= extents[to - 1];
    }
    if (taken != elements) return std::nullopt;
    elements = 1;
  }
  return strides;
}

}  // namespace

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

Result<TorchPlan> Lowering::run() {
  for (const Value& value : graph_.values()) {
    if (std::ranges::find(kShown, value.type.dtype) == std::end(kShown))
      return not_taken("PyTorch is not asked for " + std::string(name_of(value.type.dtype)));
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return not_taken("a tensor without elements");
  }
  plan_.arguments = static_cast<int>(graph_.inputs().size() + graph_.outputs().size());
  for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
    const TensorType& type = graph_.type(graph_.inputs()[i]);
    const Extents extents = extents_of(type.shape);
    known_[graph_.inputs()[i]] = add({static_cast<int>(i), type.dtype, extents, strides_of(extents)});
  }
  for (const Node& node : graph_.nodes()) {
    if (skipped_.contains(&node)) continue;
    covers_ = name_of(node.op);
    if (const Status taken = lower(node); !taken.ok()) return taken.error().within(name_of(node.op));
  }
  covers_ = "an output";
  place_outputs();
  return std::move(plan_);
}

Status Lowering::lower(const Node& node) {
  if (node.op == Op::kConstant) {
    const TensorType& type = graph_.type(node.outputs.front());
    set(node, 0, number(type.dtype, node.attributes.real("value", 0)));
    return {};
  }
  const auto row = std::ranges::find_if(rows(), [&](const LoweringRow& each) { return each.op == node.op; });
  if (row == rows().end()) return not_taken("PyTorch is not asked for it");
  return row->lower(*this, node);
}

int Lowering::add(PlanTensor tensor) {
  plan_.tensors.push_back(std::move(tensor));
  return static_cast<int>(plan_.tensors.size()) - 1;
}

int Lowering::kept(DType dtype, const Extents& extents) {
  const int place = plan_.arguments + static_cast<int>(plan_.kept_bytes.size());
  plan_.kept_bytes.push_back(packed_size(dtype, product_of(extents)).count);
  return add({place, dtype, extents, strides_of(extents)});
}

int Lowering::number(DType dtype, double value, const Extents& extents) {
  const int made = kept(dtype, extents);
  plan_.numbers.push_back({tensor(made).place, dtype, value});
  return made;
}

int Lowering::view(int of, Extents extents, Extents strides, std::int64_t offset) {
  PlanTensor made = tensor(of);
  made.extents = std::move(extents);
  made.strides = std::move(strides);
  made.offset += offset;
  return add(std::move(made));
}

int Lowering::reshaped(int number, const Extents& extents) {
  if (auto strides = strides_under(tensor(number), extents)) return view(number, extents, std::move(*strides));
  const int dense = kept(tensor(number).dtype, this->extents(number));
  copy(dense, number);
  return view(dense, extents, strides_of(extents));
}

int Lowering::transposed(int number, const Extents& order) {
  const PlanTensor from = tensor(number);
  Extents extents, strides;
  for (const std::int64_t axis : order) {
    extents.push_back(from.extents[static_cast<std::size_t>(axis)]);
    strides.push_back(from.strides[static_cast<std::size_t>(axis)]);
  }
  return view(number, std::move(extents), std::move(strides));
}

int Lowering::broadcast(int number, const Extents& extents) {
  const PlanTensor from = tensor(number);
  const std::size_t more = extents.size() - from.extents.size();
  Extents strides(extents.size(), 0);
  for (std::size_t i = 0; i < from.extents.size(); ++i) {
    if (from.extents[i] != 1 || extents[more + i] == 1) strides[more + i] = from.strides[i];
  }
  return view(number, extents, std::move(strides));
}

int Lowering::out(const Node& node, std::size_t result) {
  const ValueId value = node.outputs[result];
  const TensorType& type = graph_.type(value);
  const Extents extents = extents_of(type.shape);
  const auto output = std::ranges::find(graph_.outputs(), value);
  if (output == graph_.outputs().end()) return known_[value] = kept(type.dtype, extents);
  written_.insert(value);
  const int place = static_cast<int>(graph_.inputs().size()) + static_cast<int>(output - graph_.outputs().begin());
  return known_[value] = add({place, type.dtype, extents, strides_of(extents)});
}

// An output that is a view, an input, or asked for twice is copied.
void Lowering::place_outputs() {
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ValueId output = graph_.outputs()[i];
    if (written_.erase(output) > 0) continue;
    const TensorType& type = graph_.type(output);
    const Extents extents = extents_of(type.shape);
    copy(add({static_cast<int>(graph_.inputs().size() + i), type.dtype, extents, strides_of(extents)}), known_.at(output));
  }
}

void Lowering::call(const Schema& schema, std::vector<Argument> arguments, int copied_to) {
  const std::string overload = *schema.overload == '\0' ? "" : "." + std::string(schema.overload);
  plan_.words.push_back(schema.name + overload + " covers " + covers_ + (copied_to < 0 ? "" : ", whose result is copied"));
  plan_.calls.push_back({&schema, std::move(arguments), copied_to});
}

void Lowering::copy(int to, int from) {
  call(kCopy, {Ref{to}, Ref{from}, false});
}

std::vector<Op> lowered_operators() {
  std::vector<Op> operators = {Op::kConstant};
  for (const LoweringRow& each : rows()) operators.push_back(each.op);
  return operators;
}

Result<TorchPlan> lower(const Graph& graph) {
  return Lowering(graph).run();
}

}  // namespace fuselab::torch
