// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: which place of an operand comes to a place of the result.
#include <algorithm>

#include "backends/triton/block_text.h"
#include "backends/triton/node_axes.h"

namespace fuselab::triton {
namespace {

struct Site {
  BlockText& text;
  const Node& node;
  std::size_t output;
  const Place& place;
  const Guard& guard;

  Extents extents(std::size_t operand) const { return extents_of(text.graph().type(node.inputs.at(operand)).shape); }
  Extents result() const { return extents_of(text.graph().type(node.outputs.at(output)).shape); }
  Item operand(std::size_t index, const Place& at) const { return text.operand(node, index, at, guard); }
};

Item transposed(const Site& site) {
  const Extents order = permutation_of(site.text.graph(), site.node);
  Place from(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) from[static_cast<std::size_t>(order[i])] = site.place[i];
  return site.operand(0, from);
}

Item sliced(const Site& site) {
  Place from = site.place;
  for (const SlicedAxis& each : sliced_axes(site.text.graph(), site.node))
    from[each.axis] = plus(times(from[each.axis], each.step), each.start);
  return site.operand(0, from);
}

Item part(const Site& site) {
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), site.place.size());
  Place from = site.place;
  for (std::size_t i = 0; i < site.output; ++i)
    from[axis] = plus(from[axis], extents_of(site.text.graph().type(site.node.outputs[i]).shape)[axis]);
  return site.operand(0, from);
}

// A choice between two items by a condition.
Item chosen(BlockText& text, const Guard& condition, const Item& yes, const Item& no) {
  const Item first = yes.is_literal ? Item{text.tensor(yes), 0, yes.held, false} : yes;
  return {"tl.where(" + condition.text + ", " + first.text + ", " + no.text + ")", condition.axes | yes.axes | no.axes, yes.held,
          false};
}

Item concatenated(const Site& site) {
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), site.place.size());
  const Index here = site.place[axis];
  std::int64_t begin = 0;
  std::optional<Item> made;
  for (std::size_t i = 0; i < site.node.inputs.size(); ++i) {
    const std::int64_t end = begin + site.extents(i)[axis];
    if (end == begin) continue;
    std::string condition;
    if (i > 0) condition = here.text() + " >= " + std::to_string(begin);
    const bool is_last = i + 1 == site.node.inputs.size();
    Guard inside{condition, here.axes};
    if (!is_last) inside = both(inside, {here.text() + " < " + std::to_string(end), here.axes});
    if (inside.text.empty()) inside.axes = 0;
    Place from = site.place;
    from[axis] = plus(here, -begin);
    const Item piece = site.text.operand(site.node, i, from, both(site.guard, inside));
    made = !made ? piece : site.text.named("joined", chosen(site.text, {condition, here.axes}, piece, *made));
    begin = end;
  }
  return made ? *made : site.text.refuse(site.node, "of nothing is not written yet");
}

Item triangle(const Site& site) {
  const Index &right = site.place.back(), &down = site.place[site.place.size() - 2];
  const bool upper = site.node.attributes.integer("upper", 1) != 0;
  const Guard inside{"(" + right.text() + " - " + down.text() + ")" + (upper ? " >= " : " <= ") +
                         std::to_string(site.node.attributes.integer("k", 0)),
                     right.axes | down.axes};
  const Item x = site.operand(0, site.place);
  const std::string nothing = x.held == Held::kReal ? "0.0" : x.held == Held::kBool ? "False" : "0";
  return chosen(site.text, inside, x, {nothing, 0, x.held, true});
}

Item padded(const Site& site) {
  if (site.node.attributes.text("mode", "constant") != "constant")
    return site.text.refuse(site.node, "of this mode is not written yet");
  const Extents in = site.extents(0), out = site.result(), pads = site.node.attributes.integers("pads");
  Place from = site.place;
  Guard inside;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (pads[i] == 0 && in[i] == out[i]) continue;
    from[i] = plus(site.place[i], -pads[i]);
    inside = both(inside, {from[i].text() + " >= 0", from[i].axes});
    inside = both(inside, {from[i].text() + " < " + std::to_string(in[i]), from[i].axes});
  }
  const Item x = site.text.operand(site.node, 0, from, both(site.guard, inside));
  if (inside.text.empty()) return x;
  const double value = site.node.attributes.real("value", 0);
  const std::string number =
      x.held == Held::kReal ? literal(value, site.text.has_doubles()) : std::to_string(static_cast<std::int64_t>(value));
  return chosen(site.text, inside, x, {number, 0, x.held, true});
}

// An index from memory: negative ones count from the end, and those out of range are the nearest that is in it.
Index read_index(const Site& site, const Item& number, std::int64_t extent) {
  const std::string last = std::to_string(extent - 1), all = std::to_string(extent);
  Item item{"tl.minimum(tl.maximum(tl.where(" + number.text + " < 0, " + number.text + " + " + all + ", " + number.text +
                "), 0), " + last + ")",
            number.axes, Held::kWhole, false};
  return index_named(site.text.named("index", item).text, number.axes);
}

