// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/reference/operators/operator_row.h"

// Operators whose operand 1 says where operand 0 is read or written.
namespace fuselab::reference {
namespace {

// Finds the element of the data that an index, or a tuple of them, names.
class NamedPlaces {
 public:
  explicit NamedPlaces(const NodeCall& call) : call_(call), indices_(call.input(1)), strides_(strides_of(call.input(0).extents)) {
    const bool tuples = call.node.op == Op::kGatherND || call.node.op == Op::kScatterND;
    const auto& data = call.input(0).extents;
    if (!tuples) {
      axis_ = axis_of(call.node.attributes.integer("axis", 0), data.size());
      return;
    }
    const auto& indices = indices_.extents;
    width_ = static_cast<std::size_t>(indices.back());
    batch_axes_ = static_cast<std::size_t>(call.node.attributes.integer("batch_dims", 0));
    inner_ = product_of(std::span(data).subspan(batch_axes_ + width_));
    per_batch_ = product_of(std::span(indices).first(indices.size() - 1).subspan(batch_axes_));
    batch_stride_ = product_of(std::span(data).subspan(batch_axes_));
  }

  // Returns the place of element `at` of what is read or of the updates; nothing when an index is out of range: see `wrong`.
  std::optional<std::int64_t> operator()(std::int64_t at) { return width_ > 0 ? by_tuple(at) : by_element(at); }
  // Returns whether an index that decides where `at` lies may be another one in a kernel.
  bool is_uncertain(std::int64_t at) const {
    if (width_ == 0) return indices_.error_at(at) > 0;
    for (std::size_t i = 0; i < width_; ++i) {
      if (indices_.error_at(first_index(at) + static_cast<std::int64_t>(i)) > 0) return true;
    }
    return false;
  }
  Error wrong() const {
    return invalid_argument(std::string(name_of(call_.node.op)) + ": index " +
                            std::to_string(static_cast<std::int64_t>(indices_.at(wrong_))) + " at " + std::to_string(wrong_) +
                            " is outside of the " + std::to_string(wrong_extent_) + " entries");
  }

 private:
  std::int64_t first_index(std::int64_t at) const { return at / inner_ * static_cast<std::int64_t>(width_); }

  std::optional<std::int64_t> index(std::int64_t place, std::size_t axis) {
    const std::int64_t extent = call_.input(0).extents[axis];
    const auto value = static_cast<std::int64_t>(indices_.at(place));
    if (value >= -extent && value < extent) return value < 0 ? value + extent : value;
    wrong_ = place;
    wrong_extent_ = extent;
    return std::nullopt;
  }

  std::optional<std::int64_t> by_element(std::int64_t at) {
    const auto named = index(at, axis_);
    if (!named) return std::nullopt;
    std::int64_t place = *named * strides_[axis_];
    std::int64_t rest = at;
    for (std::size_t i = strides_.size(); i-- > 0;) {
      if (i != axis_) place += rest % indices_.extents[i] * strides_[i];
      rest /= indices_.extents[i];
    }
    return place;
  }

  std::optional<std::int64_t> by_tuple(std::int64_t at) {
    std::int64_t place = at / inner_ / per_batch_ * batch_stride_ + at % inner_;
    for (std::size_t i = 0; i < width_; ++i) {
      const auto named = index(first_index(at) + static_cast<std::int64_t>(i), batch_axes_ + i);
      if (!named) return std::nullopt;
      place += *named * strides_[batch_axes_ + i];
    }
    return place;
  }

  const NodeCall& call_;
  const Tensor& indices_;
  std::vector<std::int64_t> strides_;  // of the data
  std::size_t axis_ = 0;
  std::size_t width_ = 0;  // of a tuple; 0: single indices
  std::size_t batch_axes_ = 0;
  std::int64_t inner_ = 1, per_batch_ = 1, batch_stride_ = 1;
  std::int64_t wrong_ = 0, wrong_extent_ = 0;
};

Status gather_named(const NodeCall& call) {
  NamedPlaces places(call);
  bool failed = false;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const auto place = places(at);
    failed = failed || !place;
    if (failed) return;
    Bounded found = call.operand(0, *place);
    if (places.is_uncertain(at)) found.e = kUnbounded;
    call.put_copy(at, found);
  });
  return failed ? Status(places.wrong()) : Status();
}

enum class Update { kReplace, kAdd, kMultiply, kLargest, kSmallest };

Update update_of(const Node& node) {
  const std::string reduction = node.attributes.text("reduction", "none");
  if (reduction == "add") return Update::kAdd;
  if (reduction == "mul") return Update::kMultiply;
  if (reduction == "max") return Update::kLargest;
  return reduction == "min" ? Update::kSmallest : Update::kReplace;
}

Bounded updated(Update update, Bounded old, Bounded by, double accumulate) {
  switch (update) {
    case Update::kReplace: return by;
    case Update::kAdd: {
      const double sum = old.v + by.v;
      return {sum, old.e + by.e + accumulate * std::max(std::fabs(sum), std::fabs(old.v))};
    }
    case Update::kMultiply: {
      const double product = old.v * by.v;
      const double carried = std::fabs(old.v) * by.e + std::fabs(by.v) * old.e + kUnit * old.e * by.e;
      return {product, carried + accumulate * std::fabs(product)};
    }
    case Update::kLargest: return {std::isnan(old.v) || old.v > by.v ? old.v : by.v, std::max(old.e, by.e)};
    case Update::kSmallest: return {std::isnan(old.v) || old.v < by.v ? old.v : by.v, std::max(old.e, by.e)};
  }
  return by;
}

// Computes all of the result, whatever is needed: which updates an element takes is known only once all indices are read.
Status scatter_named(const NodeCall& call) {
  NamedPlaces places(call);
  const Update update = update_of(call.node);
  const Rounding rounding = rounding_of(call.output.dtype);
  std::vector<Bounded> result;
  for (std::int64_t at = 0; at < call.output.count(); ++at) result.push_back(call.operand(0, at));
  bool uncertain = false;
  for (std::int64_t at = 0; at < call.input(2).count(); ++at) {
    const auto place = places(at);
    if (!place) return places.wrong();
    uncertain = uncertain || places.is_uncertain(at);
    Bounded& element = result[static_cast<std::size_t>(*place)];
    element = updated(update, element, call.operand(2, at), rounding.accumulate);
  }
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    Bounded element = result[static_cast<std::size_t>(at)];
    if (uncertain) element.e = kUnbounded;
    update == Update::kReplace ? call.put_copy(at, element) : call.put(rounding, at, element);
  });
  return {};
}

}  // namespace

// What is read is known only once the indices are.
constexpr Family<Op::kGatherElements, Op::kConstant> kIndexed({
    {Op::kGatherElements, gather_named},
    {Op::kGatherND, gather_named},
    {Op::kScatterElements, scatter_named},
    {Op::kScatterND, scatter_named},
});

}  // namespace fuselab::reference
