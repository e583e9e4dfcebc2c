// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Formulas over one tensor.
class Formula {
 public:
  Formula(Composition& graph, DType dtype) : graph_(graph), dtype_(dtype) {}

  Term number(double value) { return graph_.number(value, dtype_); }
  Term apply(Op op, Term a) { return graph_.apply(op, {a}); }
  Term apply(Op op, Term a, Term b) { return graph_.apply(op, {a, b}); }
  Term apply(Op op, Term a, double b) { return graph_.apply(op, {a, number(b)}); }

  Term positive_part(Term x) { return apply(Op::kRelu, x); }
  Term negative_part(Term x) { return apply(Op::kMin, x, 0.0); }
  Term clamped_line(Term x, double alpha, double beta) {
    return graph_.apply(Op::kClip, {apply(Op::kAdd, apply(Op::kMul, x, alpha), beta)}, {{"min", 0.0}, {"max", 1.0}});
  }
  // scale · (x above 0, alpha · (exp(x / width) - 1) below): no power is taken of what is above, so none overflows.
  Term exponential_unit(Term x, double alpha, double scale, double width) {
    const Term below = width == 1 ? negative_part(x) : apply(Op::kDiv, negative_part(x), width);
    const Term bent = apply(Op::kMul, apply(Op::kSub, apply(Op::kExp, below), 1.0), scale * alpha);
    const Term above = scale == 1 ? positive_part(x) : apply(Op::kMul, positive_part(x), scale);
    return apply(Op::kAdd, above, bent);
  }
  // log(1 + exp(x)) without the power of a large number.
  Term softplus(Term x) {
    const Term power = apply(Op::kExp, apply(Op::kNeg, apply(Op::kAbs, x)));
    return apply(Op::kAdd, positive_part(x), apply(Op::kLog, apply(Op::kAdd, power, 1.0)));
  }
  // Uses the power of half the size, which overflows nowhere where the result does not.
  Term cosh(Term x) {
    const Term root = apply(Op::kExp, apply(Op::kMul, apply(Op::kAbs, x), 0.5));
    const Term growing = apply(Op::kMul, apply(Op::kMul, root, 0.5), root);
    const Term falling = apply(Op::kDiv, graph_.apply(Op::kDiv, {number(0.5), root}), root);
    return apply(Op::kAdd, growing, falling);
  }
  // This product is as exact near zero as Tanh is; a difference of powers is not.
  Term sinh(Term x) { return apply(Op::kMul, apply(Op::kTanh, x), cosh(x)); }

 private:
  Composition& graph_;
  DType dtype_;
};

Term activated(Formula& formula, const std::string& op, Term x, const Attributes& attributes) {
  if (op == "HardSigmoid") return formula.clamped_line(x, attributes.real("alpha", 0.2), attributes.real("beta", 0.5));
  if (op == "HardSwish") return formula.apply(Op::kMul, x, formula.clamped_line(x, 1.0 / 6, 0.5));
  if (op == "Elu") return formula.exponential_unit(x, attributes.real("alpha", 1.0), 1.0, 1.0);
  if (op == "Selu") return formula.exponential_unit(x, attributes.real("alpha", 0), attributes.real("gamma", 0), 1.0);
  if (op == "Celu") {
    const double alpha = attributes.real("alpha", 1.0);
    return formula.exponential_unit(x, alpha, 1.0, alpha);
  }
  if (op == "Softplus") return formula.softplus(x);
  if (op == "Softsign") return formula.apply(Op::kDiv, x, formula.apply(Op::kAdd, formula.apply(Op::kAbs, x), 1.0));
  if (op == "Mish") return formula.apply(Op::kMul, x, formula.apply(Op::kTanh, formula.softplus(x)));
  return op == "Cosh" ? formula.cosh(x) : formula.sinh(x);
}

// The constants of Selu were written with fewer digits at first.
void set_selu_defaults(Attributes& attributes, int opset) {
  const bool early = opset < 6;
  if (!attributes.has("alpha")) attributes.set("alpha", early ? 1.6732 : 1.67326319217681884765625);
  if (!attributes.has("gamma")) attributes.set("gamma", early ? 1.0507 : 1.05070102214813232421875);
}

// Before opset 7 a slope of one number per channel was lined up with the channels, later as numpy does.
std::vector<std::int64_t> axes_behind_channels(const TensorType& x, const TensorType& slope, int opset) {
  std::vector<std::int64_t> axes;
  if (opset >= 7 || slope.shape.size() != 1 || slope.shape[0] == Dim(1)) return axes;
  for (std::size_t i = 2; i < x.shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i) - 1);
  return axes;
}

Result<Translated> translate_activation(NodeImport& node) {
  std::string unknown;
  Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.op() == "Selu") set_selu_defaults(attributes, node.opset());
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  if (!is_floating(type.dtype)) graph.fail("it takes " + std::string(name_of(type.dtype)));
  if (node.op() == "Celu" && attributes.real("alpha", 1.0) == 0) graph.fail("its alpha is 0, which it divides by");
  Formula formula(graph, type.dtype);
  return graph.finish(activated(formula, node.op(), graph.operand(0), attributes));
}

Result<Translated> translate_prelu(NodeImport& node) {
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  Formula formula(graph, type.dtype);
  const Term x = graph.operand(0);
  if (const auto slope = node.known(1) != nullptr ? node.known(1)->scalar() : std::nullopt;
      slope && is_floating(type.dtype) && node.type(1).dtype == type.dtype && node.type(1).shape.size() <= type.shape.size()) {
    return graph.finish(graph.apply(Op::kLeakyRelu, {x}, {{"alpha", *slope}}));
  }
  const Term slope = graph.unsqueeze(graph.operand(1), axes_behind_channels(type, node.type(1), node.opset()));
  const Term below = formula.apply(Op::kMul, formula.negative_part(x), slope);
  return graph.finish(formula.apply(Op::kAdd, formula.positive_part(x), below));
}

}  // namespace

Rows activation_rows() {
  static constexpr OperatorRow kRows[] = {
      {"HardSigmoid", translate_activation, "alpha:f beta:f consumed_inputs:I@1-5", Operands::exactly(1)},
      {"HardSwish", translate_activation, "", Operands::exactly(1)},
      {"Elu", translate_activation, "alpha:f consumed_inputs:I@1-5", Operands::exactly(1)},
      {"Selu", translate_activation, "alpha:f consumed_inputs:I@1-5 gamma:f", Operands::exactly(1)},
      {"Celu", translate_activation, "alpha:f", Operands::exactly(1)},
      {"Softplus", translate_activation, "", Operands::exactly(1)},
      {"Softsign", translate_activation, "", Operands::exactly(1)},
      {"Mish", translate_activation, "", Operands::exactly(1)},
      {"Cosh", translate_activation, "", Operands::exactly(1)},
      {"Sinh", translate_activation, "", Operands::exactly(1)},
      {"PRelu", translate_prelu, "consumed_inputs:I@1-5", Operands::exactly(2)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
