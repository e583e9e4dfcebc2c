// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/element_steps.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace fuselab::mkl {
namespace {

using enum VectorFunction;

struct Direct {
  Op op;
  VectorFunction function;
};
// Operators that are one function; those of several operands take one after the other.
constexpr Direct kDirect[] = {{Op::kAbs, kAbs},     {Op::kExp, kExp},     {Op::kLog, kLn},      {Op::kSqrt, kSqrt},
                              {Op::kErf, kErf},     {Op::kTanh, kTanh},   {Op::kSin, kSin},     {Op::kCos, kCos},
                              {Op::kTan, kTan},     {Op::kAsin, kAsin},   {Op::kAcos, kAcos},   {Op::kAtan, kAtan},
                              {Op::kSinh, kSinh},   {Op::kCosh, kCosh},   {Op::kAsinh, kAsinh}, {Op::kAcosh, kAcosh},
                              {Op::kAtanh, kAtanh}, {Op::kFloor, kFloor}, {Op::kCeil, kCeil},   {Op::kRound, kNearbyInt},
                              {Op::kAdd, kAdd},     {Op::kSub, kSub},     {Op::kMul, kMul},     {Op::kDiv, kDiv},
                              {Op::kPow, kPow},     {Op::kMin, kFmin},    {Op::kMax, kFmax},    {Op::kReciprocal, kInv}};
constexpr Op kComposed[] = {Op::kNeg, Op::kSigmoid, Op::kRelu, Op::kLeakyRelu, Op::kGelu, Op::kSwish, Op::kClip, Op::kMod};

std::optional<VectorFunction> direct(Op op) {
  const auto* const found =
      std::find_if(std::begin(kDirect), std::end(kDirect), [op](const Direct& each) { return each.op == op; });
  return found == std::end(kDirect) ? std::nullopt : std::optional(found->function);
}

VectorOperand number(double value) {
  return {VectorOperand::Kind::kNumber, -1, static_cast<float>(value)};
}

class Writer {
 public:
  explicit Writer(std::vector<VectorStep>& steps) : steps_(steps) {}

  VectorOperand step(VectorFunction function, VectorOperand a, VectorOperand b = {}) {
    steps_.push_back({function, a, b, -1});
    return {VectorOperand::Kind::kStep, static_cast<int>(steps_.size()) - 1, 0};
  }
  // 1 + exp(-factor * x), the denominator of Sigmoid and Swish.
  VectorOperand logistic_denominator(VectorOperand x, double factor) {
    return step(kAdd, step(kExp, step(kMul, x, number(-factor))), number(1));
  }
  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  VectorOperand gelu_tanh(VectorOperand x) {
    const VectorOperand square = step(kMul, x, x);
    const VectorOperand inner = step(kMul, step(kAdd, step(kMul, square, number(0.044715)), number(1)), x);
    const VectorOperand outer = step(kAdd, step(kTanh, step(kMul, inner, number(0.7978845608028654))), number(1));
    return step(kMul, step(kMul, x, number(0.5)), outer);
  }

 private:
  std::vector<VectorStep>& steps_;
};

}  // namespace

bool is_vector_operator(Op op) {
  return direct(op).has_value() || std::find(std::begin(kComposed), std::end(kComposed), op) != std::end(kComposed);
}

Result<VectorOperand> append_steps(const Node& node, const std::vector<VectorOperand>& operands, std::vector<VectorStep>& steps) {
  Writer to(steps);
  const VectorOperand x = operands.front();
  if (const auto function = direct(node.op)) {
    if (!takes_two(*function)) return to.step(*function, x);
    VectorOperand result = x;
    for (std::size_t i = 1; i < operands.size(); ++i) result = to.step(*function, result, operands[i]);
    // Min or Max of one tensor is the tensor.
    return operands.size() > 1 ? result : to.step(kMul, x, number(1));
  }
  switch (node.op) {
    case Op::kNeg: return to.step(kMul, x, number(-1));
    case Op::kSigmoid: return to.step(kInv, to.logistic_denominator(x, 1));
    case Op::kSwish: return to.step(kDiv, x, to.logistic_denominator(x, node.attributes.real("alpha", 1)));
    case Op::kRelu: return to.step(kFmax, x, number(0));
    case Op::kLeakyRelu: {
      const VectorOperand below = to.step(kMul, to.step(kFmin, x, number(0)), number(node.attributes.real("alpha", 0.01)));
      return to.step(kAdd, to.step(kFmax, x, number(0)), below);
    }
    // x * Phi(x): the normal distribution's function is 0.5 (1 + erf(x / sqrt(2))).
    case Op::kGelu:
      return node.attributes.text("approximate", "none") == "tanh" ? to.gelu_tanh(x) : to.step(kMul, x, to.step(kCdfNorm, x));
    case Op::kClip: {
      VectorOperand result = x;
      if (node.attributes.has("min")) result = to.step(kFmax, result, number(node.attributes.real("min", 0)));
      if (node.attributes.has("max")) result = to.step(kFmin, result, number(node.attributes.real("max", 0)));
      return result.kind == VectorOperand::Kind::kStep && result.index + 1 == static_cast<int>(steps.size())
                 ? result
                 : to.step(kMul, x, number(1));
    }
    case Op::kMod:
      if (node.attributes.integer("fmod", 0) == 0)
        return Error{ErrorCode::kUnsupported, "MKL's remainder has the sign of the dividend"};
      return to.step(kFmod, x, operands[1]);
    default: return Error{ErrorCode::kUnsupported, "MKL has no function for it"};
  }
}

}  // namespace fuselab::mkl
