// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_few_rows.h"

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

class FewRowsLowering {
 public:
  FewRowsLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : c_(kernel.contraction),
        parameters_(name_parameters(graph, names_)),
        epilogue_(graph, kernel.epilogue, parameters_, names_),
        sums_(names_.unique("sums")),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        step_(config.integer("depth_step", 1)),
        columns_(ceil_div(ceil_div(c_.n, config.integer("column_parts", 1)), lanes_) * lanes_) {}

  Function run() {
    Function function;
    const std::int64_t blocks = ceil_div(c_.n, columns_);
    function.tasks = c_.batches() * blocks;
    function.scratch.push_back({sums_, c_.compute, 0});
    function.scratch_bytes = c_.m * columns_ * bits_of(c_.compute) / 8;
    const ExprPtr task = variable(function.task_variable, kIndex);
    BodyBuilder builder(function.body);
    batch_ = c_.batches() == 1 ? integer(0) : builder.declare("batch", task / integer(blocks));
    builder.declare("left_at", strided_offset(c_.batch_extents, c_.left_strides, batch_));
    first_ = blocks == 1 ? integer(0) : builder.declare("first_col", task % integer(blocks) * integer(columns_));
    builder.declare("right_at", strided_offset(c_.batch_extents, c_.right_strides, batch_) + first_);
    width_ = integer(c_.n);
    if (blocks > 1) {
      width_ = builder.declare_variable("width", integer(columns_));
      if (c_.n % columns_ != 0) {
        BodyBuilder(builder.when(binary(">", width_, integer(c_.n) - first_))).assign(width_, integer(c_.n) - first_);
      }
    }
    clear(function.body);
    const std::int64_t whole = c_.k / step_ * step_;
    if (whole > 0) {
      add(BodyBuilder(function.body).loop(LoopKind::kVector, "k", integer(0), integer(whole), integer(step_)), step_);
    }
    if (whole < c_.k) add(BodyBuilder(function.body).loop(LoopKind::kSerial, "k", integer(whole), integer(c_.k), integer(1)), 1);
    finish(function.body);
    function.parameters = parameters_;
    return function;
  }

 private:
  IrType type(int lanes) const { return {c_.compute, lanes}; }
  ExprPtr sum_at(int lanes) const { return load(sums_, i_ * integer(columns_) + col_, type(lanes), c_.compute); }
  Body& each_row(Body& body) const {
    return BodyBuilder(body).loop(LoopKind::kUnrolled, "i", integer(0), integer(c_.m), integer(1));
  }
  // for col in [0, width): registers, then what is left.
  template <typename Visit>
  void over_columns(Body& body, const Visit& visit) const {
    visit(BodyBuilder(body).loop(LoopKind::kVector, "col", integer(0), width_, integer(lanes_)), lanes_);
    if (c_.n % lanes_ == 0) return;
    const ExprPtr begin = width_ / integer(lanes_) * integer(lanes_);
    visit(BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, width_, integer(1)), 1);
  }

  void clear(Body& body) const {
    over_columns(body, [&](Body& at, int lanes) {
      BodyBuilder(each_row(at)).store({sums_, i_ * integer(columns_) + col_, real(0, type(lanes)), c_.compute, false});
    });
  }

  // Adds `rows` rows of the right operand from k on, each times its element of every row of the left one.
  void add(Body& body, std::int64_t rows) const {
    const ExprPtr j = variable("j", kIndex);
    const ExprPtr k = variable("k", kIndex);
    const auto each_step = [&](Body& at) -> Body& {
      return BodyBuilder(at).loop(LoopKind::kUnrolled, "j", integer(0), integer(rows), integer(1));
    };
    const auto declare_left = [&](Body& at, const char* name, int lanes) {
      BodyBuilder(at).declare_array(name, type(lanes), {c_.m, rows});
      Body& each = each_step(each_row(at));
      const KernelParameter& source = parameters_[static_cast<std::size_t>(c_.left)];
      const ExprPtr from = variable("left_at", kIndex) + i_ * integer(c_.left_row) + (k + j) * integer(c_.left_step);
      const ExprPtr one = load(source.name, from, type(1), source.storage);
      BodyBuilder(each).assign(element(name, {i_, j}, type(lanes)), lanes == 1 ? one : call("spread", type(lanes), {one}));
    };
    declare_left(body, "left", lanes_);
    if (c_.n % lanes_ != 0 && lanes_ > 1) declare_left(body, "left_one", 1);
    over_columns(body, [&](Body& at, int lanes) {
      const ExprPtr total = element("total", {i_}, type(lanes));
      BodyBuilder builder(at);
      builder.declare_array("total", type(lanes), {c_.m});
      BodyBuilder(each_row(at)).assign(total, sum_at(lanes));
      Body& each = each_step(at);
      const KernelParameter& source = parameters_[static_cast<std::size_t>(c_.right)];
      const ExprPtr from = variable("right_at", kIndex) + (k + j) * integer(c_.right_stride) + col_;
      const ExprPtr right = BodyBuilder(each).declare("right", load(source.name, from, type(lanes), source.storage));
      const char* const left = lanes == lanes_ ? "left" : "left_one";
      BodyBuilder(each_row(each)).assign(total, total + element(left, {i_, j}, type(lanes)) * right);
      BodyBuilder(each_row(at)).store({sums_, i_ * integer(columns_) + col_, total, c_.compute, false});
    });
  }

  void finish(Body& body) const {
    over_columns(body, [&](Body& at, int lanes) {
      epilogue_.store(BodyBuilder(at).loop(LoopKind::kSerial, "i", integer(0), integer(c_.m), integer(1)),
                      batch_ * integer(c_.m) + i_, first_ + col_, sum_at(lanes));
    });
  }

  const Contraction& c_;
  Names names_{{"width", "left_one"}};
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  std::string sums_;
  int lanes_;
  std::int64_t step_, columns_;
  ExprPtr batch_, first_, width_;
  const ExprPtr i_ = variable("i", kIndex);
  const ExprPtr col_ = variable("col", kIndex);
};

}  // namespace

Function lower_few_rows(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return FewRowsLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
