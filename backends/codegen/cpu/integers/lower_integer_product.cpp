// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/integers/lower_integer_product.h"

#include <algorithm>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr DType kWhole = DType::kU32;  // wraps where it overflows, as the numbers of i32 do
constexpr std::int64_t kTurn = 128, kOnes = 0x1010101;

class IntegerProductLowering {
 public:
  IntegerProductLowering(const Graph& graph, const ByteProductKernel& kernel, const LaunchConfig& config)
      : kernel_(kernel),
        p_(kernel.product),
        inputs_(graph.inputs().size()),
        parameters_(name_parameters(graph, names_)),
        lanes_(static_cast<int>(config.integer("vector", 4))),
        tile_m_(std::min(config.integer("tile_m", 1), p_.rows)),
        tile_n_(config.integer("tile_n", 1)),
        rows_per_task_(std::min(config.integer("rows_per_task", 64), p_.rows)),
        ahead_(config.integer("pack", 1) == 2 && may_lay_out_ahead(graph, kernel)),
        dot_(config.choice("dot", "pairs") == "vnni" ? "dot_vnni" : "dot_pairs") {
    if (kernel.epilogue) {
      epilogue_.emplace(graph, *kernel.epilogue, parameters_, names_);
    } else {
      parameters_[inputs_].storage = kWhole;
    }
  }

