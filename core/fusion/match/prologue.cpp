// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/prologue.h"

#include <algorithm>
#include <cstdio>

#include "core/cost/cost.h"
#include "core/fusion/match/recompute_cost.h"

namespace fuselab {
namespace {

std::string operator_name(const GraphIndex& index, NodeId id) {
  return std::string(name_of(index.node(id).op));
}

bool among(std::span<const NodeId> nodes, NodeId id) {
  return std::binary_search(nodes.begin(), nodes.end(), id);
}

double elements(const Shape& shape, std::size_t first, std::size_t last) {
  double count = 1;
  for (std::size_t axis = first; axis < last; ++axis) count *= static_cast<double>(shape[axis].extent());
  return count;
}

// A contraction by how its kernel sees it: rows of tasks against the operand that they bring together, which is a Conv's image and
// the matrix of a product with a vector.
struct Operands {
  const GraphIndex& index;
  const Node& node;
  std::size_t computed;  // the operand that the prologue makes

  const Shape& shape(std::size_t input) const { return index.type(node.inputs[input]).shape; }
  const Shape& result() const { return index.type(node.outputs.front()).shape; }
  bool is_convolution() const { return node.op == Op::kConv; }
  bool by_vector() const { return node.op == Op::kMatMul && shape(1).size() == 1; }
  // Returns whether each task computes the part that it reads for its own rows; otherwise the operand is brought together for all
  // rows of a task.
  bool is_left() const { return (computed == 0) != (is_convolution() || by_vector()); }
  double rows() const {
    if (by_vector()) return 1;
    if (is_convolution()) {
      const std::int64_t of_group = shape(1)[0].extent() / node.attributes.integer("group", 1);
      return static_cast<double>(of_group);
    }
    const Shape& made = result();
    return shape(0).size() == 1 ? 1.0 : static_cast<double>(made[made.size() - 2].extent());
  }
  double columns() const {
    if (by_vector() || shape(1).size() == 1) return 1;
    return static_cast<double>(result().back().extent());
  }
  bool turned(const char* attribute) const { return node.op == Op::kGemm && node.attributes.integer(attribute, 0) != 0; }
};

// Tells how often each element is computed, and why.
struct HowOften {
  double times = 1;
  std::string because;
  bool one_by_one = false;  // not a register at a time
};

// Returns how many matrices of a batch share the operand.
double times_shared(const Operands& o) {
  if (o.is_convolution()) return 1;
  const Shape& own = o.shape(o.computed);
  if (own.size() < 2 || o.by_vector()) return 1;
  return elements(o.result(), 0, o.result().size() - std::min<std::size_t>(2, o.result().size())) /
         std::max(1.0, elements(own, 0, own.size() - 2));
}

constexpr double kRowsOfTask = 512;  // at most

// Rows computed where they are read: once for all columns, unless there are too few tasks of so many rows to keep threads busy.
// Then the columns are shared out, too, and each part computes its own.
HowOften how_often_left(const Operands& o, double shared) {
  constexpr double kBusy = 4, kParts = 2, kNarrow = 64;
  std::string because = shared > 1 ? ", once for each matrix that shares it" : "";
  const double tasks =
      o.rows() / kRowsOfTask * elements(o.result(), 0, o.result().size() - std::min<std::size_t>(2, o.result().size()));
  if (o.columns() <= kNarrow || tasks >= kBusy) return {shared, because};
  return {kParts * shared, because + (shared > 1 ? " and for each half of the columns" : ", once for each half of the columns")};
}

// The operand brought together: for each block of rows, and of an image for each window.
HowOften how_often(const Operands& o) {
  constexpr double kFewRows = 8, kRowsOfFew = 2;
  const double shared = std::max(1.0, times_shared(o));
  if (o.is_left()) return how_often_left(o, shared);
  double rows = o.rows();
  const bool one_for_all =
      !o.is_convolution() && shared > 1 && elements(o.shape(o.computed), 0, o.shape(o.computed).size() - 2) == 1;
  if (one_for_all) rows *= shared;  // the batches are just more rows
  double blocks =
      rows < kFewRows ? (o.turned("transB") ? rows : (rows + kRowsOfFew - 1) / kRowsOfFew) : (rows + kRowsOfTask - 1) / kRowsOfTask;
  blocks = std::max(1.0, static_cast<double>(static_cast<std::int64_t>(blocks)));
  double times = blocks * (one_for_all ? 1.0 : shared);
  std::string because = times > 1 ? ", once for each block of rows" : "";
  if (!o.is_convolution()) return {times, because, o.turned("transB") && rows >= kFewRows};
  const double places = elements(o.shape(0), 2, o.shape(0).size());
  const double windows = elements(o.result(), 2, o.result().size()) * elements(o.shape(1), 2, o.shape(1).size());
  if (places > 0 && windows > places) {
    times *= windows / places;
    because = blocks > 1 ? ", once for each window it stands in and for each block of rows" : ", once for each window it stands in";
  }
  const bool pointwise = windows == places && elements(o.shape(1), 2, o.shape(1).size()) == 1;
  return {times, because, !pointwise};
}

std::string times_text(const HowOften& often) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g times", often.times);
  return text + often.because + (often.one_by_one ? ", and one element at a time" : "");
}

Prologue no_prologue(std::string reason, std::string backend = {}) {
  return {Refusal{std::move(reason), std::move(backend)}, {}};
}

bool is_whole(const GraphIndex& index, std::span<const NodeId> nodes, NodeId anchor) {
  const auto concrete = [&](ValueId value) {
    const Shape& shape = index.type(value).shape;
    return std::none_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_symbol(); });
  };
  const auto node_is = [&](NodeId id) {
    const Node& node = index.node(id);
    return std::all_of(node.inputs.begin(), node.inputs.end(), concrete) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), concrete);
  };
  return node_is(anchor) && std::all_of(nodes.begin(), nodes.end(), node_is);
}

