// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/single_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuselab::codegen {
namespace {

constexpr IrType kDouble{DType::kF64, 1}, kSingle{DType::kF32, 1};

// A real that lies between two whole numbers, or two reals of which one is larger: a rounding error may choose the other.
bool decides(const Graph& graph, const Node& node) {
  const auto is_real = [&](ValueId id) { return is_floating(graph.type(id).dtype); };
  const bool makes_whole = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return !is_real(id); });
  const bool reads_computed =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return is_real(id) && graph.value(id).producer; });
  return makes_whole && reads_computed;
}

class Rewriter {
 public:
  void rewrite(Body& body) {
    for (Stmt& statement : body) std::visit([this](auto& node) { visit(node); }, statement.node);
  }

 private:
  static IrType narrowed(IrType type) { return type == kDouble ? kSingle : type; }

  ExprPtr narrowed(const ExprPtr& expression) {
    if (!expression) return expression;
    const bool converts = expression->kind == Expr::Kind::kCall && (expression->text == "wide" || expression->text == "narrow");
    if (converts) return narrowed(expression->args.front());
    Expr copy = *expression;
    copy.type = narrowed(copy.type);
    // A constant beyond the type is infinite.
    if (copy.kind == Expr::Kind::kReal && copy.type == kSingle) {
      const double most = std::numeric_limits<float>::max();
      if (std::abs(copy.real) > most) copy.real = std::copysign(std::numeric_limits<double>::infinity(), copy.real);
    }
    for (ExprPtr& arg : copy.args) arg = narrowed(arg);
    return std::make_shared<const Expr>(std::move(copy));
  }
  void visit(Comment&) {}
  void visit(Shared&) {}
  void visit(Barrier&) {}
  void visit(Invoke&) {}
  void visit(Prefetch& each) { each.index = narrowed(each.index); }
  void visit(Declare& each) {
    each.type = narrowed(each.type);
    each.value = narrowed(each.value);
  }
  void visit(Assign& each) {
    each.target = narrowed(each.target);
    each.value = narrowed(each.value);
  }
  void visit(Store& each) {
    each.index = narrowed(each.index);
    each.value = narrowed(each.value);
  }
  void visit(Copy&) {}
  void visit(Transpose&) {}
  void visit(Loop& each) {
    for (ExprPtr* const part : {&each.begin, &each.end, &each.step}) *part = narrowed(*part);
    rewrite(each.body);
  }
  void visit(If& each) {
    each.condition = narrowed(each.condition);
    rewrite(each.body);
  }
  void visit(Scope& each) { rewrite(each.body); }
};

}  // namespace

bool single_precision_suffices(const Graph& graph) {
  const bool has_doubles =
      std::any_of(graph.values().begin(), graph.values().end(), [](const Value& value) { return value.type.dtype == DType::kF64; });
  return !has_doubles && std::none_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    // Whether a whole exponent is odd is lost beyond 2^24.
    const bool rounds_power = node.op == Op::kPow && (!is_floating(graph.type(node.outputs.front()).dtype) ||
                                                      !is_floating(graph.type(node.inputs[1]).dtype));
    return rounds_power || decides(graph, node);
  });
}

void compute_in_single_precision(Function& function) {
  Rewriter().rewrite(function.body);
}

}  // namespace fuselab::codegen
