// SPDX-License-Identifier: Apache-2.0
// Element-wise operators on blocks. Comparisons are written so that a NaN stays one.
#include <cmath>
#include <limits>

#include "backends/triton/block_text.h"

namespace fuselab::triton {
namespace {

// A row's text; {} is its operand, {1} the second, [name] an attribute.
struct Form {
  Op op;
  std::string_view text;
};
constexpr Form kReals[] = {
    {Op::kIdentity, "{0}"},
    {Op::kNeg, "-{0}"},
    {Op::kAbs, "tl.abs({0})"},
    {Op::kExp, "tl.exp({0})"},
    {Op::kLog, "tl.log({0})"},
    {Op::kSqrt, "tl.sqrt({0})"},
    {Op::kReciprocal, "1.0 / {0}"},
    {Op::kErf, "tl.erf({0})"},
    // Near 0 the quotient would lose what it subtracts.
    {Op::kTanh,
     "tl.where(tl.abs({0}) < 0.1, {0} * (1.0 - {0} * {0} * (1.0 / 3.0 - {0} * {0} * (2.0 / 15.0))), 2.0 / (1.0 + tl.exp(-2.0 * "
     "{0})) - 1.0)"},
    {Op::kSigmoid, "1.0 / (1.0 + tl.exp(-{0}))"},
    {Op::kRelu, "tl.where({0} < 0.0, 0.0, {0})"},
    {Op::kLeakyRelu, "tl.where({0} < 0.0, {0} * [alpha=0.01], {0})"},
    {Op::kSwish, "{0} / (1.0 + tl.exp(-[alpha=1] * {0}))"},
    {Op::kSin, "tl.sin({0})"},
    {Op::kCos, "tl.cos({0})"},
    {Op::kFloor, "tl.floor({0})"},
    {Op::kCeil, "tl.ceil({0})"},
    {Op::kSign, "tl.where({0} > 0.0, 1.0, tl.where({0} < 0.0, -1.0, {0}))"},
    {Op::kShrink, "tl.where({0} < -[lambd=0.5], {0} + [bias=0], tl.where({0} > [lambd=0.5], {0} - [bias=0], 0.0))"},
    {Op::kThresholdedRelu, "tl.where({0} > [alpha=1], {0}, 0.0)"},
    {Op::kAdd, "{0} + {1}"},
    {Op::kSub, "{0} - {1}"},
    {Op::kMul, "{0} * {1}"},
    {Op::kDiv, "{0} / {1}"},
    {Op::kMin, "tl.where({0} != {0}, {0}, tl.where({1} < {0}, {1}, tl.where({1} != {1}, {1}, {0})))"},
    {Op::kMax, "tl.where({0} != {0}, {0}, tl.where({1} > {0}, {1}, tl.where({1} != {1}, {1}, {0})))"},
};
constexpr Form kWholes[] = {
    {Op::kIdentity, "{0}"},
    {Op::kNeg, "-{0}"},
    {Op::kAbs, "tl.abs({0})"},
    {Op::kRelu, "tl.maximum({0}, 0)"},
    {Op::kAdd, "{0} + {1}"},
    {Op::kSub, "{0} - {1}"},
    {Op::kMul, "{0} * {1}"},
    {Op::kMin, "tl.minimum({0}, {1})"},
    {Op::kMax, "tl.maximum({0}, {1})"},
    {Op::kBitwiseAnd, "{0} & {1}"},
};
// Comparisons of numbers of either kind, whose result is a bool.
constexpr Form kComparisons[] = {{Op::kEqual, "{0} == {1}"},
                                 {Op::kLess, "{0} < {1}"},
                                 {Op::kGreater, "{0} > {1}"},
                                 {Op::kLessOrEqual, "{0} <= {1}"},
                                 {Op::kGreaterOrEqual, "{0} >= {1}"}};
constexpr Form kLogic[] = {
    {Op::kAnd, "{0} & {1}"}, {Op::kOr, "{0} | {1}"}, {Op::kXor, "{0} ^ {1}"}, {Op::kNot, "{0} == 0"}, {Op::kIdentity, "{0}"}};
constexpr std::string_view kGelu = "0.5 * {0} * (1.0 + tl.erf({0} * 0.7071067811865476))";
constexpr std::string_view kGeluTanh = "{0} / (1.0 + tl.exp(-1.5957691216057308 * ({0} + 0.044715 * {0} * {0} * {0})))";

template <std::size_t kCount>
std::optional<std::string_view> form_of(const Form (&rows)[kCount], Op op) {
  for (const Form& row : rows) {
    if (row.op == op) return row.text;
  }
  return std::nullopt;
}

// A text whose parts need no parentheses where they stand in for {0}.
std::string enclosed(const std::string& text) {
  return text.find(' ') == std::string::npos && text[0] != '-' ? text : "(" + text + ")";
}

std::string filled(std::string_view form, const std::vector<std::string>& args, const Node& node, bool has_doubles) {
  std::string made;
  for (std::size_t at = 0; at < form.size(); ++at) {
    if (form[at] == '{') {
      made += enclosed(args[static_cast<std::size_t>(form[at + 1] - '0')]);
      at += 2;
    } else if (form[at] == '[') {
      const std::size_t sign = form.find('=', at), end = form.find(']', at);
      const double otherwise = std::stod(std::string(form.substr(sign + 1, end - sign - 1)));
      made += enclosed(literal(node.attributes.real(form.substr(at + 1, sign - at - 1), otherwise), has_doubles));
      at = end;
    } else {
      made += form[at];
    }
  }
  return made;
}

// A power whose exponent is a small whole number, or a half.
std::optional<std::string> power(const BlockText& text, const Item& x, const Item& exponent) {
  if (!exponent.is_literal) return std::nullopt;
  const double number = std::strtod(exponent.text.c_str(), nullptr), whole = std::floor(std::fabs(number));
  const std::string base = enclosed(text.real(x));
  std::string made;
  if (std::fabs(number) == 0.5) {
    // A root of -inf is NaN and of -0 is -0, where a power has inf and 0.
    made = "tl.where(" + base + " == -float('inf'), float('inf'), tl.sqrt(" + base + ") + 0.0)";
  } else if (whole == std::fabs(number) && whole >= 1 && whole <= 8) {
    for (int i = 0; i < static_cast<int>(whole); ++i) made += (i > 0 ? " * " : "") + base;
  } else {
    return std::nullopt;
  }
  return number < 0 ? "1.0 / (" + made + ")" : made;
}

std::string cast(const BlockText& text, const Item& x, DType from, DType to) {
  if (is_floating(to)) return text.real(x);
  if (to == DType::kBool) return x.held == Held::kBool ? x.text : enclosed(text.tensor(x)) + " != 0";
  if (x.held == Held::kBool) return text.whole(x);
  const std::string name = (is_unsigned(to) ? "tl.uint" : "tl.int") + std::to_string(bits_of(to));
  if (x.held == Held::kWhole) {
    const bool wraps = bits_of(to) < bits_of(from) || is_unsigned(to) != is_unsigned(from);
    return wraps && bits_of(to) < 64 ? enclosed(text.tensor(x)) + ".to(" + name + ").to(tl.int64)" : text.whole(x);
  }
  // Reals beyond the type are held at its ends, and NaN becomes 0. What 64 bits hold is decided before: beyond them a cast gives
  // what the machine gives.
  const std::string real = enclosed(text.real(x));
  const int bits = is_unsigned(to) ? bits_of(to) : bits_of(to) - 1;
  const std::int64_t most = bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  const std::int64_t least = is_unsigned(to) ? 0 : -most - 1;
  const std::string end = literal(std::ldexp(1.0, bits), true),
                    beginning = literal(is_unsigned(to) ? 0.0 : -std::ldexp(1.0, bits), true);
  const std::string inside =
      "tl.where((" + real + " > " + beginning + ") & (" + real + " < " + end + "), " + real + ", 0.0).to(tl.int64)";
  return "tl.where(" + real + " >= " + end + ", " + std::to_string(most) + ", tl.where(" + real + " <= " + beginning + ", " +
         std::to_string(least) + ", " + inside + "))";
}

std::string clip(const Node& node, const std::string& x, bool is_real, bool has_doubles) {
  std::string made = x;
  for (const auto& [name, sign] : {std::pair("min", " < "), std::pair("max", " > ")}) {
    if (!node.attributes.has(name)) continue;
    const double bound = node.attributes.real(name, 0);
    const std::string number = is_real ? literal(bound, has_doubles) : std::to_string(static_cast<std::int64_t>(bound));
    std::string limited = "tl.where(";
    limited += enclosed(made);
    limited += sign;
    limited += number;
    limited += ", ";
    limited += number;
    limited += ", ";
    limited += made;
    limited += ")";
    made = std::move(limited);
  }
  return made;
}

// A block of one number each, per channel of the second axis.
Item batch_norm(BlockText& text, const Node& node, const Place& place, const Guard& guard) {
  const Item x = text.operand(node, 0, place, guard);
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < 5; ++i) parts.push_back(text.operand(node, i, {place[1]}, guard).text);
  const std::string epsilon = literal(node.attributes.real("epsilon", 1e-5), text.has_doubles());
  return {"(" + x.text + " - " + parts[2] + ") / tl.sqrt(" + parts[3] + " + " + epsilon + ") * " + parts[0] + " + " + parts[1],
          x.axes | place[1].axes, Held::kReal, false};
}

}  // namespace

