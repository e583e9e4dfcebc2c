// SPDX-License-Identifier: Apache-2.0
// Losses, as the function bodies in ONNX's operator definitions write them out.
#include <cmath>
#include <utility>

#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"

namespace fuselab {
namespace {

constexpr std::int64_t kClasses = 1;  // their axis

// Describes how each place reads the score of its class.
struct Labels {
  ValueId labels{};
  ValueId indices{};                    // the labels, with an axis of one class, and 0 where they are ignored
  std::optional<ValueId> mask;          // of that shape: what is ignored
  std::optional<std::int64_t> ignored;  // the label that is
  std::vector<NodeId> nodes;
};

// Returns what a value was before it got an axis of one class.
std::optional<ValueId> without_class_axis(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const auto view = made_by(index, value, Op::kUnsqueeze);
  if (!view || !has_only_axis(index, *view, kClasses, index.type(value).shape.size())) return std::nullopt;
  nodes.push_back(*view);
  return index.node(*view).inputs.front();
}

// Returns the result of a view that takes that axis away again.
std::optional<ValueId> squeezed(const GraphIndex& index, ValueId value, NodeId view, std::vector<NodeId>& nodes) {
  if (index.node(view).op != Op::kSqueeze || !has_only_axis(index, view, kClasses, index.type(value).shape.size()))
    return std::nullopt;
  nodes.push_back(view);
  return output_of(index, view);
}

// The constant that labels are compared with.
std::optional<std::int64_t> ignored_by(const GraphIndex& index, NodeId equal, ValueId expanded, std::vector<NodeId>& nodes) {
  const auto& operands = index.node(equal).inputs;
  for (const auto& [label, number] : {std::pair(operands[0], operands[1]), std::pair(operands[1], operands[0])}) {
    const auto ignored = index.constant(number);
    if (!ignored || std::fabs(*ignored) > 0x1p53) continue;
    if (label == expanded) return static_cast<std::int64_t>(*ignored);
    const auto cast = made_by(index, label, Op::kCast);
    const bool widens = cast && index.type(label).dtype == DType::kI64 && index.node(*cast).inputs.front() == expanded;
    if (!widens) continue;
    nodes.push_back(*cast);
    return static_cast<std::int64_t>(*ignored);
  }
  return std::nullopt;
}

bool is_zero_like(const GraphIndex& index, ValueId value, ValueId labels, std::vector<NodeId>& nodes) {
  if (index.constant(value) == 0.0) return true;
  const auto difference = made_by(index, value, Op::kSub);
  if (!difference || index.node(*difference).inputs != std::vector{labels, labels}) return false;
  nodes.push_back(*difference);
  return true;
}

std::optional<Labels> labels_of(const GraphIndex& index, ValueId indices) {
  Labels found;
  found.indices = indices;
  if (const auto labels = without_class_axis(index, indices, found.nodes)) {
    found.labels = *labels;
    return found;
  }
  const auto choice = made_by(index, indices, Op::kWhere);
  if (!choice) return std::nullopt;
  const auto& operands = index.node(*choice).inputs;
  const auto equal = made_by(index, operands[0], Op::kEqual);
  const auto labels = without_class_axis(index, operands[2], found.nodes);
  if (!equal || !labels || !is_zero_like(index, operands[1], operands[2], found.nodes)) return std::nullopt;
  found.ignored = ignored_by(index, *equal, operands[2], found.nodes);
  if (!found.ignored) return std::nullopt;
  found.labels = *labels;
  found.mask = operands[0];
  found.nodes.insert(found.nodes.end(), {*choice, *equal});
  return found;
}

// Returns the value of Where(mask, 0, value), in which ignored places count nothing.
std::optional<ValueId> unmasked(const GraphIndex& index, NodeId choice, ValueId mask) {
  const Node& node = index.node(choice);
  if (node.op != Op::kWhere || node.inputs[0] != mask || index.constant(node.inputs[1]) != 0.0) return std::nullopt;
  return node.inputs[2];
}

// Holds the weights with which places count.
struct Counts {
  std::optional<ValueId> weights;  // one per class; none: 1
  std::vector<NodeId> nodes;
};

std::optional<ValueId> gathered(const GraphIndex& index, ValueId value, ValueId indices, std::vector<NodeId>& nodes) {
  const auto gather = made_by(index, value, Op::kGather);
  if (!gather || axis_of(index, *gather, 0) != 0 || index.node(*gather).inputs[1] != indices) return std::nullopt;
  nodes.push_back(*gather);
  return index.node(*gather).inputs.front();
}

std::optional<Counts> counts_of(const GraphIndex& index, const Labels& labels, ValueId factor) {
  Counts counts;
  if (!labels.mask) {
    counts.weights = gathered(index, factor, labels.labels, counts.nodes);
    return counts.weights ? std::optional(counts) : std::nullopt;
  }
  const auto maker = index.maker(factor);
  if (!maker) return std::nullopt;
  if (index.node(*maker).op == Op::kWhere) {
    const auto view = made_by(index, index.node(*maker).inputs[0], Op::kSqueeze);
    if (!view || index.node(*view).inputs.front() != *labels.mask || !squeezed(index, *labels.mask, *view, counts.nodes))
      return std::nullopt;
    const auto otherwise = unmasked(index, *maker, output_of(index, *view));
    if (!otherwise || index.constant(*otherwise) != 1.0) return std::nullopt;
    counts.nodes.push_back(*maker);
    return counts;
  }
  if (index.node(*maker).op != Op::kSqueeze) return std::nullopt;
  const ValueId masked = index.node(*maker).inputs.front();
  const auto choice = made_by(index, masked, Op::kWhere);
  const auto all = choice && squeezed(index, masked, *maker, counts.nodes) ? unmasked(index, *choice, *labels.mask) : std::nullopt;
  counts.weights = all ? gathered(index, *all, labels.indices, counts.nodes) : std::nullopt;
  if (!counts.weights) return std::nullopt;
  counts.nodes.push_back(*choice);
  return counts;
}

bool reduces_all(const GraphIndex& index, NodeId id, Op op) {
  const Node& node = index.node(id);
  if (node.op != op || node.attributes.integer("keepdims", 1) != 0 || node.attributes.integer("noop_with_empty_axes", 0) != 0)
    return false;
  const auto axes = node.attributes.integers("axes");
  return axes.empty() || axes.size() == index.type(node.inputs.front()).shape.size();
}

// The loss of each place, and how it is read from there on.
class LossReader {
 public:
  LossReader(const GraphIndex& index, ValueId scores, Labels labels)
      : index_(index), scores_(scores), labels_(std::move(labels)), nodes_(labels_.nodes) {}