  Function run() {
    decode_task();
    if (ahead_) {
      lay_out_ahead();
    } else {
      strip_ = scratch("strip", strip_elements());
      lay_out(function_.body, integer(0), first_col_, last_col_);
    }
    if (has_right_zero()) sum_rows();
    tiles();
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  std::int64_t strip() const { return tile_n_ * lanes_; }
  std::int64_t quads() const { return ceil_div(p_.depth, 4); }
  // Behind the quads of a strip lie the sums of its columns and, where there are some, its zero points.
  bool has_right_zero() const { return p_.b.has_zero() || p_.b.dtype == DType::kU8; }
  bool has_left_zero() const { return p_.a.has_zero() || p_.a.dtype == DType::kI8; }
  std::int64_t strip_elements() const { return (quads() + 1 + (has_right_zero() ? 1 : 0)) * strip(); }
  IrType whole(int lanes) const { return {kWhole, lanes}; }
  static ExprPtr flip(bool flips) { return integer(flips ? kTurn : 0); }
  bool flips_left() const { return p_.a.dtype == DType::kI8; }
  bool flips_right() const { return p_.b.dtype == DType::kU8; }
  ExprPtr name_of_input(int position) const { return variable(parameters_[static_cast<std::size_t>(position)].name, kIndex); }
  ExprPtr splat(const ExprPtr& number, int lanes) const { return call("splat", whole(lanes), {number}); }

  std::string scratch(const char* wish, std::int64_t elements) {
    const std::string name = names_.unique(wish);
    const std::int64_t offset = ceil_div(function_.scratch_bytes, 64) * 64;
    function_.scratch.push_back({name, kWhole, offset});
    function_.scratch_bytes = offset + elements * 4;
    return name;
  }

  static ExprPtr bounded(Body& body, const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed) {
    BodyBuilder builder(body);
    if (!may_exceed) return builder.declare(name, wish);
    const ExprPtr last = builder.declare_variable(name, wish);
    BodyBuilder(builder.when(binary(">", last, integer(limit)))).assign(last, integer(limit));
    return last;
  }

  void decode_task() {
    const std::int64_t blocks = ceil_div(p_.rows, rows_per_task_);
    function_.tasks = blocks * ceil_div(p_.columns, strip());
    const ExprPtr task = variable(function_.task_variable, kIndex);
    BodyBuilder builder(function_.body);
    first_row_ = builder.declare("first_row", task % integer(blocks) * integer(rows_per_task_));
    last_row_ = bounded(function_.body, "last_row", first_row_ + integer(rows_per_task_), p_.rows, p_.rows % rows_per_task_ != 0);
    first_col_ = BodyBuilder(function_.body).declare("first_col", task / integer(blocks) * integer(strip()));
    last_col_ = bounded(function_.body, "last_col", first_col_ + integer(strip()), p_.columns, p_.columns % strip() != 0);
  }

  // Lays the columns of a strip out from element `to` of it on. What a last strip lacks stays unwritten.
  void lay_out(Body& body, const ExprPtr& to, const ExprPtr& first, const ExprPtr& last) {
    const ExprPtr whole_columns = (last - first) / integer(lanes_) * integer(lanes_);
    lay_out_registers(BodyBuilder(body).loop(LoopKind::kVector, "col", first, last, integer(lanes_)), to, first, lanes_);
    if (p_.columns % lanes_ == 0) return;
    Body& rest = BodyBuilder(body).loop(LoopKind::kSerial, "col", first + whole_columns, last, integer(1));
    lay_out_registers(rest, to, first, 1);
  }

  void lay_out_registers(Body& body, const ExprPtr& to, const ExprPtr& first, int lanes) {
    const ExprPtr col = variable("col", kIndex), quad = variable("quad", kIndex);
    BodyBuilder builder(body);
    const ExprPtr sum = builder.declare_variable("sum", splat(integer(0), lanes));
    const auto put = [&](Body& at, const ExprPtr& row, const ExprPtr& value) {
      BodyBuilder(at).store({strip_, to + row * integer(strip()) + (col - first), value, kWhole, false});
    };
    const auto four = [&](Body& at, const ExprPtr& number, std::int64_t count) {
      const ExprPtr made =
          BodyBuilder(at).declare("four", call("quads", whole(lanes),
                                               {name_of_input(kernel_.b.bytes), number * integer(4 * p_.columns) + col,
                                                integer(p_.columns), integer(count), flip(flips_right())}));
      put(at, number, made);
      BodyBuilder(at).assign(sum, call("dot_each", whole(lanes), {sum, splat(integer(kOnes), lanes), made}));
    };
    if (p_.depth >= 4) four(builder.loop(LoopKind::kSerial, "quad", integer(0), integer(p_.depth / 4), integer(1)), quad, 4);
    if (p_.depth % 4 != 0) four(builder.scope(), integer(p_.depth / 4), p_.depth % 4);
    put(body, integer(quads()), sum);
    if (!has_right_zero()) return;
    put(body, integer(quads() + 1), right_zero(col, lanes));
  }

  // The zero points of columns that the turn is part of.
  ExprPtr right_zero(const ExprPtr& col, int lanes) const {
    const std::int64_t turn = flips_right() ? -kTurn : 0;
    if (!kernel_.b.zero) return splat(integer(p_.b.zero_number + turn), lanes);
    if (p_.b.one_zero) return splat(scalar(*kernel_.b.zero, integer(0)) + integer(turn), lanes);
    const bool is_signed = parameters_[static_cast<std::size_t>(*kernel_.b.zero)].storage == DType::kI8;
    const ExprPtr bytes = call("bytes", whole(lanes), {name_of_input(*kernel_.b.zero), col, integer(is_signed ? 1 : 0)});
    return turn == 0 ? bytes : bytes + splat(integer(turn), lanes);
  }

  ExprPtr scalar(int input, const ExprPtr& at) const {
    const KernelParameter& parameter = parameters_[static_cast<std::size_t>(input)];
    return load(parameter.name, at, kIndex, parameter.storage);
  }

  // The zero point of a row that the turn is part of.
  ExprPtr left_zero(const ExprPtr& row) const {
    const ExprPtr turn = integer(flips_left() ? kTurn : 0);
    if (!kernel_.a.zero) return integer(p_.a.zero_number) + turn;
    return scalar(*kernel_.a.zero, p_.a.one_zero ? integer(0) : row) + turn;
  }

  void lay_out_ahead() {
    strip_ = names_.unique("packed");
    Function prepare;
    prepare.tasks = ceil_div(p_.columns, strip());
    prepare.parameters = parameters_;
    prepare.parameters.push_back({strip_, kWhole, true});
    function_.prepared_inputs = {kernel_.b.bytes};
    if (kernel_.b.zero) function_.prepared_inputs.push_back(*kernel_.b.zero);
    std::sort(function_.prepared_inputs.begin(), function_.prepared_inputs.end());
    function_.prepared_bytes = prepare.tasks * strip_elements() * 4;
    const ExprPtr task = variable(prepare.task_variable, kIndex);
    const ExprPtr first = BodyBuilder(prepare.body).declare("first_col", task * integer(strip()));
    const ExprPtr last = bounded(prepare.body, "last_col", first + integer(strip()), p_.columns, p_.columns % strip() != 0);
    lay_out(prepare.body, task * integer(strip_elements()), first, last);
    function_.before.push_back(std::move(prepare));
    parameters_.push_back({strip_, kWhole, false});
    strip_begin_ = BodyBuilder(function_.body).declare("strip_begin", first_col_ / integer(strip()) * integer(strip_elements()));
  }

  void sum_rows() {
    sums_ = scratch("row_sums", rows_per_task_);
    const ExprPtr row = variable("row", kIndex);
    Body& each = BodyBuilder(function_.body).loop(LoopKind::kSerial, "row", first_row_, last_row_, integer(1));
    const ExprPtr sum = call("row_of_bytes", whole(1),
                             {name_of_input(kernel_.a.bytes), row * integer(p_.depth), integer(p_.depth), flip(flips_left())});
    BodyBuilder(each).store({sums_, row - first_row_, sum, kWhole, false});
  }

  // A strip's rows, then those that fill no tile. Of a last strip all registers are summed up, and only its columns are stored.
  void tiles() {
    const ExprPtr row = variable("row", kIndex);
    tile(BodyBuilder(function_.body).loop(LoopKind::kVector, "row", first_row_, last_row_, integer(tile_m_)), tile_m_, row);
    if (tile_m_ == 1 || (p_.rows % tile_m_ == 0 && rows_per_task_ % tile_m_ == 0)) return;
    const ExprPtr begin = first_row_ + (last_row_ - first_row_) / integer(tile_m_) * integer(tile_m_);
    tile(BodyBuilder(function_.body).loop(LoopKind::kSerial, "row", begin, last_row_, integer(1)), 1, row);
  }

  ExprPtr in_strip(const ExprPtr& at, int lanes) const { return load(strip_, strip_begin_ + at, whole(lanes), kWhole); }

  void tile(Body& body, std::int64_t rows, const ExprPtr& row) {
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex);
    const ExprPtr total = element("total", {i, j}, whole(lanes_));
    const auto over = [&](Body& at, const char* name, std::int64_t count) -> Body& {
      return BodyBuilder(at).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
    };
    BodyBuilder builder(body);
    builder.declare_array("total", whole(lanes_), {rows, tile_n_});
    BodyBuilder(over(over(body, "i", rows), "j", tile_n_)).assign(total, splat(integer(0), lanes_));
    const auto step = [&](Body& at, const ExprPtr& quad, std::int64_t count) {
      BodyBuilder(at).declare_array("right", whole(lanes_), {tile_n_});
      const ExprPtr right = element("right", {j}, whole(lanes_));
      BodyBuilder(over(at, "j", tile_n_)).assign(right, in_strip(quad * integer(strip()) + j * integer(lanes_), lanes_));
      Body& each_row = over(at, "i", rows);
      const ExprPtr left = BodyBuilder(each_row).declare(
          "left", call("quad", whole(lanes_),
                       {name_of_input(kernel_.a.bytes), (row + i) * integer(p_.depth) + quad * integer(4), integer(count),
                        flip(flips_left())}));
      BodyBuilder(over(each_row, "j", tile_n_)).assign(total, call(dot_, whole(lanes_), {total, left, right}));
    };
    if (p_.depth >= 4) {
      Body& sum = builder.loop(LoopKind::kSerial, "quad", integer(0), integer(p_.depth / 4), integer(1));
      step(sum, variable("quad", kIndex), 4);
    }
    if (p_.depth % 4 != 0) step(builder.scope(), integer(p_.depth / 4), p_.depth % 4);
    correct(body, rows, row);
    put(body, rows, row);
  }

