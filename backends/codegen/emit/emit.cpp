// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/emit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "backends/codegen/emit/prelude.h"
#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

std::string fill(std::string_view text, const std::map<std::string, std::string>& words) {
  std::string out(text);
  for (const auto& [key, value] : words) {
    const std::string mark = "{" + key + "}";
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size())) {
      out.replace(at, mark.size(), value);
    }
  }
  return out;
}

std::string_view look_up(std::span<const std::pair<DType, std::string_view>> table, DType dtype) {
  for (const auto& [key, value] : table) {
    if (key == dtype) return value;
  }
  FL_ASSERT(false);
  return {};
}

bool waits_for_threads(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt& each) { return std::holds_alternative<Barrier>(each.node); });
}

// Binding strength of C's binary operators, as far as they are used.
int strength(const Expr& expression) {
  if (expression.kind == Expr::Kind::kReal && std::signbit(expression.real)) return 0;
  if (expression.kind != Expr::Kind::kBinary) return 10;
  static const std::map<std::string, int> table = {{"*", 6},  {"/", 6},  {"%", 6},  {"+", 5},  {"-", 5}, {"<", 4},  {">", 4},
                                                   {"<=", 4}, {">=", 4}, {"==", 3}, {"!=", 3}, {"&", 2}, {"&&", 1}, {"||", 0}};
  return table.at(expression.text);
}

// The prelude file of a function: several may share one.
std::string prelude_file(const std::string& function) {
  static const std::map<std::string, std::string> files = {{"max", "extrema"},
                                                           {"min", "extrema"},
                                                           {"smaller", "larger"},
                                                           {"sin", "circle"},
                                                           {"cos", "circle"},
                                                           {"tan", "circle"},
                                                           {"asin", "arcs"},
                                                           {"acos", "arcs"},
                                                           {"atan", "arcs"},
                                                           {"sinh", "hyperbolic"},
                                                           {"cosh", "hyperbolic"},
                                                           {"asinh", "areas"},
                                                           {"acosh", "areas"},
                                                           {"atanh", "areas"},
                                                           {"abs", "copysign"},
                                                           {"sum", "horizontal"},
                                                           {"splat", "vector"},
                                                           {"floor", "steps"},
                                                           {"ceil", "steps"},
                                                           {"round", "steps"},
                                                           {"sign", "steps"},
                                                           {"shrink", "steps"},
                                                           {"thresholded_relu", "steps"},
                                                           {"largest", "horizontal"},
                                                           {"less", "scalar"},
                                                           {"no_more", "scalar"},
                                                           {"equal", "scalar"},
                                                           {"choose", "scalar"},
                                                           {"real", "scalar"},
                                                           {"whole", "scalar"},
                                                           {"nearly_whole", "scalar"},
                                                           {"whole_index", "index"},
                                                           {"whole_place", "index"},
                                                           {"beats", "scalar"},
                                                           {"beats_below", "scalar"},
                                                           {"beats_or_equals", "scalar"},
                                                           {"beats_below_or_equals", "scalar"}};
  const auto file = files.find(function);
  if (file != files.end()) return file->second;
  return function.starts_with("whole_") ? "whole" : function;
}

// Functions that make one lane of many, or a number of one width of another's.
bool named_after_operand(const Expr& call) {
  if (call.args.empty() || call.args[0]->type.lanes == 0) return false;
  return call.text == "sum" || call.text == "largest" || call.text == "wide" || call.type.lanes == 0;
}

// Returns whether a call is a Max or Min with a constant, which is no NaN: then only the other operand may be one.
bool bounds(const Expr& call) {
  return (call.text == "max" || call.text == "min") && call.args.size() == 2 && call.type.lanes > 0 &&
         call.args[1]->kind == Expr::Kind::kReal && !std::isnan(call.args[1]->real);
}

class Emitter {
 public:
  explicit Emitter(const Dialect& dialect) : dialect_(dialect), prelude_(dialect) {}

  std::string module(const Function& function, const std::string& header);

