// SPDX-License-Identifier: Apache-2.0
// Operators whose operand 1 says where operand 0 is read or written. An update is found by whoever it may concern: every element
// looks through the updates of its own row or, for tuples, through all of them. elements_scatter.h has a kernel for the common
// case.
#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

// Updates that an element looks through at most.
constexpr std::int64_t kMostUpdates = 4096;

ExprPtr gathered(const ElementSite& site) {
  const auto data = site.extents(0);
  const std::size_t indices_rank = site.extents(1).size();
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), data.size());
  const auto first = site.place.at.begin();
  const auto split = first + static_cast<std::ptrdiff_t>(axis);
  const auto rest = split + static_cast<std::ptrdiff_t>(indices_rank);
  const ExprPtr index = site.operand(1, {{split, rest}, nullptr}, site.body);
  Place from{{first, split}, nullptr};
  from.at.push_back(site.elements.keep(site.body, "index", index_into(index, data[axis])));
  from.at.insert(from.at.end(), rest, site.place.at.end());
  return site.operand(0, from, site.body);
}

ExprPtr gathered_elements(const ElementSite& site) {
  const auto data = site.extents(0);
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), data.size());
  const ExprPtr index = site.operand(1, site.place, site.body);
  Place from{site.place.at, nullptr};
  from.at[axis] = site.elements.keep(site.body, "index", index_into(index, data[axis]));
  return site.operand(0, from, site.body);
}

ExprPtr gathered_by_tuples(const ElementSite& site) {
  const auto batch = static_cast<std::size_t>(site.node.attributes.integer("batch_dims", 0));
  const std::size_t tuples = site.extents(1).size() - 1;
  const auto split = site.place.at.begin() + static_cast<std::ptrdiff_t>(tuples);
  Place from{{site.place.at.begin(), site.place.at.begin() + static_cast<std::ptrdiff_t>(batch)}, nullptr};
  for (const ExprPtr& index : named_by_tuple(site, {site.place.at.begin(), split}, batch, site.body)) from.at.push_back(index);
  from.at.insert(from.at.end(), split, site.place.at.end());
  return site.operand(0, from, site.body);
}

ExprPtr scattered_elements(const ElementSite& site) {
  const auto data = site.extents(0);
  const auto indices = site.extents(1);
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), data.size());
  if (indices[axis] > kMostUpdates) return site.elements.refuse(site.node, "has too many updates to look through for each element");
  const ExprPtr result = site.elements.variable(site.body, "updated", site.operand(0, site.place, site.body));
  ExprPtr reached = integer(1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i != axis && indices[i] < data[i]) reached = binary("&&", reached, binary("<", site.place.at[i], integer(indices[i])));
  }
  site.elements.when(site.body, reached, [&](Body& within) {
    site.elements.loop(within, "i", integer(0), integer(indices[axis]), [&](Body& inner, const ExprPtr& i) {
      Place from{site.place.at, nullptr};
      from.at[axis] = i;
      const ExprPtr index = index_into(site.operand(1, from, inner), data[axis]);
      site.elements.when(inner, binary("==", index, site.place.at[axis]), [&](Body& found) {
        BodyBuilder(found).assign(result, updated(site.node, result, site.operand(2, from, found)));
      });
    });
  });
  return result;
}

ExprPtr scattered_by_tuples(const ElementSite& site) {
  auto tuples = site.extents(1);
  const auto width = static_cast<std::size_t>(tuples.back());
  tuples.pop_back();
  std::int64_t count = 1;
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    axes.push_back(i);
    count *= tuples[i];
  }
  if (count > kMostUpdates) return site.elements.refuse(site.node, "has too many updates to look through for each element");
  const ExprPtr result = site.elements.variable(site.body, "updated", site.operand(0, site.place, site.body));
  const Place none{std::vector<ExprPtr>(tuples.size(), integer(0)), nullptr};
  site.elements.over(site.body, tuples, axes, none, [&](Body& inner, const Place& at) {
    const auto named = named_by_tuple(site, at.at, 0, inner);
    ExprPtr here = binary("==", named[0], site.place.at[0]);
    for (std::size_t i = 1; i < width; ++i) here = binary("&&", here, binary("==", named[i], site.place.at[i]));
    site.elements.when(inner, here, [&](Body& found) {
      Place from{at.at, nullptr};
      from.at.insert(from.at.end(), site.place.at.begin() + static_cast<std::ptrdiff_t>(width), site.place.at.end());
      BodyBuilder(found).assign(result, updated(site.node, result, site.operand(2, from, found)));
    });
  });
  return result;
}

}  // namespace

ExprPtr updated(const Node& node, const ExprPtr& old, const ExprPtr& by) {
  const std::string reduction = node.attributes.text("reduction", "none");
  const bool is_real = by->type != kIndex;
  if (reduction == "none") return by;
  if (is_real && reduction == "add") return old + by;
  if (is_real && reduction == "mul") return old * by;
  return is_real ? call(reduction, kElementReal, {old, by}) : call("whole_" + reduction, kIndex, {old, by});
}

std::vector<ExprPtr> named_by_tuple(const ElementSite& site, std::vector<ExprPtr> tuple, std::size_t batch, Body& body) {
  const auto data = site.extents(0);
  std::vector<ExprPtr> named;
  tuple.push_back(integer(0));
  const auto width = static_cast<std::size_t>(site.extents(1).back());
  for (std::size_t i = 0; i < width; ++i) {
    tuple.back() = integer(static_cast<std::int64_t>(i));
    const ExprPtr index = site.operand(1, {tuple, nullptr}, body);
    named.push_back(site.elements.keep(body, "index", index_into(index, data[batch + i])));
  }
  return named;
}

ExprPtr indexed_element(const ElementSite& site) {
  switch (site.node.op) {
    case Op::kGather: return gathered(site);
    case Op::kGatherElements: return gathered_elements(site);
    case Op::kGatherND: return gathered_by_tuples(site);
    case Op::kScatterElements: return scattered_elements(site);
    case Op::kScatterND: return scattered_by_tuples(site);
    default: return nullptr;
  }
}

}  // namespace fuselab::codegen