  // Takes zero points and turns off the sums.
  void correct(Body& body, std::int64_t rows, const ExprPtr& row) {
    if (!has_left_zero() && !has_right_zero()) return;
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex);
    const ExprPtr total = element("total", {i, j}, whole(lanes_));
    Body& each_row = BodyBuilder(body).loop(LoopKind::kUnrolled, "i", integer(0), integer(rows), integer(1));
    ExprPtr zero, row_sum;
    if (has_left_zero()) zero = BodyBuilder(each_row).declare("zero", splat(left_zero(row + i), lanes_));
    if (has_right_zero()) {
      row_sum = load(sums_, row + i - first_row_, whole(1), kWhole);
      if (lanes_ > 1) row_sum = call("spread", whole(lanes_), {row_sum});
      row_sum = BodyBuilder(each_row).declare("row_sum", row_sum);
    }
    Body& each = BodyBuilder(each_row).loop(LoopKind::kUnrolled, "j", integer(0), integer(tile_n_), integer(1));
    const ExprPtr sum = in_strip(integer(quads() * strip()) + j * integer(lanes_), lanes_);
    const ExprPtr column_zero = in_strip(integer((quads() + 1) * strip()) + j * integer(lanes_), lanes_);
    ExprPtr corrected = total;
    if (has_left_zero() && has_right_zero()) {
      corrected = corrected - zero * (sum - splat(integer(p_.depth), lanes_) * column_zero);
    } else if (has_left_zero()) {
      corrected = corrected - zero * sum;
    }
    if (has_right_zero()) corrected = corrected - row_sum * column_zero;
    BodyBuilder(each).assign(total, corrected);
  }

  void store(Body& body, const ExprPtr& row, const ExprPtr& column, const ExprPtr& total) {
    if (epilogue_) {
      epilogue_->store(body, row, column, call("number", {DType::kF32, total->type.lanes}, {total}));
    } else {
      BodyBuilder(body).store({parameters_[inputs_].name, row * integer(p_.columns) + column, total, kWhole, false});
    }
  }

  void put(Body& body, std::int64_t rows, const ExprPtr& row) {
    const ExprPtr i = variable("i", kIndex), j = variable("j", kIndex);
    const ExprPtr total = element("total", {i, j}, whole(lanes_));
    const ExprPtr column = first_col_ + j * integer(lanes_);
    Body& each_row = BodyBuilder(body).loop(LoopKind::kUnrolled, "i", integer(0), integer(rows), integer(1));
    Body& each = BodyBuilder(each_row).loop(LoopKind::kUnrolled, "j", integer(0), integer(tile_n_), integer(1));
    if (p_.columns % strip() == 0) {
      store(each, row + i, column, total);
      return;
    }
    const ExprPtr end = column + integer(lanes_);
    store(BodyBuilder(each).when(binary("<=", end, last_col_)), row + i, column, total);
    if (p_.columns % lanes_ == 0) return;
    // Register by register through memory: the elements behind the last column are no results.
    if (edge_.empty()) edge_ = scratch("edge", lanes_);
    Body& part = BodyBuilder(each).when(binary("&&", binary("<", column, last_col_), binary(">", end, last_col_)));
    BodyBuilder(part).store({edge_, integer(0), total, kWhole, false});
    Body& one = BodyBuilder(part).loop(LoopKind::kSerial, "col", column, last_col_, integer(1));
    const ExprPtr col = variable("col", kIndex);
    store(one, row + i, col, load(edge_, col - column, whole(1), kWhole));
  }

  const ByteProductKernel& kernel_;
  const IntegerProduct& p_;
  Names names_;
  std::size_t inputs_;
  std::vector<KernelParameter> parameters_;
  std::optional<Epilogue> epilogue_;
  int lanes_;
  std::int64_t tile_m_, tile_n_, rows_per_task_;
  bool ahead_;
  std::string dot_;
  std::string strip_, sums_, edge_;
  ExprPtr strip_begin_ = integer(0);
  Function function_;
  ExprPtr first_row_, last_row_, first_col_, last_col_;
};

}  // namespace

bool may_lay_out_ahead(const Graph& graph, const ByteProductKernel& kernel) {
  const auto constant = [&](int input) {
    return graph.value(graph.inputs()[static_cast<std::size_t>(input)]).origin == ValueOrigin::kParam;
  };
  return constant(kernel.b.bytes) && (!kernel.b.zero || constant(*kernel.b.zero));
}

Function lower_integer_product(const Graph& graph, const ByteProductKernel& kernel, const LaunchConfig& config) {
  return IntegerProductLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