 private:
  std::string type(IrType type);
  std::string real_text(double value, DType dtype);
  std::string expression(const Expr& expr);
  std::string operand(const Expr& expr, int at_least);
  std::string address(const std::string& buffer, const ExprPtr& index);
  // "load_f32x8" or what the language calls it, with its prelude.
  std::string memory_function(std::string_view pattern, IrType type, DType storage);
  // A spelling with the type's words in it.
  std::string spell(std::string_view pattern, IrType type, std::map<std::string, std::string> words = {});

  void line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }
  void body(const Body& body);
  void statement(const Comment& comment) { line("// " + comment.text); }
  void statement(const Declare& declare);
  void statement(const Assign& assign) { line(expression(*assign.target) + " = " + expression(*assign.value) + ";"); }
  void statement(const Store& store);
  void statement(const Copy& copy);
  void statement(const Transpose& transpose);
  void statement(const Loop& loop);
  void statement(const If& branch);
  void statement(const Scope& scope);
  void statement(const Shared& array);
  void statement(const Prefetch& prefetch);
  void statement(const Barrier&) { line(std::string(dialect_.barrier)); }
  void statement(const Invoke& invoke);
  std::string signature(const Function& function);
  std::string kernel(const Function& function);
  std::string device_function(const DeviceFunction& function);
  std::string skeleton(const Function& function);

  const Dialect& dialect_;
  Prelude prelude_;
  const Function* function_ = nullptr;  // the present kernel
  std::string out_;
  std::string_view index_type_;
  int depth_ = 0;
  bool counts_ = false;  // the present kernel counts indices out of range
};

std::string Emitter::spell(std::string_view pattern, IrType type, std::map<std::string, std::string> words) {
  words["type"] = type_name(type);
  words["lanes"] = std::to_string(type.lanes);
  words["scalar"] = look_up(dialect_.storage_types, type.dtype);
  return fill(pattern, words);
}

std::string Emitter::type(IrType type) {
  if (type.lanes == 0) return std::string(index_type_);
  prelude_.require("vector", type);
  return spell(type.lanes == 1 ? dialect_.spelling.one_lane_type : dialect_.spelling.vector_type, type);
}

