// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "backends/onednn/library/node_specs.h"

namespace fuselab::onednn {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

PostOp plain(Algorithm algorithm, double alpha = 0, double beta = 0) {
  return {algorithm, static_cast<float>(alpha), static_cast<float>(beta), {}};
}

std::optional<PostOp> unary_of(const Node& node) {
  const Attributes& attributes = node.attributes;
  switch (node.op) {
    case Op::kRelu: return plain(Algorithm::kRelu);
    case Op::kLeakyRelu: return plain(Algorithm::kRelu, attributes.real("alpha", 0.01));
    case Op::kTanh: return plain(Algorithm::kTanh);
    case Op::kSigmoid: return plain(Algorithm::kLogistic);
    case Op::kExp: return plain(Algorithm::kExp);
    case Op::kLog: return plain(Algorithm::kLog);
    case Op::kSqrt: return plain(Algorithm::kSqrt);
    case Op::kAbs: return plain(Algorithm::kAbs);
    case Op::kNeg: return plain(Algorithm::kLinear, -1);
    case Op::kRound: return plain(Algorithm::kRound);
    case Op::kReciprocal: return plain(Algorithm::kPow, 1, -1);
    case Op::kSwish: return plain(Algorithm::kSwish, attributes.real("alpha", 1));
    case Op::kGelu: return plain(attributes.text("approximate", "none") == "tanh" ? Algorithm::kGeluTanh : Algorithm::kGeluErf);
    case Op::kClip: return plain(Algorithm::kClip, attributes.real("min", -kInfinity), attributes.real("max", kInfinity));
    default: return std::nullopt;
  }
}

std::optional<Algorithm> binary_of(Op op) {
  switch (op) {
    case Op::kAdd: return Algorithm::kAdd;
    case Op::kSub: return Algorithm::kSub;
    case Op::kMul: return Algorithm::kMul;
    case Op::kDiv: return Algorithm::kDiv;
    case Op::kMin: return Algorithm::kMin;
    case Op::kMax: return Algorithm::kMax;
    default: return std::nullopt;
  }
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isnormal(static_cast<float>(value)) && std::isnormal(static_cast<float>(1 / value)) &&
         std::abs(std::frexp(value, &exponent)) == 0.5;
}

// Returns the post-op of an operator with a scalar on one side. `first` says that the tensor is the first input.
std::optional<PostOp> with_constant(Op op, double constant, bool first) {
  switch (op) {
    case Op::kAdd: return plain(Algorithm::kLinear, 1, constant);
    case Op::kMul: return plain(Algorithm::kLinear, constant);
    case Op::kSub: return first ? plain(Algorithm::kLinear, 1, -constant) : plain(Algorithm::kLinear, -1, constant);
    // x * (1 / c) is x / c to the last bit only where 1 / c is exact.
    case Op::kDiv:
      if (first && is_power_of_two(constant)) return plain(Algorithm::kLinear, 1 / constant);
      return first ? std::nullopt : std::optional(plain(Algorithm::kPow, constant, -1));
    case Op::kPow: return first ? std::optional(plain(Algorithm::kPow, 1, constant)) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<ElementWise> readings_of(const BoundNode& node) {
  std::vector<ElementWise> readings;
  if (node.inputs.size() == 1) {
    if (const auto step = unary_of(*node.node)) readings.push_back({{*step}, 0, {}});
    return readings;
  }
  if (node.inputs.size() != 2) return readings;
  const Op op = node.node->op;
  for (std::size_t through : {std::size_t{0}, std::size_t{1}}) {
    const std::size_t other = 1 - through;
    if (!node.inputs[through]) continue;
    if (node.constants[other]) {
      if (const auto step = with_constant(op, *node.constants[other], through == 0)) readings.push_back({{*step}, through, {}});
      continue;
    }
    const auto algorithm = binary_of(op);
    if (!algorithm) continue;
    const bool commutes = op != Op::kSub && op != Op::kDiv;
    if (through == 0 || commutes) {
      readings.push_back({{plain(*algorithm)}, through, other});
    } else if (op == Op::kSub) {
      readings.push_back({{plain(Algorithm::kLinear, -1), plain(Algorithm::kAdd)}, through, other});
    }
  }
  return readings;
}

Result<PrimitiveSpec> element_wise_spec(const BoundNode& node) {
  const std::string name(name_of(node.node->op));
  const std::vector<std::int64_t> dims = extents_of(node.result().shape);
  const Layout result = row_major(node.result().dtype, dims);
  for (const ElementWise& reading : readings_of(node)) {
    const Operand& through = *node.inputs[reading.through];
    if (through.layout.dims != dims) continue;  // it is broadcast itself
    PrimitiveSpec spec;
    spec.source = through;
    spec.destination.layout = result;
    const PostOp& first = reading.steps.front();
    spec.algorithm = first.algorithm;
    std::optional<Operand> other;
    if (reading.other) {
      other = fitted(*node.inputs[*reading.other], dims, dims);
      if (!other) continue;
    }
    if (is_binary(first.algorithm)) {
      spec.kind = PrimitiveKind::kBinary;
      spec.weights = other;
      return spec;
    }
    spec.kind = PrimitiveKind::kEltwise;
    spec.alpha = first.alpha;
    spec.beta = first.beta;
    if (reading.steps.size() > 1) {
      spec.post_ops.push_back(reading.steps[1]);
      spec.post_ops.back().operand = other;
    }
    return spec;
  }
  return Error{ErrorCode::kUnsupported,
               "oneDNN has no primitive for " + name + (node.inputs.size() == 2 ? " with these shapes or constants" : "")};
}

std::optional<Operand> fitted(const Operand& operand, const std::vector<std::int64_t>& value_dims,
                              const std::vector<std::int64_t>& destination_dims) {
  Layout padded = operand.layout;
  if (padded.dims.size() > value_dims.size()) return std::nullopt;
  const std::size_t missing = value_dims.size() - padded.dims.size();
  padded.dims.insert(padded.dims.begin(), missing, 1);
  padded.strides.insert(padded.strides.begin(), missing, 1);
  bool whole = true, last_only = true;
  for (std::size_t i = 0; i < value_dims.size(); ++i) {
    if (padded.dims[i] != 1 && padded.dims[i] != value_dims[i]) return std::nullopt;
    whole = whole && padded.dims[i] == value_dims[i];
    if (i + 1 < value_dims.size()) last_only = last_only && padded.dims[i] == 1;
  }
  Operand seen{operand.tensor, {}};
  if (destination_dims == value_dims) {
    seen.layout = with_sound_strides(std::move(padded));
    return seen;
  }
  // The product of a matrix and a vector, or leading dimensions taken as one.
  if (destination_dims.size() != 2) return std::nullopt;
  const std::int64_t rows = destination_dims[0], columns = destination_dims[1];
  const std::int64_t last_stride = padded.strides.empty() ? 1 : padded.strides.back();
  if (elements_of(padded) == 1) {
    seen.layout = row_major(padded.dtype, {1, 1});
  } else if (last_only && value_dims.back() == columns) {
    seen.layout = with_sound_strides({padded.dtype, {1, columns}, {1, last_stride}});
  } else if (whole && is_row_major(padded) && elements_of(padded) == rows * columns) {
    seen.layout = row_major(padded.dtype, {rows, columns});
  } else {
    return std::nullopt;
  }
  return seen;
}

}  // namespace fuselab::onednn