std::optional<Item> elementwise_item(BlockText& text, const Node& node, const Place& place, const Guard& guard) {
  if (node.op == Op::kBatchNormalization) return batch_norm(text, node, place, guard);
  const DType dtype = text.graph().type(node.outputs.front()).dtype;
  const bool doubles = text.has_doubles();
  if (node.op == Op::kConstant) {
    if (!text.graph().type(node.outputs.front()).shape.empty())
      return text.refuse(node, "of more than one number is not written yet");
    if (is_floating(dtype)) return Item{literal(node.attributes.real("value", 0), doubles), 0, Held::kReal, true};
    return Item{std::to_string(node.attributes.integer("value", 0)), 0, held_as(dtype), true};
  }
  if (!is_elementwise(node.op)) return std::nullopt;
  std::vector<Item> args;
  Item made{"", 0, held_as(dtype), false};
  bool all_literal = true;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    args.push_back(text.broadcast(node, i, place, guard));
    made.axes |= args.back().axes;
    all_literal = all_literal && args.back().is_literal;
  }
  if (all_literal) args[0].text = text.tensor(args[0]), args[0].is_literal = false;
  const auto fill = [&](std::string_view form, const std::vector<std::string>& words) {
    return filled(form, words, node, doubles);
  };
  const bool of_reals = args[0].held == Held::kReal || (args.size() > 1 && args[1].held == Held::kReal);
  std::vector<std::string> words;
  for (const Item& arg : args)
    words.push_back(of_reals ? text.real(arg) : made.held == Held::kWhole && node.op != Op::kWhere ? text.whole(arg) : arg.text);
  if (node.op == Op::kCast) return made.text = cast(text, args[0], text.graph().type(node.inputs[0]).dtype, dtype), made;
  if (node.op == Op::kWhere) {
    const bool is_real = made.held == Held::kReal;
    const auto word = [&](const Item& arg) {
      return is_real ? text.real(arg) : made.held == Held::kWhole ? text.whole(arg) : arg.text;
    };
    const bool plain = args[1].is_literal && args[2].is_literal;
    return made.text =
               "tl.where(" + args[0].text + ", " + (plain ? text.tensor(args[1]) : word(args[1])) + ", " + word(args[2]) + ")",
           made;
  }
  if (node.op == Op::kPow) {
    const auto found = made.held == Held::kReal ? power(text, args[0], args[1]) : std::nullopt;
    if (!found) return text.refuse(node, "with another exponent than a small constant is not written yet");
    return made.text = *found, made;
  }
  if (node.op == Op::kClip) return made.text = clip(node, words[0], of_reals, doubles), made;
  if (node.op == Op::kIsNaN) return made.text = enclosed(words[0]) + " != " + enclosed(words[0]), made;
  if (node.op == Op::kGelu) {
    return made.text = fill(node.attributes.text("approximate", "none") == "tanh" ? kGeluTanh : kGelu, words), made;
  }
  if (is_comparison(node.op)) return made.text = fill(*form_of(kComparisons, node.op), words), made;
  const auto form = made.held == Held::kReal    ? form_of(kReals, node.op)
                    : made.held == Held::kWhole ? form_of(kWholes, node.op)
                                                : form_of(kLogic, node.op);
  if (!form) return std::nullopt;
  made.text = fill(*form, words);
  for (std::size_t i = 2; i < words.size() && (node.op == Op::kMin || node.op == Op::kMax); ++i) {
    const std::string so_far = text.named("best", {made.text, made.axes, made.held, false}).text;
    made.text = fill(*form, {so_far, words[i]});
  }
  return made;
}

}  // namespace fuselab::triton