Item gathered(const Site& site) {
  const Extents data = site.extents(0);
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), data.size()), rank = site.extents(1).size();
  const auto first = site.place.begin(), middle = first + static_cast<std::ptrdiff_t>(axis),
             rest = middle + static_cast<std::ptrdiff_t>(rank);
  const Item number = site.operand(1, Place(middle, rest));
  Place from(first, middle);
  from.push_back(read_index(site, {site.text.whole(number), number.axes, Held::kWhole, false}, data[axis]));
  from.insert(from.end(), rest, site.place.end());
  return site.operand(0, from);
}

Item gathered_elements(const Site& site) {
  const Extents data = site.extents(0);
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), data.size());
  const Item number = site.operand(1, site.place);
  Place from = site.place;
  from[axis] = read_index(site, {site.text.whole(number), number.axes, Held::kWhole, false}, data[axis]);
  return site.operand(0, from);
}

// Each element is turned with its partner, which lies beside it (interleaved) or half the turned width away. X is [B,H,S,D], or
// [B,S,H·D] with num_heads.
Item turned(const Site& site) {
  const Extents x = site.extents(0), angles = site.extents(1);
  const bool in_heads = x.size() == 4, beside = site.node.attributes.integer("interleaved", 0) != 0;
  const std::int64_t width = in_heads ? x[3] : x[2] / site.node.attributes.integer("num_heads", 1), pairs = angles.back();
  if (2 * pairs != width || site.node.inputs.size() > 3)
    return site.text.refuse(site.node, "of a part of the width, or with positions, is not written yet");
  const Index depth = split(site.place.back(), width).second;
  const auto [pair, second] = beside ? split(depth, 2) : std::pair(split(depth, pairs).second, split(depth, pairs).first);
  const Item is_first = site.text.named("is_first", {second.text() + " == 0", depth.axes, Held::kBool, false});
  const std::string apart = std::to_string(beside ? 1 : pairs);
  Place partner = site.place;
  partner.back() = index_named(
      "(" + site.place.back().text() + " + tl.where(" + is_first.text + ", " + apart + ", -" + apart + "))", depth.axes);
  const Place angle = {site.place[0], site.place[in_heads ? 2 : 1], pair};
  const Item own = site.operand(0, site.place), other = site.operand(0, partner), cosine = site.operand(1, angle),
             sine = site.operand(2, angle);
  return {own.text + " * " + cosine.text + " + tl.where(" + is_first.text + ", -1.0, 1.0) * " + other.text + " * " + sine.text,
          own.axes | other.axes, Held::kReal, false};
}

}  // namespace

std::optional<Item> movement_item(BlockText& text, const Node& node, std::size_t output, const Place& place, const Guard& guard) {
  const Site site{text, node, output, place, guard};
  switch (node.op) {
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kUnsqueeze:
    case Op::kSqueeze: return site.operand(0, reshaped(place, site.result(), site.extents(0)));
    case Op::kTranspose: return transposed(site);
    case Op::kExpand: return text.broadcast(node, 0, place, guard);
    case Op::kSlice: return sliced(site);
    case Op::kSplit: return part(site);
    case Op::kConcat: return concatenated(site);
    case Op::kTrilu: return triangle(site);
    case Op::kPad: return padded(site);
    case Op::kGather: return gathered(site);
    case Op::kGatherElements: return gathered_elements(site);
    case Op::kRotaryEmbedding: return turned(site);
    default: return std::nullopt;
  }
}

std::optional<Item> window_item(BlockText& text, const Node& node, const Place& place, const Guard& guard) {
  if (node.op != Op::kMaxPool && node.op != Op::kAveragePool) return std::nullopt;
  constexpr std::int64_t kMostTaps = 64;
  const Windows windows = windows_along(text.graph(), node);
  const bool most = node.op == Op::kMaxPool, counts_padding = node.attributes.integer("count_include_pad", 0) != 0;
  if (node.outputs.size() > 1 || windows.taps() > kMostTaps || text.graph().type(node.outputs[0]).dtype == DType::kF64 ||
      !is_floating(text.graph().type(node.outputs[0]).dtype) || (!most && node.attributes.integer("ceil_mode", 0) != 0))
    return text.refuse(node, "of these windows is not written yet");
  Item total{most ? "-float('inf')" : "0.0", 0, Held::kReal, true}, met = total;
  for (std::int64_t tap = 0; tap < windows.taps(); ++tap) {
    Guard inside;
    Place from = {place[0], place[1]};
    for (const Index& each :
         windows.under(Place(place.begin() + 2, place.end()), unflattened(constant(tap), windows.kernel), inside))
      from.push_back(each);
    const Item x = text.operand(node, 0, from, both(guard, inside));
    const std::string held =
        inside.text.empty() ? x.text : "tl.where(" + inside.text + ", " + x.text + ", " + (most ? "-float('inf')" : "0.0") + ")";
    const std::string one = inside.text.empty() || counts_padding ? "1.0" : "tl.where(" + inside.text + ", 1.0, 0.0)";
    const Axes axes = x.axes | inside.axes;
    const std::string sum =
        most ? "tl.maximum(" + total.text + ", " + held + ", propagate_nan=tl.PropagateNan.ALL)" : total.text + " + " + held;
    total = text.named("total", {tap == 0 ? held : sum, axes, Held::kReal, false});
    if (!most) met = {tap == 0 ? one : met.text + " + " + one, axes, Held::kReal, false};
  }
  if (most) return total;
  return Item{total.text + " / (" + met.text + ")", total.axes, Held::kReal, false};
}

}  // namespace fuselab::triton