  std::vector<WrittenOut> read(NodeId gather) {
    nodes_.push_back(gather);
    loss_ = output_of(index_, gather);
    if (!skip_mask() || !negate() || !leave_class_axis()) return {};
    take_factor();
    std::vector<WrittenOut> readings;
    add_mean(readings);
    add_sum(readings);
    add(readings, "none", loss_, {});
    return readings;
  }

 private:
  bool skip_mask() {
    if (!labels_.mask) return true;
    const auto choice = only_read_by(index_, loss_, Op::kWhere);
    return choice && unmasked(index_, *choice, *labels_.mask) == loss_ && follow(*choice);
  }

  bool negate() {
    const auto negated = only_read_by(index_, loss_, Op::kNeg);
    return negated && follow(*negated);
  }

  bool leave_class_axis() {
    if (const auto slice = only_read_by(index_, loss_, Op::kSlice)) {
      // The slice takes all of an axis of one class.
      if (index_.out_type(*slice) != index_.type(loss_) ||
          !has_only_axis(index_, *slice, kClasses, index_.type(loss_).shape.size()))
        return false;
      follow(*slice);
    }
    const auto view = index_.sole_reader(loss_);
    const auto places = view ? squeezed(index_, loss_, *view, nodes_) : std::nullopt;
    loss_ = places.value_or(loss_);
    return places.has_value();
  }

  void take_factor() {
    const auto product = only_read_by(index_, loss_, Op::kMul);
    const auto factor = product ? other_operand(index_, *product, loss_) : std::nullopt;
    const auto counts = factor ? counts_of(index_, labels_, *factor) : std::nullopt;
    if (!counts) return;
    factor_ = factor;
    weights_ = counts->weights;
    nodes_.insert(nodes_.end(), counts->nodes.begin(), counts->nodes.end());
    follow(*product);
  }

  void add_mean(std::vector<WrittenOut>& readings) const {
    const auto reduction = index_.sole_reader(loss_);
    if (!reduction) return;
    // All places count alike only where nothing is weighted and nothing ignored.
    if (!factor_ && !labels_.mask && reduces_all(index_, *reduction, Op::kReduceMean))
      add(readings, "mean", output_of(index_, *reduction), {*reduction});
    if (!factor_ || !reduces_all(index_, *reduction, Op::kReduceSum)) return;
    const auto quotient = only_read_by(index_, output_of(index_, *reduction), Op::kDiv);
    if (!quotient || index_.node(*quotient).inputs[0] != output_of(index_, *reduction)) return;
    const auto total = made_by(index_, index_.node(*quotient).inputs[1], Op::kReduceSum);
    if (!total || index_.node(*total).inputs.front() != *factor_ || !reduces_all(index_, *total, Op::kReduceSum)) return;
    add(readings, "mean", output_of(index_, *quotient), {*reduction, *quotient, *total});
  }

