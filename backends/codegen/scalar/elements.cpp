// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/elements.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/extents/strides.h"

namespace fuselab::codegen {
namespace {

// Elements that one kernel may ask for in its text: shared intermediates are computed anew in every scope.
constexpr int kMostAsked = 2000;

}  // namespace

Place place_of(const ExprPtr& flat, const std::vector<std::int64_t>& extents) {
  const auto strides = strides_of(extents);
  Place place{{}, flat};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const ExprPtr above = flat / integer(strides[i]);
    place.at.push_back(extents[i] == 1 ? integer(0) : (i == 0 ? above : above % integer(extents[i])));
  }
  return place;
}

ExprPtr flat_of(const Place& place, const std::vector<std::int64_t>& extents) {
  if (place.flat) return place.flat;
  const auto strides = strides_of(extents);
  ExprPtr sum = integer(0);
  for (std::size_t i = 0; i < extents.size(); ++i) sum = sum + place.at[i] * integer(strides[i]);
  return sum;
}

ExprPtr stored_element(const KernelParameter& parameter, const ExprPtr& at) {
  const DType stored = parameter.storage;
  if (!is_floating(stored)) return load(parameter.name, at, kIndex, stored);
  const bool is_half = stored == DType::kF16 || stored == DType::kBF16;
  const ExprPtr read = load(parameter.name, at, is_half ? IrType{DType::kF32, 1} : kElementReal, stored);
  return is_half ? call("wide", kElementReal, {read}) : read;
}

void store_element(Body& body, const KernelParameter& parameter, const ExprPtr& at, const ExprPtr& value) {
  BodyBuilder builder(body);
  if (value->type == kIndex) return builder.assign(element(parameter.name, {at}, kIndex), value);
  const bool is_half = parameter.storage == DType::kF16 || parameter.storage == DType::kBF16;
  builder.store({parameter.name, at, is_half ? call("narrow", {DType::kF32, 1}, {value}) : value, parameter.storage, false});
}

ExprPtr index_into(const ExprPtr& number, std::int64_t extent) {
  return call("whole_index", kIndex, {number, integer(extent)});
}

ExprPtr place_along(const ExprPtr& number, std::int64_t extent) {
  return call("whole_place", kIndex, {number, integer(extent)});
}

ExprPtr Elements::keep(Body& body, const std::string& wish, const ExprPtr& expression) {
  const bool is_plain = expression->kind == Expr::Kind::kVariable || expression->kind == Expr::Kind::kInteger ||
                        expression->kind == Expr::Kind::kReal;
  return is_plain ? expression : BodyBuilder(body).declare(names_.unique(wish), expression);
}

ExprPtr Elements::variable(Body& body, const std::string& wish, const ExprPtr& first) {
  return BodyBuilder(body).declare_variable(names_.unique(wish), first);
}

ExprPtr Elements::copy(Body& body, const std::string& wish, const ExprPtr& variable) {
  return BodyBuilder(body).declare(names_.unique(wish), variable);
}

ExprPtr Elements::refuse(const Node& node, const std::string& why) {
  if (refusal_.empty()) refusal_ = unsupported(node, why).message;
  const DType dtype = graph_.type(node.outputs.front()).dtype;
  return is_floating(dtype) ? real(0, kElementReal) : integer(0);
}

ExprPtr Elements::leaf(ValueId value, const Place& place, Body& body) {
  const auto position = std::find(graph_.inputs().begin(), graph_.inputs().end(), value) - graph_.inputs().begin();
  const KernelParameter& parameter = parameters_[static_cast<std::size_t>(position)];
  const ExprPtr at = flat_of(place, extents_of(graph_.type(value).shape));
  return keep(body, "element", stored_element(parameter, at));
}

ExprPtr Elements::value(ValueId value, const Place& place, Body& body) {
  const auto key = std::make_pair(value, place.at);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto producer = graph_.value(value).producer;
  ExprPtr result;
  if (!producer) {
    result = leaf(value, place, body);
  } else {
    const Node& node = graph_.node(*producer);
    if (++asked_ > kMostAsked) return refuse(node, "is needed at too many places of one kernel");
    const auto output = std::find(node.outputs.begin(), node.outputs.end(), value) - node.outputs.begin();
    const ElementSite site{*this, node, static_cast<std::size_t>(output), place, body};
    for (auto* const kind : {elementwise_element, reduction_element, rank_element, loss_element, movement_element, rotary_element,
                             indexed_element, window_element, product_element}) {
      result = kind(site);
      if (result) break;
    }
    if (!result) return refuse(node, "is not generated yet");
    FL_ASSERT(result->type == element_type(graph_.type(value).dtype));
    result = keep(body, graph_.value(value).name.empty() ? "v" : graph_.value(value).name, result);
  }
  known_[key] = result;
  return result;
}

ExprPtr ElementSite::operand(std::size_t index) const {
  const auto own = extents(index);
  const auto all = extents_of(result().shape);
  if (own == all) return operand(index, place, body);
  static const ExprPtr kZero = integer(0);
  Place at;
  const std::size_t skipped = all.size() - own.size();
  for (std::size_t i = 0; i < own.size(); ++i) at.at.push_back(own[i] == 1 ? kZero : place.at[skipped + i]);
  return operand(index, at, body);
}

}  // namespace fuselab::codegen
