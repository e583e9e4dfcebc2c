// SPDX-License-Identifier: Apache-2.0
#include "backends/mkl/element_steps.h"

#include <algorithm>
#include <iterator>

namespace fuselab::mkl {
namespace {

struct Direct {
  Op op;
  const char* function;
};
// Operators that are one function; those of several operands take one after the other.
constexpr Direct kDirect[] = {
    {Op::kAbs, "vmsAbs"},     {Op::kExp, "vmsExp"},     {Op::kLog, "vmsLn"},      {Op::kSqrt, "vmsSqrt"},
    {Op::kErf, "vmsErf"},     {Op::kTanh, "vmsTanh"},   {Op::kSin, "vmsSin"},     {Op::kCos, "vmsCos"},
    {Op::kTan, "vmsTan"},     {Op::kAsin, "vmsAsin"},   {Op::kAcos, "vmsAcos"},   {Op::kAtan, "vmsAtan"},
    {Op::kSinh, "vmsSinh"},   {Op::kCosh, "vmsCosh"},   {Op::kAsinh, "vmsAsinh"}, {Op::kAcosh, "vmsAcosh"},
    {Op::kAtanh, "vmsAtanh"}, {Op::kFloor, "vmsFloor"}, {Op::kCeil, "vmsCeil"},   {Op::kRound, "vmsNearbyInt"},
    {Op::kAdd, "vmsAdd"},     {Op::kSub, "vmsSub"},     {Op::kMul, "vmsMul"},     {Op::kDiv, "vmsDiv"},
    {Op::kPow, "vmsPow"},     {Op::kMin, "vmsFmin"},    {Op::kMax, "vmsFmax"},    {Op::kReciprocal, "vmsInv"}};
constexpr const char *kNormal = "vmsCdfNorm", *kRemainder = "vmsFmod";  // no operator is one of these alone
constexpr Op kComposed[] = {Op::kNeg, Op::kSigmoid, Op::kRelu, Op::kLeakyRelu, Op::kGelu, Op::kSwish, Op::kClip, Op::kMod};

// The function that an operator is; null for those that are composed of several.
const char* direct(Op op) {
  const auto* const found =
      std::find_if(std::begin(kDirect), std::end(kDirect), [op](const Direct& each) { return each.op == op; });
  return found == std::end(kDirect) ? nullptr : found->function;
}

VectorOperand number(double value) {
  return {VectorOperand::Kind::kNumber, -1, static_cast<float>(value)};
}

class Writer {
 public:
  explicit Writer(std::vector<VectorStep>& steps) : steps_(steps) {}

  VectorOperand step(const char* function, VectorOperand a, VectorOperand b = {}) {
    steps_.push_back({function, a, b, -1});
    return {VectorOperand::Kind::kStep, static_cast<int>(steps_.size()) - 1, 0};
  }
  VectorOperand add(VectorOperand a, VectorOperand b) { return step("vmsAdd", a, b); }
  VectorOperand mul(VectorOperand a, VectorOperand b) { return step("vmsMul", a, b); }
  VectorOperand max(VectorOperand a, VectorOperand b) { return step("vmsFmax", a, b); }
  VectorOperand min(VectorOperand a, VectorOperand b) { return step("vmsFmin", a, b); }
  VectorOperand copy(VectorOperand a) { return step(nullptr, a); }
  // 1 + exp(-factor * x), the denominator of Sigmoid and Swish.
  VectorOperand logistic_denominator(VectorOperand x, double factor) {
    return add(step("vmsExp", mul(x, number(-factor))), number(1));
  }
  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  VectorOperand gelu_tanh(VectorOperand x) {
    const VectorOperand inner = mul(add(mul(mul(x, x), number(0.044715)), number(1)), x);
    const VectorOperand outer = add(step("vmsTanh", mul(inner, number(0.7978845608028654))), number(1));
    return mul(mul(x, number(0.5)), outer);
  }

 private:
  std::vector<VectorStep>& steps_;
};

}  // namespace

std::vector<const char*> vector_functions() {
  std::vector<const char*> names{kNormal, kRemainder};
  for (const Direct& each : kDirect) names.push_back(each.function);
  return names;
}

bool is_vector_operator(Op op) {
  return direct(op) != nullptr || std::find(std::begin(kComposed), std::end(kComposed), op) != std::end(kComposed);
}

Result<VectorOperand> append_steps(const Node& node, const std::vector<VectorOperand>& operands, std::vector<VectorStep>& steps) {
  Writer to(steps);
  const VectorOperand x = operands.front();
  if (const char* const function = direct(node.op)) {
    if (info_of(node.op).max_inputs == 1) return to.step(function, x);
    if (operands.size() == 1) return to.copy(x);  // Min or Max of one tensor is the tensor
    VectorOperand result = x;
    for (std::size_t i = 1; i < operands.size(); ++i) result = to.step(function, result, operands[i]);
    return result;
  }
  switch (node.op) {
    case Op::kGemm: {
      const double beta = node.attributes.real("beta", 1);
      return to.add(x, beta == 1 ? operands[1] : to.mul(operands[1], number(beta)));
    }
    case Op::kNeg: return to.mul(x, number(-1));
    case Op::kSigmoid: return to.step("vmsInv", to.logistic_denominator(x, 1));
    case Op::kSwish: return to.step("vmsDiv", x, to.logistic_denominator(x, node.attributes.real("alpha", 1)));
    case Op::kRelu: return to.max(x, number(0));
    case Op::kLeakyRelu: {
      const VectorOperand below = to.mul(to.min(x, number(0)), number(node.attributes.real("alpha", 0.01)));
      return to.add(to.max(x, number(0)), below);
    }
    // x * Phi(x): the normal distribution's function is 0.5 (1 + erf(x / sqrt(2))).
    case Op::kGelu: return node.attributes.text("approximate", "none") == "tanh" ? to.gelu_tanh(x) : to.mul(x, to.step(kNormal, x));
    case Op::kClip: {
      const bool has_min = node.attributes.has("min"), has_max = node.attributes.has("max");
      const VectorOperand above = has_min ? to.max(x, number(node.attributes.real("min", 0))) : x;
      if (has_max) return to.min(above, number(node.attributes.real("max", 0)));
      return has_min ? above : to.copy(x);
    }
    case Op::kMod:
      if (node.attributes.integer("fmod", 0) == 0)
        return Error{ErrorCode::kUnsupported, "MKL's remainder has the sign of the dividend"};
      return to.step(kRemainder, x, operands[1]);
    default: return Error{ErrorCode::kUnsupported, "MKL has no function for it"};
  }
}

}  // namespace fuselab::mkl
