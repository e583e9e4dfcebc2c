// SPDX-License-Identifier: Apache-2.0
// Losses: of one place, or of all places together.
#include "backends/codegen/pull.h"

namespace fuselab::codegen {
namespace {

struct Share {
  ExprPtr loss;
  ExprPtr weight;
};

// What the place of a label contributes; statements go to the site's body.
Share share_of(const PullSite& site, const Place& label_place) {
  Pull& pull = site.pull;
  const std::int64_t classes = site.extents(0)[1];
  const ExprPtr label = site.operand(1, label_place, site.body);
  const ExprPtr held = pull.keep(site.body, "class", index_into(label, classes));
  Place scored{label_place.at, nullptr};
  scored.at.insert(scored.at.begin() + 1, held);
  ExprPtr log;
  if (site.node.op == Op::kSoftmaxCrossEntropyLoss) {
    const ExprPtr power_sum = pull.variable(site.body, "power_sum", real(0, kPulledReal));
    const ExprPtr down = down_from_most(site, scored, 1, power_sum);
    log = down - call("log", kPulledReal, {power_sum});
  } else {
    log = site.operand(0, scored, site.body);
  }
  ExprPtr weight = real(1, kPulledReal);
  if (site.node.inputs.size() > 2) weight = site.operand(2, {{held}, nullptr}, site.body);
  if (site.node.attributes.has("ignore_index")) {
    const ExprPtr counts = binary("!=", label, integer(site.node.attributes.integer("ignore_index", 0)));
    weight = call("choose", kPulledReal, {counts, weight, real(0, kPulledReal)});
    log = call("choose", kPulledReal, {counts, log, real(0, kPulledReal)});
  }
  weight = pull.keep(site.body, "weight", weight);
  return {call("neg", kPulledReal, {log * weight}), weight};
}

}  // namespace

ExprPtr pull_loss(const PullSite& site) {
  const Op op = site.node.op;
  if (op != Op::kSoftmaxCrossEntropyLoss && op != Op::kNegativeLogLikelihoodLoss) return nullptr;
  if (site.output != 0) return site.pull.refuse(site.node, "its second result is not generated here");
  const std::string reduction = site.node.attributes.text("reduction", "mean");
  if (reduction == "none") return share_of(site, {site.place.at, nullptr}).loss;
  const auto extents = site.extents(1);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) axes.push_back(axis);
  const ExprPtr sum = site.pull.variable(site.body, "loss_sum", real(0, kPulledReal));
  const ExprPtr weights = site.pull.variable(site.body, "weight_total", real(0, kPulledReal));
  const Place none{std::vector<ExprPtr>(extents.size(), integer(0)), nullptr};
  site.pull.over(site.body, extents, axes, none, [&](Body& inner, const Place& at) {
    const Share share = share_of({site.pull, site.node, site.output, site.place, inner}, at);
    BodyBuilder(inner).assign(sum, sum + share.loss);
    BodyBuilder(inner).assign(weights, weights + share.weight);
  });
  return reduction == "mean" ? sum / weights : sum;
}

}  // namespace fuselab::codegen
