// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/ir/ir.h"

#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

ExprPtr make(Expr expression) {
  return std::make_shared<const Expr>(std::move(expression));
}

bool is_integer(const ExprPtr& expression, std::int64_t value) {
  return expression->kind == Expr::Kind::kInteger && expression->integer == value;
}

// The folded constant, or null where the operation is left to the program.
ExprPtr fold(std::string_view operation, const ExprPtr& a, const ExprPtr& b) {
  if (a->kind == Expr::Kind::kInteger && b->kind == Expr::Kind::kInteger) {
    if (operation == "+") return integer(a->integer + b->integer);
    if (operation == "-") return integer(a->integer - b->integer);
    if (operation == "*") return integer(a->integer * b->integer);
    if (operation == "/" && b->integer != 0) return integer(a->integer / b->integer);
    if (operation == "%" && b->integer != 0) return integer(a->integer % b->integer);
  }
  if (operation == "+" && b->kind == Expr::Kind::kInteger && b->integer < 0) return binary("-", a, integer(-b->integer));
  if (operation == "+" && is_integer(a, 0)) return b;
  if ((operation == "+" || operation == "-") && is_integer(b, 0)) return a;
  if (operation == "*" && (is_integer(a, 0) || is_integer(b, 0))) return integer(0);
  if (operation == "*" && is_integer(a, 1)) return b;
  if ((operation == "*" || operation == "/") && is_integer(b, 1)) return a;
  if (operation == "%" && is_integer(b, 1)) return integer(0);
  return nullptr;
}

template <typename Node>
Node& append(Body& body, Node node) {
  return body.emplace_back().node.template emplace<Node>(std::move(node));
}

}  // namespace

ExprPtr integer(std::int64_t value) {
  return make({.kind = Expr::Kind::kInteger, .type = kIndex, .integer = value});
}

ExprPtr real(double value, IrType type) {
  return make({.kind = Expr::Kind::kReal, .type = type, .real = value});
}

ExprPtr variable(std::string name, IrType type) {
  return make({.kind = Expr::Kind::kVariable, .type = type, .text = std::move(name)});
}

ExprPtr element(std::string array, std::vector<ExprPtr> indices, IrType type) {
  return make({.kind = Expr::Kind::kElement, .type = type, .text = std::move(array), .args = std::move(indices)});
}

ExprPtr binary(std::string_view operation, ExprPtr a, ExprPtr b) {
  if (a->type == kIndex && b->type == kIndex) {
    if (ExprPtr folded = fold(operation, a, b)) return folded;
  }
  FL_ASSERT(a->type == b->type);
  const IrType type = a->type;
  return make({.kind = Expr::Kind::kBinary, .type = type, .text = std::string(operation), .args = {std::move(a), std::move(b)}});
}

ExprPtr call(std::string function, IrType type, std::vector<ExprPtr> args) {
  return make({.kind = Expr::Kind::kCall, .type = type, .text = std::move(function), .args = std::move(args)});
}

ExprPtr load(std::string buffer, ExprPtr index, IrType type, DType storage) {
  return make({.kind = Expr::Kind::kLoad, .type = type, .text = std::move(buffer), .storage = storage, .args = {std::move(index)}});
}

ExprPtr load_each(std::string buffer, ExprPtr index, IrType type, DType storage) {
  Expr one_by_one = *load(std::move(buffer), std::move(index), type, storage);
  one_by_one.integer = 1;
  return std::make_shared<const Expr>(std::move(one_by_one));
}

std::int64_t constant_or(const ExprPtr& expression, std::int64_t otherwise) {
  return expression->kind == Expr::Kind::kInteger ? expression->integer : otherwise;
}

void BodyBuilder::comment(std::string text) {
  append(body_, Comment{std::move(text)});
}

void BodyBuilder::assign(ExprPtr target, ExprPtr value) {
  append(body_, Assign{std::move(target), std::move(value)});
}

void BodyBuilder::copy(Copy copy) {
  append(body_, std::move(copy));
}

void BodyBuilder::transpose(Transpose transpose) {
  append(body_, std::move(transpose));
}

void BodyBuilder::store(Store store) {
  append(body_, std::move(store));
}

ExprPtr BodyBuilder::declare(std::string name, ExprPtr value) {
  const IrType type = value->type;
  append(body_, Declare{name, type, std::move(value), {}, true});
  return variable(std::move(name), type);
}

ExprPtr BodyBuilder::declare_variable(std::string name, ExprPtr value) {
  const IrType type = value->type;
  append(body_, Declare{name, type, std::move(value), {}, false});
  return variable(std::move(name), type);
}

void BodyBuilder::declare_array(std::string name, IrType type, std::vector<std::int64_t> extents) {
  append(body_, Declare{std::move(name), type, nullptr, std::move(extents), false});
}

Body& BodyBuilder::loop(LoopKind kind, std::string name, ExprPtr begin, ExprPtr end, ExprPtr step, std::int64_t unroll) {
  return append(body_, Loop{kind, std::move(name), std::move(begin), std::move(end), std::move(step), {}, unroll}).body;
}

Body& BodyBuilder::when(ExprPtr condition) {
  return append(body_, If{std::move(condition), {}}).body;
}

Body& BodyBuilder::scope() {
  return append(body_, Scope{}).body;
}

void BodyBuilder::shared(Shared array) {
  append(body_, std::move(array));
}

void BodyBuilder::prefetch(std::string buffer, ExprPtr index) {
  append(body_, Prefetch{std::move(buffer), std::move(index)});
}

void BodyBuilder::barrier() {
  append(body_, Barrier{});
}

void BodyBuilder::invoke(std::string function) {
  body_.push_back({Invoke{std::move(function)}});
}

}  // namespace fuselab::codegen