// Decides by what both ways cost; the shapes are known.
Prologue weigh(const Operands& o, std::span<const NodeId> nodes, const std::string& maker, const std::string& reader) {
  const HowOften often = how_often(o);
  const auto size = size_of(o.index.type(o.node.inputs[o.computed]));
  if (!size.ok()) return no_prologue(size.error().message);
  constexpr double kElementsOfRegister = 16;  // an element alone takes as long
  const double turns = often.times * (often.one_by_one ? kElementsOfRegister : 1);
  const double more = (turns - 1) * simple_operations(o.index, nodes);
  const Bytes saved{2 * size.value().count};  // written once and read once
  if (!pays_to_compute(more, saved)) {
    return no_prologue("computing " + maker + " in " + reader + "'s kernel would do so " + times_text(often) + ": " +
                       operations_text(more) + " operations more cost more than writing and reading " + format_bytes(size.value()) +
                       " does");
  }
  const std::string anew = turns > 1 ? "each element " + times_text(often) + ", " + operations_text(more) + " operations more"
                                     : "each element once, as it would be alone";
  return {std::nullopt, maker + " is computed where " + reader + " reads it: " + anew + ", and " + format_bytes(saved) +
                            " less are written and read"};
}

// Returns why no generator writes this prologue, or nothing.
std::optional<std::string> unwritten(const Operands& o, std::span<const NodeId> nodes, const Group& a, const std::string& maker,
                                     const std::string& reader) {
  if (a.space != o.shape(o.computed)) return maker + " works on another shape than " + reader + "'s operand";
  if (o.is_convolution() && a.space.size() != 4) return "only windows over two axes bring their operand together";
  if (o.is_convolution() && o.computed == 1) {
    return reader +
           " takes no weights that are computed with it: where they were infinite, the zeros beside the image would make NaN";
  }
  if (o.computed == 0 && o.turned("transA")) return reader + " reads that operand by columns, and " + maker + " makes it by rows";
  if (!is_floating(o.index.type(o.node.inputs[o.computed]).dtype)) return reader + " of whole numbers computes no operand itself";
  bool half = false, wide = false;
  const auto look = [&](ValueId value) {
    const DType dtype = o.index.type(value).dtype;
    half = half || (is_floating(dtype) && bits_of(dtype) == 16);
    wide = wide || dtype == DType::kF64;
  };
  for (NodeId id : nodes) {
    for (ValueId value : o.index.node(id).inputs) look(value);
    for (ValueId value : o.index.node(id).outputs) {
      look(value);
      if (!is_floating(o.index.type(value).dtype))
        return operator_name(o.index, id) +
               " makes whole numbers or truth values on the way, which no contraction's kernel computes";
    }
  }
  for (ValueId value : o.node.inputs) look(value);
  if (half && wide) return "one kernel does not compute in half and in double precision";
  return std::nullopt;
}

}  // namespace

Prologue consider_prologue(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes,
                           const Group& b) {
  const NodeId anchor = *b.anchor;
  const Node& contraction = index.node(anchor);
  Operands operands{index, contraction, 0};
  NodeId first = a_nodes.back();  // whose result the contraction reads
  std::size_t read = 0;
  for (std::size_t i = 0; i < contraction.inputs.size(); ++i) {
    const auto made_by = index.maker(contraction.inputs[i]);
    if (!made_by || !among(a_nodes, *made_by)) continue;
    first = *made_by;
    operands.computed = i;
    ++read;
  }
  const std::string name = operator_name(index, first), reader = operator_name(index, anchor);
  if (!options.enable_prologue_fusion) return no_prologue("prologue fusion is off");
  if (options.asked.empty() || read != 1 || operands.computed > 1) {
    return no_prologue(reader + " reads each element of " + name +
                       "'s output many times: fused, it would be computed anew for every tile");
  }
  for (const BackendLimits& each : options.asked) {
    if (each.limits.takes_prologue) continue;
    std::string reason = each.backend;
    reason.append(" computes no operand inside ")
        .append(reader)
        .append("'s kernel: it reads what ")
        .append(name)
        .append(" has written");
    return no_prologue(std::move(reason), each.backend);
  }
  if (b.twin) return no_prologue(reader + "'s kernel makes two products, whose operands it reads as they lie in memory");
  if (!b.prologue.empty()) return no_prologue(reader + "'s kernel computes its other operand already, and one only");
  for (NodeId id : a_nodes) {
    for (ValueId value : index.node(id).outputs) {
      const auto outside = [&](NodeId next) { return !among(a_nodes, next) && next != anchor; };
      const auto readers = index.readers(value);
      if (index.is_output(value) || std::any_of(readers.begin(), readers.end(), outside))
        return no_prologue("others read what " + operator_name(index, id) + " makes, too: it has to be written anyway");
    }
  }
  if (!is_whole(index, a_nodes, anchor))
    return no_prologue("how often " + reader + " reads an element is known only with all extents");
  if (auto why = unwritten(operands, a_nodes, a, name, reader)) return no_prologue(*std::move(why));
  return weigh(operands, a_nodes, name, reader);
}

}  // namespace fuselab