std::string Emitter::real_text(double value, DType dtype) {
  const std::string suffix(look_up(dialect_.real_suffixes, dtype));
  const std::map<std::string, std::string> words = {{"suffix", suffix},
                                                    {"scalar", std::string(look_up(dialect_.storage_types, dtype))}};
  if (std::isnan(value)) return fill(dialect_.spelling.nan, words);
  if (std::isinf(value)) return (value < 0 ? "-" : "") + fill(dialect_.spelling.infinity, words);
  char buffer[64];
  const auto end = dtype == DType::kF32 ? std::to_chars(buffer, buffer + 64, static_cast<float>(value))
                                        : std::to_chars(buffer, buffer + 64, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

std::string Emitter::operand(const Expr& expr, int at_least) {
  // A constant beside a vector is spread by the language itself.
  if (expr.kind == Expr::Kind::kReal) {
    const std::string text = real_text(expr.real, expr.type.dtype);
    return text[0] == '-' ? "(" + text + ")" : text;
  }
  const std::string text = expression(expr);
  return strength(expr) < at_least ? "(" + text + ")" : text;
}

std::string Emitter::memory_function(std::string_view pattern, IrType type, DType storage) {
  const DType memory = storage == DType::kBool ? DType::kU8 : storage;
  prelude_.require(storage == type.dtype || !dialect_.prelude_per_type ? "vector" : name_of(memory), type);
  return spell(pattern, type, {{"memory", type_name({memory, type.lanes})}});
}

std::string Emitter::expression(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kInteger: {
      // The least 64-bit number has no literal of its own in C.
      constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
      return expr.integer == kLeast ? "(" + std::to_string(kLeast + 1) + " - 1)" : std::to_string(expr.integer);
    }
    case Expr::Kind::kReal: {
      type(expr.type);  // what it needs
      const Spelling& spelling = dialect_.spelling;
      return spell(expr.type.lanes == 1 ? spelling.one_lane_constant : spelling.constant, expr.type,
                   {{"value", real_text(expr.real, expr.type.dtype)}});
    }
    case Expr::Kind::kVariable: return expr.text;
    case Expr::Kind::kElement: {
      std::string text = expr.text;
      for (const ExprPtr& index : expr.args) text += "[" + expression(*index) + "]";
      return text;
    }
    case Expr::Kind::kBinary: {
      const int own = strength(expr);
      const bool both_constant = expr.args[0]->kind == Expr::Kind::kReal && expr.args[1]->kind == Expr::Kind::kReal;
      const std::string left = both_constant ? expression(*expr.args[0]) : operand(*expr.args[0], own);
      return left + " " + expr.text + " " + operand(*expr.args[1], own + 1);
    }
    case Expr::Kind::kLoad: {
      if (expr.type.lanes == 0) return expr.text + "[" + expression(*expr.args[0]) + "]";
      const std::string index = expression(*expr.args[0]);
      const bool each = expr.integer != 0 && expr.type.lanes > 1;
      FL_ASSERT(!each || !dialect_.spelling.load_each.empty());
      const std::string_view spelling = each ? dialect_.spelling.load_each : dialect_.spelling.load;
      return memory_function(spelling, expr.type, expr.storage) + "(" + expr.text + (index == "0" ? "" : " + " + index) + ")";
    }
    case Expr::Kind::kCall: break;
  }
  if (dialect_.prelude_per_type && bounds(expr)) {
    return expression(*call(expr.text == "max" ? "larger" : "smaller", expr.type, {expr.args[1], expr.args[0]}));
  }
  const IrType own = named_after_operand(expr) ? expr.args[0]->type : expr.type;
  const std::string file = prelude_file(expr.text);
  // A call without arguments says where a thread stands, and the preamble defines it.
  if (dialect_.prelude_per_type ? own.lanes > 0 || !expr.args.empty() : prelude_.has(file, own.dtype)) prelude_.require(file, own);
  if (!dialect_.prelude_per_type && own.lanes > 0) prelude_.require("vector", own);
  const Spelling& spelling = dialect_.spelling;
  const bool makes_real = expr.text == "real" && !spelling.real.empty();
  const std::string_view spelt = expr.text == "spread" ? spelling.spread
                                 : makes_real          ? spelling.real
                                 : own.lanes > 1       ? spelling.call
                                 : own.lanes == 1      ? spelling.one_lane_call
                                                       : "fl_{function}";  // plain integers: one function is enough
  std::string text = spell(spelt, own, {{"function", expr.text}}) + "(";
  for (std::size_t i = 0; i < expr.args.size(); ++i) text += (i > 0 ? ", " : "") + expression(*expr.args[i]);
  if (!dialect_.counter.empty() && prelude_file(expr.text) == "index") {
    counts_ = true;
    text += ", " + std::string(dialect_.counter);
  }
  return text + ")";
}

void Emitter::body(const Body& statements) {
  for (const Stmt& stmt : statements) {
    std::visit([this](const auto& node) { statement(node); }, stmt.node);
  }
}

void Emitter::statement(const Declare& declare) {
  std::string extents;
  for (std::int64_t extent : declare.extents) extents += "[" + std::to_string(extent) + "]";
  const std::string head = (declare.constant ? "const " : "") + type(declare.type) + " " + declare.name + extents;
  line(declare.value ? head + " = " + expression(*declare.value) + ";" : head + ";");
}

void Emitter::statement(const Store& store) {
  std::string function;
  const bool converts = store.storage != store.value->type.dtype || store.value->type.lanes == 1;
  if (store.nontemporal && !(converts && dialect_.prelude_per_type)) {
    if (dialect_.prelude_per_type) prelude_.require("stream", store.value->type);
    function = memory_function(dialect_.spelling.stream, store.value->type, store.storage);
  } else {
    function = memory_function(dialect_.spelling.store, store.value->type, store.storage);
  }
  const std::string index = expression(*store.index);
  line(function + "(" + store.buffer + (index == "0" ? "" : " + " + index) + ", " + expression(*store.value) + ");");
}

std::string Emitter::address(const std::string& buffer, const ExprPtr& index) {
  const std::string at = expression(*index);
  return at == "0" ? buffer : buffer + " + " + at;
}

void Emitter::statement(const Transpose& transpose) {
  FL_ASSERT(dialect_.prelude_per_type);
  prelude_.require("transpose", transpose.type);
  line("transpose_" + type_name(transpose.type) + "(" + address(transpose.to, transpose.to_index) + ", " +
       std::to_string(transpose.to_stride) + ", " + address(transpose.from, transpose.from_index) + ", " +
       std::to_string(transpose.from_stride) + ");");
}

void Emitter::statement(const Copy& copy) {
  line(fill(dialect_.copy, {{"to", address(copy.to, copy.to_index)},
                            {"from", address(copy.from, copy.from_index)},
                            {"count", expression(*copy.count)}}));
}

void Emitter::statement(const Loop& loop) {
  const std::string step = expression(*loop.step);
  if (loop.kind == LoopKind::kUnrolled) {
    const std::int64_t count = constant_or(loop.end, 1) - constant_or(loop.begin, 0);
    out_ += fill(dialect_.unroll, {{"count", std::to_string(count)}}) + "\n";
  } else if (loop.unroll > 1) {
    out_ += fill(dialect_.unroll, {{"count", std::to_string(loop.unroll)}}) + "\n";
  } else if (!dialect_.kept_loop.empty() && waits_for_threads(loop.body)) {
    out_ += std::string(dialect_.kept_loop) + "\n";
  }
  const std::string& name = loop.variable;
  // A vector loop runs only where all of its elements exist.
  const std::string bound = loop.kind == LoopKind::kVector && step != "1" ? name + " + " + step + " <= " : name + " < ";
  line("for (" + std::string(index_type_) + " " + name + " = " + expression(*loop.begin) + "; " + bound + operand(*loop.end, 5) +
       "; " + (step == "1" ? "++" + name : name + " += " + step) + ") {");
  ++depth_;
  body(loop.body);
  --depth_;
  line("}");
}

void Emitter::statement(const If& branch) {
  line("if (" + expression(*branch.condition) + ") {");
  ++depth_;
  body(branch.body);
  --depth_;
  line("}");
}

void Emitter::statement(const Scope& scope) {
  line("{");
  ++depth_;
  body(scope.body);
  --depth_;
  line("}");
}

void Emitter::statement(const Shared& array) {
  FL_ASSERT(array.offset < 0 || !dialect_.dynamic_array.empty());
  line(spell(array.offset < 0 ? dialect_.shared_array : dialect_.dynamic_array, {array.dtype, 1},
             {{"name", array.name}, {"count", std::to_string(array.count)}, {"offset", std::to_string(array.offset)}}));
}

void Emitter::statement(const Prefetch& prefetch) {
  FL_ASSERT(!dialect_.prefetch.empty());
  line(fill(dialect_.prefetch, {{"address", prefetch.buffer + " + " + expression(*prefetch.index)}}));
}

void Emitter::statement(const Invoke& invoke) {
  std::string arguments;
  for (const KernelParameter& each : function_->parameters) arguments += (arguments.empty() ? "" : ", ") + each.name;
  line(invoke.function + "(fl_arguments{" + arguments + "});");
}

std::string Emitter::device_function(const DeviceFunction& function) {
  out_.clear();
  depth_ = 1;
  body(function.body);
  if (function.result) line("return " + expression(*function.result) + ";");
  std::string parameters = "const fl_arguments& in";
  for (const auto& [name, each] : function.parameters) parameters += ", " + type(each) + " " + name;
  return std::string(dialect_.function) + " " + (function.result ? type(function.type) : "void") + " " + function.name + "(" +
         parameters + ") {\n" + out_ + "}\n";
}

// What a skeleton leaves open, and then its text.
std::string Emitter::skeleton(const Function& function) {
  const Skeleton& skeleton = function.skeleton;
  if (skeleton.files.empty()) return {};
  index_type_ = function.launch.narrow ? dialect_.narrow_index_type : dialect_.index_type;
  std::string text = "struct fl_arguments {\n";
  for (const KernelParameter& each : function.parameters) {
    text += std::string(each.written ? "  " : "  const ") + std::string(look_up(dialect_.storage_types, each.storage)) + "* " +
            each.name + ";\n";
  }
  text += "};\n";
  for (const auto& [name, value] : skeleton.constants) {
    const bool wide = value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min();
    text += std::string("constexpr ") + (wide ? "long long " : "int ") + name + " = " + std::to_string(value) + ";\n";
  }
  for (const std::string& each : skeleton.definitions) text += each + "\n";
  for (const DeviceFunction& each : skeleton.functions) text += device_function(each);
  Prelude files(dialect_);
  for (const std::string& file : skeleton.files) files.require(file, kIndex);
  return text + files.text();
}

// The kernel's first lines, to where its arguments have their names.
std::string Emitter::signature(const Function& function) {
  std::string parameters;
  for (std::size_t slot = 0; slot < function.parameters.size(); ++slot) {
    const KernelParameter& parameter = function.parameters[slot];
    if (slot > 0) parameters += dialect_.between_parameters;
    parameters += fill(parameter.written ? dialect_.bind_output : dialect_.bind_input,
                       {{"type", std::string(look_up(dialect_.storage_types, parameter.storage))},
                        {"name", parameter.name},
                        {"slot", std::to_string(slot)}});
  }
  if (counts_) parameters += std::string(dialect_.between_parameters) + std::string(dialect_.bind_counter);
  const bool inside = !dialect_.between_parameters.empty();
  const Launch& launch = function.launch;
  const std::string bounds = launch.min_blocks > 0 ? ", " + std::to_string(launch.min_blocks) : "";
  const std::string cluster = launch.cluster > 1 ? " FL_CLUSTER(" + std::to_string(launch.cluster) + ")" : "";
  return fill(dialect_.kernel_open, {{"entry", function.entry},
                                     {"parameters", inside ? parameters : std::string()},
                                     {"threads", std::to_string(launch.threads) + bounds},
                                     {"cluster", cluster},
                                     {"lanes", std::to_string(launch.lanes)}}) +
         (inside ? std::string() : parameters);
}

std::string Emitter::kernel(const Function& function) {
  out_.clear();
  counts_ = false;
  function_ = &function;
  const bool tasks = function.launch.threads == 0;
  index_type_ = function.launch.narrow ? dialect_.narrow_index_type : dialect_.index_type;
  depth_ = tasks ? 2 : 1;
  body(function.body);
  std::string kernel = signature(function);
  for (const ScratchPart& part : function.scratch) {
    kernel += fill(dialect_.bind_scratch, {{"type", std::string(look_up(dialect_.storage_types, part.storage))},
                                           {"name", part.name},
                                           {"offset", std::to_string(part.offset)}});
  }
  if (tasks) {
    const std::string& task = function.task_variable;
    kernel += "  for (" + std::string(index_type_) + " " + task + " = begin; " + task + " < end; ++" + task + ") {\n";
    kernel += out_ + "  }\n";
  } else {
    kernel += out_;
  }
  if (function.nontemporal && !dialect_.fence.empty()) kernel += "  " + std::string(dialect_.fence) + "\n";
  return kernel + std::string(dialect_.kernel_close);
}

std::string Emitter::module(const Function& function, const std::string& header) {
  std::string kernels = skeleton(function);
  for (const Function& each : function.before) kernels += kernel(each) + "\n";
  kernels += kernel(function);
  for (const Function& each : function.after) kernels += "\n" + kernel(each);
  const std::string_view matrix = function.skeleton.needs_matrix_units ? dialect_.matrix_preamble : std::string_view();
  return std::string(dialect_.preamble) + std::string(matrix) + header + std::string(dialect_.headers) + "\n" + prelude_.text() +
         kernels;
}

}  // namespace

std::string emit(const Function& function, const Dialect& dialect, const std::string& header) {
  return Emitter(dialect).module(function, header);
}

}  // namespace fuselab::codegen
