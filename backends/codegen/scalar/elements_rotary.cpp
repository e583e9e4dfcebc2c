// SPDX-License-Identifier: Apache-2.0
// RotaryEmbedding: each element is turned with its partner, which lies beside it (interleaved) or half the turned width away.
#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

// An element of X as its head sees it.
struct InHead {
  ExprPtr batch, token, depth;
  std::int64_t width;  // of a head
};

// X is [B,H,S,D], or [B,S,H·D] with num_heads.
InHead in_head(const ElementSite& site) {
  const auto x = site.extents(0);
  const auto& at = site.place.at;
  if (x.size() == 4) return {at[0], at[2], at[3], x[3]};
  const std::int64_t width = x[2] / site.node.attributes.integer("num_heads", 1);
  return {at[0], at[1], site.elements.keep(site.body, "depth", at[2] % integer(width)), width};
}

// Describes which element of a pair an element is.
struct InPair {
  ExprPtr is_first, angle, to_partner;  // the angle's column in cos and sin, and the way to the other element
};

InPair in_pair(const ElementSite& site, const ExprPtr& depth, std::int64_t pairs, Body& body) {
  Elements& elements = site.elements;
  const bool beside = site.node.attributes.integer("interleaved", 0) != 0;
  const ExprPtr is_first =
      elements.keep(body, "is_first", beside ? binary("==", depth % integer(2), integer(0)) : binary("<", depth, integer(pairs)));
  const std::int64_t apart = beside ? 1 : pairs;
  return {is_first, elements.keep(body, "angle", beside ? depth / integer(2) : depth % integer(pairs)),
          call("whole_choose", kIndex, {is_first, integer(apart), integer(-apart)})};
}

ExprPtr turned(const ElementSite& site, const InHead& head, const ExprPtr& x, Body& body) {
  const auto angles = site.extents(1);
  const InPair pair = in_pair(site, head.depth, angles.back(), body);
  Place partner{site.place.at, nullptr};
  partner.at.back() = site.elements.keep(body, "partner", partner.at.back() + pair.to_partner);
  Place angle{{head.batch, head.token, pair.angle}, nullptr};
  if (site.node.inputs.size() > 3) {
    const ExprPtr position = site.operand(3, {{head.batch, head.token}, nullptr}, body);
    angle.at = {site.elements.keep(body, "position", place_along(position, angles[0])), pair.angle};
  }
  const ExprPtr kept = site.elements.keep(body, "kept", x * site.operand(1, angle, body));
  const ExprPtr crossed = site.elements.keep(body, "crossed", site.operand(0, partner, body) * site.operand(2, angle, body));
  return call("choose", kElementReal, {pair.is_first, kept - crossed, kept + crossed});
}

}  // namespace

ExprPtr rotary_element(const ElementSite& site) {
  if (site.node.op != Op::kRotaryEmbedding) return nullptr;
  const InHead head = in_head(site);
  const std::int64_t width = 2 * site.extents(1).back();
  const ExprPtr x = site.operand(0);
  if (width == head.width) return turned(site, head, x, site.body);
  const ExprPtr result = site.elements.variable(site.body, "turned", x);
  site.elements.when(site.body, binary("<", head.depth, integer(width)),
                     [&](Body& inner) { BodyBuilder(inner).assign(result, turned(site, head, x, inner)); });
  return result;
}

}  // namespace fuselab::codegen
