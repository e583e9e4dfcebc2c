// SPDX-License-Identifier: Apache-2.0
// Losses: of one place, or of all places together.
#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

struct Share {
  ExprPtr loss;
  ExprPtr weight;
};

// Returns what the place of a label contributes; statements go to the site's body.
Share share_of(const ElementSite& site, const Place& label_place) {
  Elements& elements = site.elements;
  const std::int64_t classes = site.extents(0)[1];
  const ExprPtr label = site.operand(1, label_place, site.body);
  ExprPtr counts, named = label;
  if (site.node.attributes.has("ignore_index")) {
    // What is ignored names no class, and may well be out of range.
    counts = elements.keep(site.body, "counts", binary("!=", label, integer(site.node.attributes.integer("ignore_index", 0))));
    named = call("whole_choose", kIndex, {counts, label, integer(0)});
  }
  const ExprPtr held = elements.keep(site.body, "class", place_along(named, classes));
  Place scored{label_place.at, nullptr};
  scored.at.insert(scored.at.begin() + 1, held);
  ExprPtr log;
  if (site.node.op == Op::kSoftmaxCrossEntropyLoss) {
    log = log_of_softmax(site, scored, 1);
  } else {
    log = site.operand(0, scored, site.body);
  }
  ExprPtr weight = real(1, kElementReal);
  if (site.node.inputs.size() > 2) weight = site.operand(2, {{held}, nullptr}, site.body);
  if (counts) {
    weight = call("choose", kElementReal, {counts, weight, real(0, kElementReal)});
    log = call("choose", kElementReal, {counts, log, real(0, kElementReal)});
  }
  weight = elements.keep(site.body, "weight", weight);
  return {call("neg", kElementReal, {log * weight}), weight};
}

}  // namespace

ExprPtr loss_element(const ElementSite& site) {
  const Op op = site.node.op;
  if (op != Op::kSoftmaxCrossEntropyLoss && op != Op::kNegativeLogLikelihoodLoss) return nullptr;
  if (site.output != 0) return site.elements.refuse(site.node, "its second result is not generated here");
  const std::string reduction = site.node.attributes.text("reduction", "mean");
  if (reduction == "none") return share_of(site, {site.place.at, nullptr}).loss;
  const auto extents = site.extents(1);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) axes.push_back(axis);
  const ExprPtr sum = site.elements.variable(site.body, "loss_sum", real(0, kElementReal));
  const ExprPtr weights = site.elements.variable(site.body, "weight_total", real(0, kElementReal));
  const Place none{std::vector<ExprPtr>(extents.size(), integer(0)), nullptr};
  site.elements.over(site.body, extents, axes, none, [&](Body& inner, const Place& at) {
    const Share share = share_of({site.elements, site.node, site.output, site.place, inner}, at);
    BodyBuilder(inner).assign(sum, sum + share.loss);
    BodyBuilder(inner).assign(weights, weights + share.weight);
  });
  return reduction == "mean" ? sum / weights : sum;
}

}  // namespace fuselab::codegen
