// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "backends/codegen/ir/kernel_launch.h"
#include "core/types/dtype.h"

namespace fuselab::codegen {

// The type of an expression. `lanes` 0 is a plain C integer (an index); floating values always carry lanes, so that the
// scalar tail of a loop (lanes 1) runs the very same functions as its vector body.
struct IrType {
  DType dtype = DType::kI64;
  int lanes = 0;
  bool operator==(const IrType&) const = default;
};
inline constexpr IrType kIndex{DType::kI64, 0};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

// An immutable expression tree, typed.
struct Expr {
  enum class Kind {
    kInteger,   // integer
    kReal,      // real, converted to the lanes it meets
    kVariable,  // text
    kElement,   // text[args...]: one register of an array
    kBinary,    // args[0] text args[1], a C operator
    kCall,      // text(args): a prelude function; the emitter adds the type's suffix
    kLoad,      // elements text[args[0] …] of a buffer stored as `storage`; integer 1: one by one, at any address
  };
  Kind kind = Kind::kInteger;
  IrType type;
  std::int64_t integer = 0;
  double real = 0;
  std::string text = {};
  DType storage = DType::kF32;
  std::vector<ExprPtr> args = {};
};

ExprPtr integer(std::int64_t value);
ExprPtr real(double value, IrType type);
ExprPtr variable(std::string name, IrType type);
ExprPtr element(std::string array, std::vector<ExprPtr> indices, IrType type);
// Folds integer constants and neutral elements, so that generated indices stay readable.
ExprPtr binary(std::string_view operation, ExprPtr a, ExprPtr b);
ExprPtr call(std::string function, IrType type, std::vector<ExprPtr> args);
ExprPtr load(std::string buffer, ExprPtr index, IrType type, DType storage);
// Does the same for an address that is not aligned to the register.
ExprPtr load_each(std::string buffer, ExprPtr index, IrType type, DType storage);

inline ExprPtr operator+(ExprPtr a, ExprPtr b) {
  return binary("+", std::move(a), std::move(b));
}
inline ExprPtr operator-(ExprPtr a, ExprPtr b) {
  return binary("-", std::move(a), std::move(b));
}
inline ExprPtr operator*(ExprPtr a, ExprPtr b) {
  return binary("*", std::move(a), std::move(b));
}
inline ExprPtr operator/(ExprPtr a, ExprPtr b) {
  return binary("/", std::move(a), std::move(b));
}
inline ExprPtr operator%(ExprPtr a, ExprPtr b) {
  return binary("%", std::move(a), std::move(b));
}
// Returns the value when the expression is an integer literal, else `otherwise`.
std::int64_t constant_or(const ExprPtr& expression, std::int64_t otherwise);

struct Stmt;
using Body = std::vector<Stmt>;

struct Comment {
  std::string text;
};
// One variable, or an array of registers when `extents` is not empty (then initialised element by element by loops).
struct Declare {
  std::string name;
  IrType type;
  ExprPtr value;
  std::vector<std::int64_t> extents;
  bool constant = true;
};
struct Assign {
  ExprPtr target;  // a variable or an element
  ExprPtr value;
};
// buffer[index …] = value, converted to `storage`.
struct Store {
  std::string buffer;
  ExprPtr index;
  ExprPtr value;
  DType storage = DType::kF32;
  bool nontemporal = false;
};
// `count` elements of one type from buffer to buffer; they do not overlap.
struct Copy {
  std::string to;
  ExprPtr to_index;
  std::string from;
  ExprPtr from_index;
  ExprPtr count;
};
// A square of type.lanes × type.lanes elements, turned around: row i of `from` becomes column i of `to`. Strides are in elements;
// neither may overlap the other.
struct Transpose {
  IrType type;
  std::string to;
  ExprPtr to_index;
  std::int64_t to_stride = 0;
  std::string from;
  ExprPtr from_index;
  std::int64_t from_stride = 0;
};
enum class LoopKind {
  kSerial,
  kVector,    // the body handles `step` elements at once with vector registers
  kUnrolled,  // constant extents, expected to be unrolled completely
};
struct Loop {
  LoopKind kind = LoopKind::kSerial;
  std::string variable;
  ExprPtr begin, end;
  ExprPtr step;
  Body body;
  std::int64_t unroll = 1;  // turns of a serial loop that the compiler is asked to combine
};
struct If {
  ExprPtr condition;
  Body body;
};
// A scope of its own, for names that repeat.
struct Scope {
  Body body;
};

// An array shared by the threads of a block, declared at the top of a kernel.
struct Shared {
  std::string name;
  DType dtype = DType::kF32;
  std::int64_t count = 1;
  std::int64_t offset = -1;  // bytes within the memory that the launch asks for; -1: declared statically
};
// Asks for the line with buffer[index] ahead of its use, into the second cache. The address may lie beyond the buffer.
struct Prefetch {
  std::string buffer;
  ExprPtr index;
};
struct Barrier {};  // every thread of a block reaches this before any continues
// A call of a skeleton's function, which is given all of the kernel's arguments.
struct Invoke {
  std::string function;
};

struct Stmt {
  std::variant<Comment, Declare, Assign, Store, Copy, Transpose, Loop, If, Scope, Shared, Prefetch, Barrier, Invoke> node;
};

// One argument of a function with the type of its memory.
struct KernelParameter {
  std::string name;
  DType storage = DType::kF32;
  bool written = false;
};

// A function of the device that a skeleton calls. It takes `const fl_arguments& in`, whose members are the kernel's parameters, and
// then its own.
struct DeviceFunction {
  std::string name;
  std::vector<std::pair<std::string, IrType>> parameters;
  IrType type;  // of the result; no meaning without one
  Body body;
  ExprPtr result;  // null: there is none
};

// The loop of a kernel as a text: resources/kernels/<language>/skeletons. The module defines what it leaves open before it.
struct Skeleton {
  std::vector<std::string> files;  // without extension; each is written once a module
  std::vector<std::pair<std::string, std::int64_t>> constants;
  std::vector<std::string> definitions;  // in the language's own words: "using fl_operand = fl_bf16;"
  std::vector<DeviceFunction> functions;
  bool needs_matrix_units = false;  // its text takes the dialect's second preamble
};

// A part of the per-thread scratch, typed.
struct ScratchPart {
  std::string name;
  DType storage = DType::kF32;
  std::int64_t offset = 0;  // bytes, a multiple of 64
};

// A kernel: runs tasks [begin, end) of `tasks`, or contains the work of one thread of a launch.
struct Function {
  std::string entry;
  std::vector<KernelParameter> parameters;  // in ABI order
  std::string task_variable = "task";
  Body body;  // body of one task
  std::int64_t tasks = 1;
  std::vector<ScratchPart> scratch;
  std::int64_t scratch_bytes = 0;  // per thread
  bool nontemporal = false;        // some store bypasses the caches: the end of the kernel must fence
  Launch launch = {};
  Skeleton skeleton = {};            // what Invoke statements of this function and of those after it call
  std::vector<Function> after = {};  // take the same arguments; each is launched after this kernel, with a grid of its own
  // At most one: fills the buffer that is the last parameter of both, from inputs whose contents are constant, before any launch.
  std::vector<Function> before = {};
  std::vector<int> prepared_inputs = {};  // parameters that it reads, ascending
  std::int64_t prepared_bytes = 0;
};

// Appends statements to a body. Lowerings write all IR through it.
class BodyBuilder {
 public:
  explicit BodyBuilder(Body& body) : body_(body) {}

  void comment(std::string text);
  ExprPtr declare(std::string name, ExprPtr value);           // a constant
  ExprPtr declare_variable(std::string name, ExprPtr value);  // assigned later
  void declare_array(std::string name, IrType type, std::vector<std::int64_t> extents);
  void assign(ExprPtr target, ExprPtr value);
  void copy(Copy copy);
  void store(Store store);
  void transpose(Transpose transpose);
  // The returned body is valid until the next statement is added to this one.
  Body& loop(LoopKind kind, std::string name, ExprPtr begin, ExprPtr end, ExprPtr step, std::int64_t unroll = 1);
  Body& when(ExprPtr condition);
  Body& scope();
  void shared(Shared array);
  void prefetch(std::string buffer, ExprPtr index);
  void barrier();
  void invoke(std::string function);

 private:
  Body& body_;
};

}  // namespace fuselab::codegen