  void add_sum(std::vector<WrittenOut>& readings) const {
    const auto reduction = index_.sole_reader(loss_);
    if (reduction && reduces_all(index_, *reduction, Op::kReduceSum))
      add(readings, "sum", output_of(index_, *reduction), {*reduction});
  }

  void add(std::vector<WrittenOut>& readings, const char* reduction, ValueId result, const std::vector<NodeId>& more) const {
    WrittenOut reading{Op::kNegativeLogLikelihoodLoss, {scores_, labels_.labels}, {}, result, nodes_};
    if (weights_) reading.inputs.push_back(*weights_);
    reading.attributes.set("reduction", std::string(reduction));
    if (labels_.ignored) reading.attributes.set("ignore_index", *labels_.ignored);
    reading.nodes.insert(reading.nodes.end(), more.begin(), more.end());
    readings.push_back(std::move(reading));
  }

  bool follow(NodeId id) {
    nodes_.push_back(id);
    loss_ = output_of(index_, id);
    return true;
  }

  const GraphIndex& index_;
  ValueId scores_;
  Labels labels_;
  std::vector<NodeId> nodes_;
  ValueId loss_{};
  std::optional<ValueId> factor_, weights_;
};

// Returns the operand of a Transpose that swaps only the last two of three axes.
std::optional<ValueId> swapped(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const auto transpose = made_by(index, value, Op::kTranspose);
  if (!transpose || index.node(*transpose).attributes.integers("perm") != std::vector<std::int64_t>{0, 2, 1}) return std::nullopt;
  nodes.push_back(*transpose);
  return index.node(*transpose).inputs.front();
}

// The scores x where the value is x's LogSoftmax over the classes, with the classes last of [N, places, C] while it is taken.
std::optional<ValueId> scores_behind_views(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const auto last = made_by(index, value, Op::kReshape);
  const auto log = last ? swapped(index, index.node(*last).inputs.front(), nodes) : std::nullopt;
  const auto softmax = log ? log_softmax_that_makes(index, *log) : std::nullopt;
  if (!softmax || softmax->axis != 2) return std::nullopt;
  const auto flat = swapped(index, softmax->input, nodes);
  const auto first = flat ? made_by(index, *flat, Op::kReshape) : std::nullopt;
  if (!first) return std::nullopt;
  const ValueId scores = index.node(*first).inputs.front();
  const Shape& whole = index.type(scores).shape;
  const Shape& three = index.type(*flat).shape;
  // Reshapes keep the order of elements: when samples and classes keep their axes, so do the places, as one.
  const bool keeps = whole.size() >= 2 && three.size() == 3 && three[0] == whole[0] && three[1] == whole[1];
  if (!keeps || index.type(value).shape != whole) return std::nullopt;
  nodes.insert(nodes.end(), {*last, *first});
  nodes.insert(nodes.end(), softmax->nodes.begin(), softmax->nodes.end());
  return scores;
}

}  // namespace

std::vector<WrittenOut> find_written_out_loss(const GraphIndex& index, NodeId gather) {
  const Node& node = index.node(gather);
  if (node.op != Op::kGatherElements || axis_of(index, gather, 0) != kClasses) return {};
  auto labels = labels_of(index, node.inputs[1]);
  if (!labels) return {};
  return LossReader(index, node.inputs[0], *std::move(labels)).read(gather);
}

std::vector<WrittenOut> find_written_out_cross_entropy(const GraphIndex& index, NodeId loss) {
  const Node& node = index.node(loss);
  if (node.op != Op::kNegativeLogLikelihoodLoss || node.outputs.size() != 1) return {};
  std::vector<NodeId> nodes{loss};
  ValueId value = node.inputs.front();
  while (const auto renamed = made_by(index, value, Op::kIdentity)) {
    if (!index.sole_reader(value)) return {};  // it stays, whatever is found before it
    nodes.push_back(*renamed);
    value = index.node(*renamed).inputs.front();
  }
  std::optional<ValueId> scores;
  if (const auto softmax = log_softmax_that_makes(index, value); softmax && softmax->axis == kClasses) {
    nodes.insert(nodes.end(), softmax->nodes.begin(), softmax->nodes.end());
    scores = softmax->input;
  } else {
    scores = scores_behind_views(index, value, nodes);
  }
  if (!scores) return {};
  std::vector<ValueId> inputs = node.inputs;
  inputs.front() = *scores;
  return {{Op::kSoftmaxCrossEntropyLoss, std::move(inputs), node.attributes, output_of(index, loss), std::move(nodes)}};
}

}  // namespace fuselab
